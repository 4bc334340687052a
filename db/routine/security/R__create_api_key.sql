-- Creates an API key from its SHA-256 in hex; only the caller knows the key itself. Returns its
-- uuid.
create or replace function tasker.create_api_key(
  p_name text, p_key_hash text, p_hint text, p_valid_for interval, p_by text)
returns uuid
language sql
as $$
  insert into tasker.access_keys (name, key_hash, hint, expires_at, created_by)
  values (p_name, decode(p_key_hash, 'hex'), p_hint, clock_timestamp() + p_valid_for, p_by)
  returning key_uuid
$$;
comment on function tasker.create_api_key(text, text, text, interval, text) is
  'Creates an API key from its SHA-256; the key itself is not stored.';
