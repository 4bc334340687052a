-- Whether a step has a result, or an error, that is not settled yet: the next evaluation of its
-- task decides what follows. Inlined into the query that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.step_awaits_settlement(p_state tasker.step_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('enqueued_for_orchestration', 'enqueued_as_error_for_orchestration')
$$;
comment on function tasker.step_awaits_settlement(tasker.step_state) is
  'Whether a step has a result, or an error, that is not settled yet.';
