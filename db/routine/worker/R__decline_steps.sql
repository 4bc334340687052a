-- Declines claimed steps that a worker cannot run: it lacks the handler, its handler lacks the
-- method, or its resolver finds no handler. Releases them as release_steps does, so that they use
-- no attempt, and excludes the worker from steps of those handlers until it registers anew. The
-- steps wait for a worker that has the handler.
-- p_steps: array of {step_uuid, task_uuid, handoff}; stale ones are left out. p_server_uuid: the
-- worker. Returns as evaluate_tasks.
-- Locks: tasks by uuid, then the worker's row, then the steps: a wait for a locked task does not
-- hold up the heartbeat.
create or replace function tasker.decline_steps(
  p_steps jsonb, p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_unable text[];
begin
  perform tasker.lock_tasks(
    (select array_agg(distinct r.task_uuid) from jsonb_to_recordset(p_steps) as r(task_uuid uuid)));
  select array_agg(distinct n.handler_key) into v_unable
  from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
  join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where s.state = 'in_progress' and s.handoffs = r.handoff;
  select array(select k.handler_key
               from unnest(w.unable || v_unable) as k(handler_key)
               group by 1
               order by 1) into v_unable
  from tasker.workers w
  where w.worker_uuid = p_server_uuid for no key update;
  update tasker.workers w
  set unable = v_unable, served_version = c.version,
      served = tasker.calculate_served_handlers(w.namespaces, w.handlers, w.resolvers, v_unable)
  from tasker.handler_catalog c
  where w.worker_uuid = p_server_uuid and w.unable is distinct from v_unable;
  return tasker.release_steps(p_steps, p_server_uuid, p_now, 'no_handler_on_this_worker');
end
$$;
comment on function tasker.decline_steps(jsonb, uuid, timestamptz) is
  'Declines claimed steps that a worker cannot run.';
