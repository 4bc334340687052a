-- A domain event as a CloudEvent (specification 1.0, JSON format). Extensions: sequence (the
-- position, padded, so that texts sort as positions do), partitionkey (the task, or the schedule:
-- events of one key are in order), taskernamespace, taskertemplate, taskerversion, taskerstep,
-- taskeroutcome, taskerattempt, taskercorrelation, and taskererror, what is wrong with the data.
-- Null when there is no such event.
-- Locks: none. Source: ADR 0050.
create or replace function tasker.get_event_document(p_event_uuid uuid)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_strip_nulls(
           jsonb_build_object(
             'specversion', '1.0', 'id', e.event_uuid, 'type', e.name,
             'source', case e.kind
               when 'step' then format('/v1/tasks/%s/workflow_steps/%s',
                                      e.task_uuid, e.workflow_step_uuid)
               when 'task' then format('/v1/tasks/%s', e.task_uuid)
               when 'approval' then format('/v1/approvals/%s', e.cause_uuid)
               when 'dead_letter' then format('/v1/dlq/entry/%s', e.cause_uuid)
               else format('/v1/schedules/%s', e.cause_uuid) end,
             'subject', coalesce(e.task_uuid, e.cause_uuid), 'time', e.created_at,
             'datacontenttype', case when e.data is not null then 'application/json' end,
             'sequence', lpad(e.position::text, 19, '0'),
             'partitionkey', coalesce(e.task_uuid, e.cause_uuid),
             'taskernamespace', coalesce(ns.name, c.namespace_name),
             'taskertemplate', coalesce(nt.name, c.template_name), 'taskerversion', nt.version,
             'taskerstep', coalesce(s.name, n.name), 'taskeroutcome', e.outcome,
             'taskerattempt', e.attempt, 'taskercorrelation', t.correlation_id,
             'taskererror', (e.error ->> 'type') || ': ' || (e.error ->> 'message')))
         || case when e.data is not null then jsonb_build_object('data', e.data) else '{}' end
  from tasker.domain_events e
  left join tasker.tasks t on t.task_uuid = e.task_uuid
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = e.workflow_step_uuid
  left join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  left join tasker.schedules c on e.kind = 'schedule' and c.schedule_uuid = e.cause_uuid
  where e.event_uuid = p_event_uuid
$$;
comment on function tasker.get_event_document(uuid) is
  'A domain event as a CloudEvent; null when there is no such event.';
