-- Whether a step has been handed off and its result is not settled yet. Inlined into the query that
-- calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_is_in_flight(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('enqueued', 'in_progress', 'enqueued_for_orchestration',
                     'enqueued_as_error_for_orchestration')
$$;
comment on function tasker.step_is_in_flight(tasker.step_state) is
  'Whether a step has been handed off and its result is not settled yet.';
