-- The token that a step's handler gives to other systems, so that all attempts of the step count as
-- one request. Nothing that an attempt, a yield, recovery or a restore from a backup changes is
-- part of it, only an operator who wants the effect again gives a step another one
-- (move_steps_by_operator).
-- Locks: none.
create or replace function tasker.format_idempotency_token(p_step_uuid uuid, p_resets int)
returns text
language sql immutable parallel safe
as $$
  select p_step_uuid::text || coalesce(':reset-' || p_resets::text, '')
$$;
comment on function tasker.format_idempotency_token(uuid, int) is
  'The token that a step''s handler gives to other systems, so that all attempts of the step '
  'count as one request.';
