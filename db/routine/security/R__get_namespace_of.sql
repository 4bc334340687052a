-- The namespace that a task, dead_letter, policy, schedule, webhook, bulk_action or approval
-- belongs to; null when there is no such object, or for a webhook or bulk action on all namespaces.
create or replace function tasker.get_namespace_of(p_kind text, p_uuid uuid)
returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if p_kind = 'policy' then
    return (
      select p.namespace_name from tasker.concurrency_policies p where p.policy_uuid = p_uuid);
  elsif p_kind = 'schedule' then
    return (select s.namespace_name from tasker.schedules s where s.schedule_uuid = p_uuid);
  elsif p_kind = 'webhook' then
    return (select w.namespace_name from tasker.webhooks w where w.webhook_uuid = p_uuid);
  elsif p_kind = 'bulk_action' then
    return (select b.filter ->> 'namespace' from tasker.bulk_actions b where b.token = p_uuid);
  end if;
  if p_kind = 'approval' then
    return (select a.namespace_name from tasker.approvals a where a.approval_uuid = p_uuid);
  end if;
  return (select ns.name
          from tasker.tasks t
          join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
          join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
          where t.task_uuid = case p_kind
              when 'task' then p_uuid
              when 'dead_letter' then
                (select d.task_uuid from tasker.tasks_dlq d where d.dlq_entry_uuid = p_uuid) end);
end
$$;
comment on function tasker.get_namespace_of(text, uuid) is
  'The namespace that a task, dead_letter, policy, schedule, webhook, bulk_action or approval '
  'belongs to; null when there is none.';
