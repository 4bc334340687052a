-- The result submission: the worker's part of a completion. Compares state and handoff; stores the
-- result; moves the step to a submitted state or, where p_settle allows it for plain successes,
-- straight through to complete (both moves are in the history).
-- p_results: array of {step_uuid, task_uuid, handoff, outcome, result?, error?,
-- execution_time_ms?}; outcome as complete_steps checks it, without yielded. A cancelled outcome
-- without a cancel request counts as a permanent failure. error: {type, message, delay_ms?, ...}.
-- Locks: the step rows; with p_settle the caller holds their tasks. A stale caller changes nothing
-- and is recognized by its absence from the result.
create or replace function tasker.submit_results(
  p_results     jsonb,
  p_server_uuid uuid,
  p_settle      boolean,
  p_now         timestamptz default null,
  out o_completed uuid[],
  out o_failed    uuid[],
  out o_cancelled uuid[],
  out o_submitted tasker.step_handoff[],
  out o_deltas    tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  with given as (
    select r.step_uuid, r.task_uuid, r.handoff, r.result, r.execution_time_ms, r.is_time_measured,
           case when c.was_not_asked_for then 'permanent_failure' else r.outcome end as outcome,
           case
             when c.was_not_asked_for then jsonb_build_object(
               'type', 'UnrequestedCancel',
               'message', 'the handler reported that it was cancelled, but no cancel was requested')
             when r.outcome in ('retryable_failure', 'permanent_failure') then coalesce(
               r.error,
               jsonb_build_object('type', 'Unknown', 'message', 'the worker gave no reason'))
             else r.error end as error
    from jsonb_to_recordset(
      p_results) as r(step_uuid uuid, task_uuid uuid, handoff int, outcome tasker.step_outcome,
                      result jsonb, error jsonb, execution_time_ms bigint, is_time_measured boolean)
    cross join lateral (
      select r.outcome = 'cancelled'
             and not exists (select from tasker.tasks t
                             where t.task_uuid = r.task_uuid
                               and t.cancel_requested_at is not null) as was_not_asked_for) c),
  moved as (
    update tasker.workflow_steps s
    set state = case
          when tasker.outcome_ends_well(g.outcome) and p_settle then 'complete'
          when tasker.outcome_ends_well(g.outcome) then 'enqueued_for_orchestration'
          when g.outcome = 'cancelled' then 'cancelled'
          else 'enqueued_as_error_for_orchestration' end::tasker.step_state,
        transition_count
          = s.transition_count
            + case when tasker.outcome_ends_well(g.outcome) and p_settle then 2 else 1 end,
        result_sort_key = s.transition_count + 1,
        lease_expires_at = null,
        completed_at = case
          when (tasker.outcome_ends_well(g.outcome) and p_settle) or g.outcome = 'cancelled' then
            v_now end,
        last_failure_at
          = case when g.outcome in ('retryable_failure', 'permanent_failure') then v_now
                 else s.last_failure_at end
    from given g
    where s.workflow_step_uuid = g.step_uuid
      and s.task_uuid = g.task_uuid
      and s.state = 'in_progress'
      and s.handoffs = g.handoff
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.state, s.result_sort_key,
              s.transition_count, coalesce(s.publishes_events, false) as may_publish, g.outcome,
              g.result, g.error, g.execution_time_ms, g.is_time_measured),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, execution_time_ms,
       handoff, attempt, outcome, result, error, may_publish, is_time_measured)
    select m.workflow_step_uuid, m.result_sort_key, m.task_uuid, p_server_uuid, v_now,
           m.execution_time_ms, m.handoffs, m.attempts, m.outcome, m.result, m.error, m.may_publish,
           m.is_time_measured
    from moved m),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
       processor_uuid)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'in_progress', m.state,
           case m.state when 'complete' then 'orchestrator'::tasker.actor else 'worker' end,
           case m.state when 'complete' then 'completed_at_once'::tasker.step_path_name end,
           m.handoffs, m.attempts, p_server_uuid
    from moved m)
  select coalesce(array_agg(m.workflow_step_uuid) filter (where m.state = 'complete'), '{}'),
         coalesce(array_agg(m.workflow_step_uuid)
                    filter (where m.state = 'enqueued_as_error_for_orchestration'),
                  '{}'),
         coalesce(array_agg(m.workflow_step_uuid) filter (where m.state = 'cancelled'), '{}'),
         coalesce(array_agg((m.workflow_step_uuid, m.task_uuid, m.handoffs, false, null, 0, null,
                             null, m.attempts, null)::tasker.step_handoff)
                    filter (where tasker.step_awaits_settlement(m.state)),
                  '{}'),
         coalesce(array_agg(
                    (m.task_uuid, -1, case m.state when 'complete' then -1 else 0 end, 0,
                     0)::tasker.task_delta) filter (where m.state in ('complete', 'cancelled')),
                  '{}') into o_completed, o_failed, o_cancelled, o_submitted, o_deltas
  from moved m;
end
$$;
comment on function tasker.submit_results(jsonb, uuid, boolean, timestamptz) is
  'The result submission: the worker''s part of a completion.';
