-- Whether a webhook has still to deliver an event of a task, which retention then keeps: the event
-- is behind its position in the feed, or its delivery has not ended. A webhook that has been paused
-- for more than seven days waits for nothing, so that it does not keep tasks for ever.
-- Locks: none. Source: ADR 0054.
create or replace function tasker.is_awaited_by_webhook(
  p_task_uuid uuid, p_now timestamptz default null)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
           select from tasker.domain_events e
           join tasker.tasks t on t.task_uuid = e.task_uuid
           join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
           join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
           join tasker.webhooks w on w.deleted_at is null
             and (w.paused_at is null
                  or w.paused_at > coalesce(p_now, clock_timestamp()) - interval '7 days')
             and (w.namespace_name is null or w.namespace_name = ns.name)
             and (w.template_name is null or w.template_name = nt.name)
             and (w.event_types is null or e.name = any (w.event_types))
             and (w.starts_at is null or e.created_at >= w.starts_at)
           where e.task_uuid = p_task_uuid and (e.position is null or e.position > w.position))
         or exists (select from tasker.webhook_deliveries d
                    join tasker.webhooks w on w.webhook_uuid = d.webhook_uuid
                      and w.deleted_at is null
                      and (w.paused_at is null
                           or w.paused_at > coalesce(p_now, clock_timestamp()) - interval '7 days')
                    where d.task_uuid = p_task_uuid and d.ended_at is null)
$$;
comment on function tasker.is_awaited_by_webhook(uuid, timestamptz) is
  'Whether a webhook has still to deliver an event of a task.';
