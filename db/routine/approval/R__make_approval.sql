-- Creates the approval of a newly armed wait. p_prepared: of prepare_approval. An empty title
-- becomes the name of the step.
-- Locks: the caller holds the task. Source: ADR 0044.
create or replace function tasker.make_approval(
  p_wait tasker.step_waits, p_approval jsonb, p_prepared jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.approvals
    (approval_uuid, task_uuid, workflow_step_uuid, created_at, due_at, is_four_eyes, namespace_name,
     title, candidate_roles, candidate_users, escalation_roles, escalation_users, initiators, shown)
  select p_wait.wait_uuid, p_wait.task_uuid, p_wait.workflow_step_uuid, p_wait.armed_at,
         p_wait.due_at, coalesce((p_approval ->> 'four_eyes')::boolean, false), ns.name,
         coalesce(nullif(p_prepared ->> 'title', ''), s.name, n.name),
         array(select jsonb_array_elements_text(p_prepared -> 'candidate_roles')),
         array(select jsonb_array_elements_text(p_prepared -> 'candidate_users')),
         array(select jsonb_array_elements_text(p_prepared -> 'escalation_roles')),
         array(select jsonb_array_elements_text(p_prepared -> 'escalation_users')),
         case
           when (p_approval ->> 'four_eyes')::boolean then tasker.get_initiators(p_wait.task_uuid)
           else '{}' end,
         p_prepared -> 'shown'
  from tasker.workflow_steps s
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where s.workflow_step_uuid = p_wait.workflow_step_uuid;
  perform tasker.record_approval_event(p_wait.wait_uuid, 'made', null, p_wait.armed_at);
end
$$;
comment on function tasker.make_approval(tasker.step_waits, jsonb, jsonb) is
  'Creates the approval of a newly armed wait.';
