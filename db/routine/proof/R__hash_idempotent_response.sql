-- A hash of a request with an idempotency key and of the response that was saved for it.
-- Source: docs/reference/invariants.md.
create or replace function tasker.hash_idempotent_response(p_response tasker.idempotency_keys)
returns bigint
language sql stable parallel safe
set search_path = ''
as $$
  select hashtextextended(p_response.body,
                          tasker.hash_documents(
                            jsonb_build_array(p_response.principal, p_response.idempotency_key,
                                              encode(p_response.request_hash, 'hex'),
                                              p_response.status, p_response.location)))
$$;
comment on function tasker.hash_idempotent_response(tasker.idempotency_keys) is
  'A hash of a request with an idempotency key and of the response that was saved for it.';
