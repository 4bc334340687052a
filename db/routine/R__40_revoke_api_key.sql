-- Makes an API key worthless, for good. Returns done, already, not_found or last_administrator. Locks: as set_user_enabled. Called by Accounts.
create or replace function tasker.revoke_api_key(p_key_uuid uuid, p_by text)
returns text
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tasker.administrators', 0));
  if tasker.count_administrators() > 0 and tasker.count_administrators(p_key_uuid) = 0 then
    return 'last_administrator';
  end if;
  update tasker.access_keys k set revoked_at = clock_timestamp(), revoked_by = p_by where k.key_uuid = p_key_uuid and k.revoked_at is null;
  return case when found then 'done' when exists (select from tasker.access_keys k where k.key_uuid = p_key_uuid) then 'already' else 'not_found' end;
end
$$;
comment on function tasker.revoke_api_key(uuid, text) is 'Makes an API key worthless, for good.';
