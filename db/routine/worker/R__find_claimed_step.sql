-- A step that an external worker holds: {outcome: found, namespace}, where namespace is the task's.
-- {outcome: unknown_worker} when the worker is not registered, or by another caller (p_owner, as
-- register_worker got it); {outcome: not_claimed} when it does not hold the step: a worker reads
-- what its own steps need and no more.
-- Locks: none.
create or replace function tasker.find_claimed_step(
  p_worker_uuid uuid, p_owner text, p_step_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_namespace text;
begin
  if not exists (select from tasker.workers w
                 where w.worker_uuid = p_worker_uuid
                   and w.server_uuid is null
                   and w.owner is not distinct from p_owner) then
    return '{"outcome": "unknown_worker"}';
  end if;
  select ns.name into v_namespace
  from tasker.worker_claims c
  join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
    and s.state = 'in_progress'
    and s.handoffs = c.handoff
  join tasker.tasks t on t.task_uuid = s.task_uuid
  join tasker.named_tasks n on n.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = n.task_namespace_uuid
  where c.worker_uuid = p_worker_uuid and c.workflow_step_uuid = p_step_uuid;
  if not found then
    return '{"outcome": "not_claimed"}';
  end if;
  return jsonb_build_object('outcome', 'found', 'namespace', v_namespace);
end
$$;
comment on function tasker.find_claimed_step(uuid, text, uuid) is
  'A step that an external worker holds, with the namespace of its task.';
