-- Releases claimed steps that have not started, for example when a server shuts down: pending
-- again, and offered again at once by the next handoff; cancelled instead when a cancel was
-- requested. The next handoff has a new handoff number and reuses the attempt number.
-- p_steps: array of {step_uuid, task_uuid, handoff}. The history stores p_reason. Returns as
-- evaluate_tasks. Leaves out stale ones.
-- Locks: tasks by uuid, then the steps. Source: design section 3, attune.md W8.
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
  v_tasks uuid[];
begin
  select array_agg(distinct r.task_uuid) into v_tasks
  from jsonb_to_recordset(p_steps) as r(task_uuid uuid);
  perform tasker.lock_tasks(v_tasks);
  with moved as (
    update tasker.workflow_steps s
    set state = case when t.cancel_requested_at is null then 'pending'
                     else 'cancelled' end::tasker.step_state,
        transition_count = s.transition_count + 1 + (t.cancel_requested_at is not null)::int,
        lease_expires_at = null,
        completed_at
          = case when t.cancel_requested_at is not null then coalesce(p_now, clock_timestamp()) end,
        attempts = s.attempts - 1
    from jsonb_to_recordset(p_steps) as r(step_uuid uuid, handoff int), tasker.tasks t
    where s.workflow_step_uuid = r.step_uuid
      and s.state = 'in_progress'
      and s.handoffs = r.handoff
      and t.task_uuid = s.task_uuid
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              s.state),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count - (m.state = 'cancelled')::int, m.task_uuid,
           'in_progress'::tasker.step_state, 'pending'::tasker.step_state, 'worker'::tasker.actor,
           m.handoffs, m.attempts + 1, p_server_uuid, jsonb_build_object('reason', p_reason)
    from moved m
    union all
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'pending', 'cancelled',
           'orchestrator', m.handoffs, m.attempts, p_server_uuid,
           jsonb_build_object('reason', p_reason)
    from moved m
    where m.state = 'cancelled')
  update tasker.tasks t set in_flight_steps = t.in_flight_steps - m.steps
  from (select m.task_uuid, count(*)::int as steps from moved m group by m.task_uuid) m
  where t.task_uuid = m.task_uuid;
  return tasker.evaluate_tasks(v_tasks, p_server_uuid, 0, 60, p_now);
end
$$;
comment on function tasker.release_steps(jsonb, uuid, timestamptz, text) is
  'Releases claimed steps that have not started.';
