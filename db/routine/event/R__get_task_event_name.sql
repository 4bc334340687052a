-- The name of the domain event of a task that has reached a state; null for states that have none.
-- Locks: none. Source: ADR 0055.
create or replace function tasker.get_task_event_name(p_state tasker.task_state)
returns text
language sql immutable parallel safe
as $$
  select case p_state
    when 'complete' then 'tasker.task.completed'
    when 'blocked_by_failures' then 'tasker.task.blocked'
    when 'error' then 'tasker.task.failed'
    when 'cancelled' then 'tasker.task.cancelled'
    when 'resolved_manually' then 'tasker.task.resolved'
  end
$$;
comment on function tasker.get_task_event_name(tasker.task_state) is
  'The name of the domain event of a task that has reached a state; null for states that have '
  'none.';
