-- Whether every parent of a step is complete or resolved manually. Null when there is no such step.
create or replace function tasker.check_step_dependencies(p_step_uuid uuid)
returns boolean
language sql stable parallel safe
as $$
  select not exists (
           select from tasker.workflow_step_edges e
           join tasker.workflow_steps parent on parent.workflow_step_uuid = e.from_step_uuid
           where e.to_step_uuid = s.workflow_step_uuid
             and parent.state not in ('complete', 'resolved_manually'))
  from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid
$$;
comment on function tasker.check_step_dependencies(uuid) is
  'Whether every parent of a step is complete or resolved manually; null when there is no such '
  'step.';
