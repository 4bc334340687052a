-- The level of one step: the length of the longest path from a root to it. Null when there is no
-- such step.
create or replace function tasker.calculate_step_depth(p_step_uuid uuid)
returns int
language sql stable parallel safe
as $$
  select l.dependency_level
  from tasker.workflow_steps s, tasker.calculate_dependency_levels(s.task_uuid) l
  where s.workflow_step_uuid = p_step_uuid and l.workflow_step_uuid = p_step_uuid
$$;
comment on function tasker.calculate_step_depth(uuid) is
  'The level of one step: the length of the longest path from a root to it; null when there is no '
  'such step.';
