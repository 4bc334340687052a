-- Whether every parent of a step is complete or resolved manually. Null when there is no such step.
create or replace function tasker.check_step_dependencies(p_step_uuid uuid)
returns boolean
language sql stable parallel safe
as $$
  select not exists (
           select from tasker.get_parent_steps(s.workflow_step_uuid) parent
           where not tasker.step_ended_well(parent.state))
  from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid
$$;
comment on function tasker.check_step_dependencies(uuid) is
  'Whether every parent of a step is complete or resolved manually; null when there is no such '
  'step.';
