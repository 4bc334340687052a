-- The JSON Schema of the payload of a signal to a task: {namespace, schema}, schema null when there
-- is none or no step waits for such a signal; null when there is no such task. Locks: none.
create or replace function tasker.get_signal_schema(p_task_uuid uuid, p_name text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('namespace', ns.name, 'schema', (select n.wait_for -> 'schema'
                                       from tasker.named_tasks_named_steps n
                                       where n.named_task_uuid = t.named_task_uuid
                                         and n.wait_for ->> 'kind' = 'signal'
                                         and n.wait_for ->> 'name' = p_name limit 1))
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where t.task_uuid = p_task_uuid
$$;
comment on function tasker.get_signal_schema(uuid, text) is
  'The JSON Schema of the payload of a signal to a task.';
