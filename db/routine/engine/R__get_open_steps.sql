-- The steps of a task whose number does not grow with the width of its batches: all that are not
-- workers of a batch, and the workers of open batches that have not ended. What is done at each
-- evaluation reads the steps of a task through it. Inlined into the query that calls it.
-- Locks: none. Cost: its rows. Source: ADR 0039.
create or replace function tasker.get_open_steps(p_task_uuid uuid)
returns setof tasker.workflow_steps
language sql stable parallel safe rows 10
as $$
  select s.*
  from tasker.workflow_steps s
  where s.task_uuid = p_task_uuid and s.step_position <= 1000000
  union all
  select s.*
  from tasker.batch_live_workers l
  join tasker.workflow_steps s on s.workflow_step_uuid = l.workflow_step_uuid
  where l.task_uuid = p_task_uuid
$$;
comment on function tasker.get_open_steps(uuid) is
  'The steps of a task that are not workers of a batch, and the workers of open batches that have '
  'not ended.';
