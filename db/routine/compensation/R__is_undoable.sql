-- Whether a step is to be undone when its task is compensated: it is complete, or, with
-- p_undoes_attempts, it ran and may have had its effect. What an operator resolved is not undone:
-- the operator answers for it. Locks: none. Source: ADR 0046, ADR 0056.
create or replace function tasker.is_undoable(
  p_state tasker.step_state, p_attempts int, p_undoes_attempts boolean)
returns boolean
language sql immutable parallel safe
as $$
  select p_state = 'complete'
         or (p_undoes_attempts and p_attempts > 0 and p_state in ('error', 'cancelled'))
$$;
comment on function tasker.is_undoable(tasker.step_state, int, boolean) is
  'Whether a step is to be undone when its task is compensated.';
