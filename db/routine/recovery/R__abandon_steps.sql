-- Abandons the steps that a stopping server is still running: their leases end now, and recovery
-- and the orchestrator do in the same transaction what they would do after a lease, so that the
-- next attempt need not wait for the lease.
-- p_steps: array of {step_uuid, task_uuid, handoff}; leaves out stale ones. Returns as
-- evaluate_tasks.
-- Locks: tasks by uuid, then the steps.
create or replace function tasker.abandon_steps(
  p_steps jsonb, p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_tasks uuid[];
begin
  select array_agg(distinct r.task_uuid) into v_tasks
  from jsonb_to_recordset(p_steps) as r(task_uuid uuid);
  perform tasker.lock_tasks(v_tasks);
  update tasker.workflow_steps s set lease_expires_at = v_now
  from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int)
  where s.workflow_step_uuid = r.step_uuid and s.state = 'in_progress' and s.handoffs = r.handoff;
  perform tasker.recover_expired_steps(v_tasks, p_server_uuid, v_now);
  return tasker.evaluate_tasks(v_tasks, p_server_uuid, 0, 60, p_now);
end
$$;
comment on function tasker.abandon_steps(jsonb, uuid, timestamptz) is
  'Abandons the steps that a stopping server is still running.';
