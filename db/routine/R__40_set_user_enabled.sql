-- Lets a user log in, or not any more. Returns done, already, not_found, or last_administrator: nothing is done then. Locks: an advisory lock of the
-- transaction, so that two administrators cannot lock each other out at once. Called by Accounts.
create or replace function tasker.set_user_enabled(p_user_uuid uuid, p_is_enabled boolean, p_by text)
returns text
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tasker.administrators', 0));
  if not p_is_enabled and tasker.count_administrators() > 0 and tasker.count_administrators(p_user_uuid) = 0 then
    return 'last_administrator';
  end if;
  update tasker.access_users u
  set disabled_at = case when not p_is_enabled then clock_timestamp() end, disabled_by = case when not p_is_enabled then p_by end
  where u.user_uuid = p_user_uuid and (u.disabled_at is null) <> p_is_enabled;
  return case when found then 'done' when exists (select from tasker.access_users u where u.user_uuid = p_user_uuid) then 'already' else 'not_found' end;
end
$$;
comment on function tasker.set_user_enabled(uuid, boolean, text) is 'Lets a user log in, or not any more.';
