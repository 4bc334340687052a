-- An API key by the SHA-256 of it (in hex) and what it may do: {uuid, name, expires_in_seconds,
-- grants}; null when there is none, or it is revoked or expired. Notes that it was used, at most
-- once an hour. Locks: the key's row, then. Source: ADR 0018.
create or replace function tasker.get_key_access(p_key_hash text)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_key tasker.access_keys;
begin
  select k.* into v_key from tasker.access_keys k where k.key_hash = decode(p_key_hash, 'hex');
  if not found or v_key.revoked_at is not null or v_key.expires_at <= clock_timestamp() then
    return null;
  end if;
  if v_key.last_used_at is null or v_key.last_used_at < clock_timestamp() - interval '1 hour' then
    update tasker.access_keys k set last_used_at = clock_timestamp()
    where k.key_uuid in (select l.key_uuid
                         from tasker.access_keys l
                         where l.key_uuid = v_key.key_uuid for no key update skip locked);
  end if;
  return jsonb_build_object(
    'uuid', v_key.key_uuid, 'name', v_key.name,
    'expires_in_seconds', ceil(extract(epoch from v_key.expires_at - clock_timestamp())),
    'grants', tasker.expand_grants(null, v_key.key_uuid));
end
$$;
comment on function tasker.get_key_access(text) is
  'A valid API key by its SHA-256 and what it may do; null when there is none.';
