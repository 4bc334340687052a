-- Enables or disables the login of a user. Returns {outcome}: done, already, or refused with the
-- code user-not-found or last-administrator; nothing is changed then. Locks: to disable a user, as
-- refuse_last_administrator. Errors: TK007 when p_is_enabled is null. A user that is disabled loses
-- its sessions.
create or replace function tasker.set_user_enabled(
  p_user_uuid uuid, p_is_enabled boolean, p_by text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_refusal jsonb;
begin
  if p_is_enabled is null then
    raise exception 'is_enabled must be true or false, not null' using errcode = 'TK007';
  end if;
  if not p_is_enabled then
    v_refusal := tasker.refuse_last_administrator(p_user_uuid);
  end if;
  if v_refusal is not null then
    return v_refusal;
  end if;
  update tasker.access_users u
  set disabled_at = case when not p_is_enabled then clock_timestamp() end,
      disabled_by = case when not p_is_enabled then p_by end
  where u.user_uuid = p_user_uuid and (u.disabled_at is null) <> p_is_enabled;
  if found then
    delete from tasker.access_sessions s where s.user_uuid = p_user_uuid;
    return jsonb_build_object('outcome', 'done');
  end if;
  return case when exists (select from tasker.access_users u where u.user_uuid = p_user_uuid) then
                jsonb_build_object('outcome', 'already')
              else tasker.refuse_unknown('user', p_user_uuid::text) end;
end
$$;
comment on function tasker.set_user_enabled(uuid, boolean, text) is
  'Enables or disables the login of a user.';
