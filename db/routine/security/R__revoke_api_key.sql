-- Revokes an API key permanently. Returns {outcome}: done, already, or refused with the code
-- key-not-found or last-administrator; nothing is changed then. Locks: as
-- refuse_last_administrator.
create or replace function tasker.revoke_api_key(p_key_uuid uuid, p_by text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_refusal jsonb := tasker.refuse_last_administrator(p_key_uuid);
begin
  if v_refusal is not null then
    return v_refusal;
  end if;
  update tasker.access_keys k set revoked_at = clock_timestamp(), revoked_by = p_by
  where k.key_uuid = p_key_uuid and k.revoked_at is null;
  return case when found then jsonb_build_object('outcome', 'done')
              when exists (select from tasker.access_keys k where k.key_uuid = p_key_uuid) then
                jsonb_build_object('outcome', 'already')
              else tasker.refuse_unknown('key', p_key_uuid::text) end;
end
$$;
comment on function tasker.revoke_api_key(uuid, text) is 'Revokes an API key permanently.';
