-- Ends steps that found a fail_fast policy full at their first handoff: error, with a result that
-- names the limit. Counts the failure at once, because it decides which other steps of the task may
-- start; the caller rolls up the task.
-- Locks: the steps; the caller holds their tasks. Source: ADR 0013.
create or replace function tasker.refuse_steps(
  p_step_uuids uuid[], p_reasons text[], p_server_uuid uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
  with moved as (
    update tasker.workflow_steps s
    set state = 'error', transition_count = s.transition_count + 1,
        completed_at = clock_timestamp(),
        result_sort_key = s.transition_count + 1, last_failure_at = clock_timestamp()
    from unnest(p_step_uuids, p_reasons) as r(step_uuid, reason)
    where s.workflow_step_uuid = r.step_uuid and s.state = 'pending'
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              r.reason),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, handoff, attempt, outcome, error)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, p_server_uuid, m.handoffs,
           m.attempts, 'permanent_failure',
           jsonb_build_object('type', 'concurrency_limit', 'message', m.reason)
    from moved m),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'pending', 'error',
           'orchestrator', m.handoffs, m.attempts, p_server_uuid,
           jsonb_build_object('error_type', 'concurrency_limit')
    from moved m)
  update tasker.tasks t set failed_steps = t.failed_steps + m.steps
  from (select m.task_uuid, count(*)::int as steps from moved m group by m.task_uuid) m
  where t.task_uuid = m.task_uuid;
  perform tasker.recount_batches(
    array(select distinct s.task_uuid
          from tasker.workflow_steps s
          where s.workflow_step_uuid = any (p_step_uuids) and s.batch_step_uuid is not null));
end
$$;
comment on function tasker.refuse_steps(uuid[], text[], uuid) is
  'Ends steps that found a fail_fast policy full at their first handoff.';
