-- The schemas against which a server validates a new context or result: {input_schema,
-- result_schema, template, namespace}; null when there is no such task or, with p_step_uuid, step.
create or replace function tasker.get_action_schemas(
  p_task_uuid uuid, p_step_uuid uuid default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('template', ns.name || '/' || nt.name || ':' || nt.version,
                            'namespace', ns.name,
                            'input_schema', nullif(nt.configuration -> 'input_schema', 'null'),
                            'result_schema', n.result_schema)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = p_step_uuid
    and s.task_uuid = t.task_uuid
  left join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where t.task_uuid = p_task_uuid and (p_step_uuid is null or s.workflow_step_uuid is not null)
$$;
comment on function tasker.get_action_schemas(uuid, uuid) is
  'The schemas of the context of a task and the result of a step; null when there is no such task '
  'or step.';
