-- Whether a task has ended well: complete, or resolved by an operator. Inlined into the query that
-- calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.task_ended_well(p_state tasker.task_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('complete', 'resolved_manually')
$$;
comment on function tasker.task_ended_well(tasker.task_state) is
  'Whether a task is complete, or was resolved by an operator.';
