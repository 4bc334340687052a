-- Whether a task state is terminal.
create or replace function tasker.is_terminal(p_state tasker.task_state)
returns boolean
language sql immutable parallel safe
as $$
  select p_state in ('complete', 'error', 'cancelled', 'resolved_manually')
$$;
comment on function tasker.is_terminal(tasker.task_state) is 'Whether a task state is terminal.';
