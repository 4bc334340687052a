-- Whether a step is offered to workers, or one works on it: its handoff may still bring a result.
-- Inlined into the query that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_is_handed_off(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('enqueued', 'in_progress')
$$;
comment on function tasker.step_is_handed_off(tasker.step_state) is
  'Whether a step is offered to workers, or one works on it.';
