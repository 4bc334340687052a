-- Releases claimed steps that have not started, for example when a server shuts down: pending
-- again, and offered again at once by the next handoff; cancelled instead when a cancel was
-- requested. The next handoff has a new handoff number and reuses the attempt number.
-- p_steps: array of {step_uuid, task_uuid, handoff}. The history stores p_reason. Returns as
-- evaluate_tasks. Leaves out stale ones.
-- Locks: tasks by uuid, then the steps.
create or replace function tasker.release_steps(
  p_steps jsonb, p_server_uuid uuid, p_now timestamptz default null,
  p_reason text default 'released_before_start')
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now   timestamptz;
  v_tasks uuid[];
  v_moved uuid[];
begin
  select array_agg(distinct r.task_uuid) into v_tasks
  from jsonb_to_recordset(p_steps) as r(task_uuid uuid);
  perform tasker.lock_tasks(v_tasks);
  v_now := coalesce(p_now, clock_timestamp());
  select m.o_moved into v_moved
  from tasker.apply_step_moves(
    (select array_agg((r.step_uuid, r.handoff, 'in_progress', 'pending', 'worker',
                       jsonb_build_object('reason', p_reason), null, null, null, null,
                       null)::tasker.step_move)
     from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)),
    p_server_uuid, v_now, true) m;
  perform tasker.apply_step_moves(
    (select array_agg((s.workflow_step_uuid, s.handoffs, 'pending', 'cancelled', 'orchestrator',
                       jsonb_build_object('reason', p_reason), null, null, null, null,
                       null)::tasker.step_move)
     from tasker.workflow_steps s
     join tasker.tasks t on t.task_uuid = s.task_uuid and t.cancel_requested_at is not null
     where s.workflow_step_uuid = any (v_moved)),
    p_server_uuid, v_now, true);
  return tasker.evaluate_tasks(v_tasks, p_server_uuid, 0, 60, p_now);
end
$$;
comment on function tasker.release_steps(jsonb, uuid, timestamptz, text) is
  'Releases claimed steps that have not started.';
