-- The results of ancestors by name, of a step that an external worker holds: {outcome: found, namespace, results}, where namespace is
-- the task's. Leaves out names that are no ancestors, or have no result.
-- {outcome: unknown_worker} when the worker is not registered, or by another caller (p_owner, as register_worker got it);
-- {outcome: not_claimed} when it does not hold the step: a worker reads what its own steps need and no more.
-- Locks: none. Source: design section 15.
create or replace function tasker.get_worker_step_results(p_worker_uuid uuid, p_owner text, p_step_uuid uuid, p_names text[])
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_namespace text;
begin
  if not exists (select from tasker.workers w
                 where w.worker_uuid = p_worker_uuid and w.server_uuid is null and w.owner is not distinct from p_owner) then
    return '{"outcome": "unknown_worker"}';
  end if;
  select ns.name into v_namespace
  from tasker.worker_claims c
  join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid and s.state = 'in_progress' and s.handoffs = c.handoff
  join tasker.tasks t on t.task_uuid = s.task_uuid
  join tasker.named_tasks n on n.named_task_uuid = t.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = n.task_namespace_uuid
  where c.worker_uuid = p_worker_uuid and c.workflow_step_uuid = p_step_uuid;
  if not found then
    return '{"outcome": "not_claimed"}';
  end if;
  return jsonb_build_object('outcome', 'found', 'namespace', v_namespace, 'results', (
    select coalesce(jsonb_object_agg(d.step_name, d.results), '{}')
    from tasker.get_step_transitive_dependencies(p_step_uuid) d
    where d.step_name = any (p_names) and d.results is not null));
end
$$;
comment on function tasker.get_worker_step_results(uuid, text, uuid, text[]) is
  'The results of ancestors by name, of a step that an external worker holds.';
