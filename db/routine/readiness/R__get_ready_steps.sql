-- The steps of a task that can be handed off now; they may run in parallel. No row when there is no
-- such task.
create or replace function tasker.get_ready_steps(p_task_uuid uuid, p_now timestamptz default null)
returns table (workflow_step_uuid uuid, name text, current_state text, attempts int,
               max_attempts int)
language sql stable parallel safe
as $$
  select r.workflow_step_uuid, r.name, r.current_state, r.attempts, r.max_attempts
  from tasker.get_step_readiness_status_batch(array[p_task_uuid], null, p_now) r
  where r.ready_for_execution
$$;
comment on function tasker.get_ready_steps(uuid, timestamptz) is
  'The steps of a task that can be handed off now; they may run in parallel.';
