-- To be called before an action of an operator, in its transaction: records the authenticated
-- caller (set_caller), and lets the action wait for each lock for five seconds at most (55P03).
-- What holds the lock may be a call that takes long: the operator is told, and not kept waiting. In
-- psql, the session decides.
-- Locks: none. Source: ADR 0066.
create or replace function tasker.begin_action(p_caller text)
returns text
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('lock_timeout', '5s', true);
  return tasker.set_caller(p_caller);
end
$$;
comment on function tasker.begin_action(text) is
  'Records the authenticated caller of an action, and limits each of its waits for a lock to '
  'five seconds.';
