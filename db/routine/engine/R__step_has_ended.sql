-- Whether a step has ended, well or not. Inlined into the query that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_has_ended(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('complete', 'error', 'cancelled', 'resolved_manually')
$$;
comment on function tasker.step_has_ended(tasker.step_state) is
  'Whether a step has ended, well or not.';
