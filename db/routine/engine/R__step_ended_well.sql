-- Whether a step has ended well: with a result, or resolved by an operator. Its children may start.
-- Inlined into the query that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_ended_well(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('complete', 'resolved_manually')
$$;
comment on function tasker.step_ended_well(tasker.step_state) is
  'Whether a step has ended with a result, or was resolved by an operator.';
