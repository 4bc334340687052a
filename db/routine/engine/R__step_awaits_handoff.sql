-- Whether a step is to be handed off, for the first time or again. Inlined into the query that
-- calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_awaits_handoff(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('pending', 'waiting_for_retry')
$$;
comment on function tasker.step_awaits_handoff(tasker.step_state) is
  'Whether a step is to be handed off, for the first time or again.';
