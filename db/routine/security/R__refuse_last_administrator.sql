-- The refusal of a change that would leave no user and no key that may manage users; null when the
-- change may be made.
-- p_without: the user, key or grant that the caller is about to take away.
-- Locks: an advisory lock of the transaction, so that two administrators cannot lock each other out
-- at once.
create or replace function tasker.refuse_last_administrator(p_without uuid)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tasker.administrators', 0));
  if tasker.count_administrators() > 0 and tasker.count_administrators(p_without) = 0 then
    return jsonb_build_object('outcome', 'refused', 'code', 'last-administrator',
                              'message', 'no user or key would be left that may manage users');
  end if;
  return null;
end
$$;
comment on function tasker.refuse_last_administrator(uuid) is
  'The refusal of a change that would leave no user and no key that may manage users; null when '
  'the change may be made.';
