-- Ends a step that the engine completes itself: pending to complete with p_result, or to error with p_error. A failure is counted on
-- the task at once, because it decides which other steps of the task may start.
-- Locks: the step; the caller holds its task. Returns what the caller has to roll up. Source: design section 13.
create or replace function tasker.end_automatic_step(
  p_step_uuid uuid, p_result jsonb, p_error jsonb, p_server_uuid uuid, p_now timestamptz)
returns tasker.task_delta
language plpgsql
set search_path = ''
as $$
declare
  v_step record;
begin
  update tasker.workflow_steps s
  set state = case when p_error is null then 'complete' else 'error' end::tasker.step_state, remaining_parents = 0,
      transition_count = s.transition_count + 1, result_sort_key = s.transition_count + 1, completed_at = p_now,
      last_failure_at = case when p_error is null then s.last_failure_at else p_now end
  where s.workflow_step_uuid = p_step_uuid and s.state = 'pending'
  returning s.task_uuid, s.handoffs, s.attempts, s.transition_count, s.state into strict v_step;
  insert into tasker.workflow_step_result_audit
    (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome, result, error)
  values (p_step_uuid, v_step.transition_count, v_step.task_uuid, p_server_uuid, p_now, v_step.handoffs, v_step.attempts,
          case when p_error is null then 'success' else 'permanent_failure' end::tasker.step_outcome, p_result, p_error);
  insert into tasker.workflow_step_transitions
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid, metadata)
  values (p_step_uuid, v_step.transition_count, v_step.task_uuid, 'pending', v_step.state, 'orchestrator', v_step.handoffs, v_step.attempts,
          p_server_uuid, case when p_error is not null then jsonb_build_object('error_type', p_error ->> 'type') end);
  if p_error is null then
    return (v_step.task_uuid, 0, -1, 0, 0)::tasker.task_delta;
  end if;
  update tasker.tasks t set failed_steps = t.failed_steps + 1 where t.task_uuid = v_step.task_uuid;
  return (v_step.task_uuid, 0, 0, 0, 0)::tasker.task_delta;
end
$$;
comment on function tasker.end_automatic_step(uuid, jsonb, jsonb, uuid, timestamptz) is
  'Ends a step that the engine completes itself: pending to complete with p_result, or to error with p_error.';
