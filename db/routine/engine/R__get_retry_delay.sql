-- How long a failed service asked to wait before the next attempt (error.delay_ms of a result), in
-- milliseconds: a number from 0 to ten years. Null when it did not ask, or for what is no such
-- number: the template's backoff counts then. Clients and the worker protocol refuse such a number
-- before; only a caller in SQL can submit one.
-- Locks: none. Errors: none. Source: docs/reference/handler-api.md.
create or replace function tasker.get_retry_delay(p_error jsonb)
returns bigint
language sql immutable parallel safe
as $$
  select case when jsonb_typeof(p_error -> 'delay_ms') = 'number'
                and (p_error ->> 'delay_ms')::numeric between 0 and 315360000000 then
                (p_error ->> 'delay_ms')::numeric::bigint end
$$;
comment on function tasker.get_retry_delay(jsonb) is
  'How long a failed service asked to wait before the next attempt, in milliseconds; null for '
  'what is no number from 0 to ten years.';
