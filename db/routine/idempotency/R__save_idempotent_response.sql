-- Saves the response to a request whose key is claimed, in the transaction that executes the
-- request. Raises 23505 for a key that already has a response.
create or replace function tasker.save_idempotent_response(
  p_principal text, p_key text, p_request_hash text, p_status int, p_location text, p_body text,
  p_now timestamptz default null)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.idempotency_keys
    (principal, idempotency_key, request_hash, status, location, body, created_at)
  values (p_principal, p_key, decode(p_request_hash, 'hex'), p_status, p_location, p_body,
          coalesce(p_now, clock_timestamp()));
end
$$;
comment on function tasker.save_idempotent_response(
  text, text, text, int, text, text, timestamptz) is
  'Saves the response to a request whose key is claimed, in the transaction that executes the '
  'request.';
