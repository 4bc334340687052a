-- The orchestrator's part of a completion: settles submitted steps. A success becomes complete; a
-- retryable failure with attempts left waits for its retry (or is cancelled, if a cancel was
-- requested); any other failure moves to error. The delay is the one that the failed service asked
-- for (get_retry_delay), else the template's backoff with ±15 % jitter.
-- Locks: the step rows; the caller holds the rows of their tasks. Steps in another state are left
-- out.
create or replace function tasker.settle_steps(
  p_step_uuids  uuid[],
  p_server_uuid uuid,
  p_now         timestamptz default null,
  out o_completed uuid[],
  out o_deltas    tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  with judged as (
    select s.workflow_step_uuid, s.state as from_state, r.outcome, r.error,
           case
             when tasker.outcome_ends_well(r.outcome) then 'complete'
             when r.outcome = 'retryable_failure' and tasker.may_be_retried(s) then
               case when t.cancel_requested_at is null then 'waiting_for_retry' else 'cancelled' end
             else 'error' end::tasker.step_state as to_state,
           coalesce(tasker.get_retry_delay(r.error),
                    tasker.calculate_backoff_delay(
                      s.attempts - s.attempts_before_reset, n.backoff_base_ms, n.backoff,
                      n.max_backoff_ms, (random() * 0.3 - 0.15)::numeric)) as delay_ms
    from tasker.workflow_steps s
    join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    join tasker.tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.workflow_step_uuid = any (p_step_uuids)
      and tasker.step_awaits_settlement(s.state)),
  moved as (
    update tasker.workflow_steps s
    set state = j.to_state,
        transition_count = s.transition_count + 1,
        completed_at = case when j.to_state <> 'waiting_for_retry' then v_now end,
        next_retry_at = case when j.to_state = 'waiting_for_retry' then
                               v_now + j.delay_ms * interval '1 millisecond' end,
        backoff_request_seconds
          = case when j.to_state = 'waiting_for_retry' then ceil(j.delay_ms / 1000.0)::int
                 else s.backoff_request_seconds end
    from judged j
    where s.workflow_step_uuid = j.workflow_step_uuid and s.state = j.from_state
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              s.next_retry_at, j.from_state, j.to_state, j.error),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, m.from_state, m.to_state,
           'orchestrator', m.handoffs, m.attempts, p_server_uuid,
           case when m.to_state = 'complete' then null
                else jsonb_strip_nulls(jsonb_build_object('error_type', m.error ->> 'type',
                                                          'next_retry_at', m.next_retry_at)) end
    from moved m),
  -- The task is evaluated when a retry is due, even if it also waits for something else.
  woken as (
    update tasker.task_wakeups w set wake_at = m.next_retry_at
    from (select m.task_uuid, min(m.next_retry_at) as next_retry_at
          from moved m
          where m.next_retry_at is not null
          group by m.task_uuid) m
    -- A difference, so that the planner avoids the index on wake_at and does not read all later
    -- wake-ups for each row.
    where w.task_uuid = any (array(select r.task_uuid from moved r))
      and w.task_uuid = m.task_uuid
      and w.wake_at - m.next_retry_at > interval '0')
  select coalesce(array_agg(m.workflow_step_uuid) filter (where m.to_state = 'complete'), '{}'),
         coalesce(array_agg((m.task_uuid, -1, case m.to_state when 'complete' then -1 else 0 end,
                             case m.to_state when 'error' then 1 else 0 end,
                             case m.to_state when 'waiting_for_retry' then 1
                                  else 0 end)::tasker.task_delta),
                  '{}') into o_completed, o_deltas
  from moved m;
end
$$;
comment on function tasker.settle_steps(uuid[], uuid, timestamptz) is
  'The orchestrator''s part of a completion: settles submitted steps.';
