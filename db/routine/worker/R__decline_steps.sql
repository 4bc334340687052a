-- A server gives back steps that it was given and has no handler for. Where another server has it, the step goes back
-- unstarted as by release_steps, spends no attempt, and this server takes no more of its kind; where no server has it,
-- the step stays in progress and its worker is to fail it (handler_not_found).
-- p_steps: array of {step_uuid, task_uuid, handoff}; stale ones are left out. Returns as evaluate_tasks, with the steps
-- that no server has the handler of as "unserved".
-- Locks: tasks by uuid, then the server's row, then the steps; a task that is locked for long keeps no heartbeat waiting.
create or replace function tasker.decline_steps(p_steps jsonb, p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_tasks     uuid[];
  v_missing   text[];
  v_elsewhere jsonb;
  v_returned  jsonb;
  v_unserved  jsonb;
begin
  select array_agg(distinct r.task_uuid) into v_tasks from jsonb_to_recordset(p_steps) as r(task_uuid uuid);
  perform tasker.lock_tasks(v_tasks);
  select array_agg(distinct n.handler_key) into v_missing
  from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
  join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where s.state = 'in_progress' and s.handoffs = r.handoff;
  perform tasker.refresh_handlers_elsewhere(p_server_uuid, v_missing, p_now);
  v_elsewhere := coalesce(tasker.get_handlers_elsewhere(p_server_uuid), '{}');

  select jsonb_agg(jsonb_build_object('step_uuid', r.step_uuid, 'task_uuid', r.task_uuid, 'handoff', r.handoff)) filter (where h.is_elsewhere),
         jsonb_agg(r.step_uuid) filter (where not h.is_elsewhere)
    into v_returned, v_unserved
  from jsonb_to_recordset(p_steps) as r(step_uuid uuid, task_uuid uuid, handoff int)
  join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  cross join lateral (select coalesce(v_elsewhere -> ns.name::text ? n.handler_key, false) as is_elsewhere) h
  where s.state = 'in_progress' and s.handoffs = r.handoff;

  return coalesce(tasker.release_steps(v_returned, p_server_uuid, p_now, 'no_handler_on_this_server'),
                  '{"claimed_steps": [], "queued": [], "ended": []}')
         || jsonb_build_object('unserved', coalesce(v_unserved, '[]'));
end
$$;
comment on function tasker.decline_steps(jsonb, uuid, timestamptz) is
  'A server gives back steps that it was given and has no handler for.';
