-- Deletes saved responses that are older than p_retention_seconds, at most p_limit per call, oldest
-- first; returns how many.
-- Locks: the rows; skips those that another session has locked.
create or replace function tasker.purge_idempotency_keys(
  p_retention_seconds int, p_limit int default 1000, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_count int;
begin
  delete from tasker.idempotency_keys k
  using (select o.principal, o.idempotency_key
         from tasker.idempotency_keys o
         where o.created_at
             < coalesce(p_now, clock_timestamp()) - make_interval(secs => p_retention_seconds)
         order by o.created_at limit p_limit for update skip locked) old
  where k.principal = old.principal and k.idempotency_key = old.idempotency_key;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function tasker.purge_idempotency_keys(int, int, timestamptz) is
  'Deletes saved responses that are older than some seconds, at most p_limit per call.';
