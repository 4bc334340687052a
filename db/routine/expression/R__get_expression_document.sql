-- The document over which the expressions of a step are evaluated: {context, results, task}.
-- results has the results of the step's ancestors by name, without a step those of all steps of the
-- task, and none without p_with_results; task has attempt, correlation_id, created_at, name,
-- namespace, priority, requested_at (of a scheduled task the fire time), uuid and version. Null
-- when there is no such task, or it has no such step. What it costs to make it counts for the task
-- (charge_expressions). Locks: none. Source: ADR 0066.
create or replace function tasker.get_expression_document(
  p_task_uuid uuid, p_step_uuid uuid default null, p_with_results boolean default true)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_document jsonb;
begin
  v_document := (
    select jsonb_build_object(
             'context', c.context,
             'results', case
               when not p_with_results then '{}'
               when p_step_uuid is not null then tasker.get_ancestor_results(p_step_uuid)
               else (select coalesce(jsonb_object_agg(coalesce(o.name, n.name),
                                                      r.result) filter (where r.result is not null),
                                     '{}')
                     from tasker.workflow_steps o
                     join tasker.named_steps n on n.named_step_uuid = o.named_step_uuid
                     join tasker.workflow_step_result_audit r
                       on r.workflow_step_uuid = o.workflow_step_uuid
                         and r.sort_key = o.result_sort_key
                         and r.success
                     where o.task_uuid = t.task_uuid) end,
             'task', jsonb_build_object(
               'uuid', t.task_uuid, 'namespace', ns.name, 'name', nt.name, 'version', nt.version,
               'created_at', t.created_at, 'correlation_id', t.correlation_id,
               'priority', t.priority, 'requested_at', t.requested_at,
               'attempt', coalesce(s.attempts, 0)))
    from tasker.tasks t
    join tasker.task_contexts c on c.task_uuid = t.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.workflow_steps s on s.workflow_step_uuid = p_step_uuid
      and s.task_uuid = t.task_uuid
    where t.task_uuid = p_task_uuid and (p_step_uuid is null or s.workflow_step_uuid is not null));
  -- To make a large one takes longer than most expressions over it.
  if pg_column_size(v_document) > 65536 then
    perform tasker.charge_expressions(p_task_uuid::text, pg_column_size(v_document) / 16);
  end if;
  return v_document;
end
$$;
comment on function tasker.get_expression_document(uuid, uuid, boolean) is
  'The document over which the expressions of a step are evaluated: {context, results, task}.';
