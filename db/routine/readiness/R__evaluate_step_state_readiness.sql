-- Whether a step may be handed off now: ready-eligible states are pending, and waiting_for_retry
-- once due.
create or replace function tasker.evaluate_step_state_readiness(
  p_current_state          text,
  p_processed              boolean,
  p_in_process             boolean,
  p_dependencies_satisfied boolean,
  p_retry_eligible         boolean,
  p_retryable              boolean,
  p_next_retry_time        timestamptz,
  p_now                    timestamptz default null)
returns boolean
language sql stable parallel safe
as $$
  select coalesce(p_current_state in ('pending', 'waiting_for_retry')
                    and not p_processed
                    and not p_in_process
                    and p_dependencies_satisfied
                    and p_retry_eligible
                    and (p_current_state = 'pending'
                         or p_next_retry_time is null
                         or p_next_retry_time <= coalesce(p_now, clock_timestamp())),
                  false)
$$;
comment on function tasker.evaluate_step_state_readiness(
  text, boolean, boolean, boolean, boolean, boolean, timestamptz, timestamptz) is
  'Whether a step may be handed off now: ready-eligible states are pending, and waiting_for_retry '
  'once due.';
