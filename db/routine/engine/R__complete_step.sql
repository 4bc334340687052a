-- Completes one successful step: what complete_steps does for a call with a single result, with statements for single rows. Setting up a
-- statement for many rows costs several times what it does for one row, and most calls of a quiet installation bring one result.
-- p_result: one element of p_results of complete_steps, with outcome success.
-- What takes part in nothing but the ordinary course is written here: the step, its result, the handoff of its only child to the caller, the
-- counters and the end of the task. Everything else (several children, limits, pauses, failures, cancels, a worker that serves
-- some handlers only) is left to advance_tasks, in the same transaction. A test compares the rows that both ways leave.
-- Returns o_is_accepted false when the result is refused, or is that of a decision, a batchable step or the worker of a batch; nothing has changed then. The others: see advance_tasks.
-- Locks: the task, the step, its child. Source: design sections 3 and 16; ADR 0034.
create or replace function tasker.complete_step(
  p_result jsonb, p_server_uuid uuid, p_claim_limit int, p_lease_seconds int, p_now timestamptz,
  out o_is_accepted boolean, out o_claimed uuid[], out o_queued text[], out o_ended jsonb, out o_next_retry_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_given     record;
  v_task      record;
  v_step      record;
  v_children  record;
  v_child     record;
  v_advance   record;
  v_hands_off boolean := false;
  v_is_leaf   boolean := false;
begin
  o_is_accepted := false;
  o_claimed := '{}';
  o_queued := '{}';
  o_ended := '[]';
  if p_result ? 'decision' or p_result ? 'batches' then
    return;
  end if;
  select r.* into v_given
  from jsonb_to_record(p_result) as r(step_uuid uuid, task_uuid uuid, handoff int, result jsonb, error jsonb, execution_time_ms bigint);
  select t.state, t.unfinished_steps, t.in_flight_steps, t.transition_count, t.correlation_id,
         t.state = 'steps_in_process' and t.cancel_requested_at is null and t.failed_steps = 0 and t.retrying_steps = 0 and t.compensation is null as is_ordinary
    into v_task
  from tasker.tasks t where t.task_uuid = v_given.task_uuid for no key update;
  if not found then
    return;
  end if;
  if v_task.is_ordinary then
    -- One row where there are children, with what must be known of the first of them and of the caller.
    select c.workflow_step_uuid, count(*) over () as number,
           c.remaining_parents = 1 and c.state = 'pending' and not c.is_limited and not c.is_automatic and p_claim_limit > 0
             -- null: the worker serves everything.
             and (w.worker_uuid is null or w.served is null and w.served_version = (select h.version from tasker.handler_catalog h))
             and not exists (select from tasker.template_pauses) as is_ready
      into v_children
    from tasker.workflow_step_edges e
    join tasker.workflow_steps c on c.workflow_step_uuid = e.to_step_uuid
    left join tasker.workers w on w.worker_uuid = p_server_uuid
    where e.from_step_uuid = v_given.step_uuid
    limit 1;
    v_hands_off := v_children.number = 1 and v_children.is_ready;
    v_is_leaf := v_children.number is null;
  end if;

  update tasker.workflow_steps s
  set state = 'complete', transition_count = s.transition_count + 2, result_sort_key = s.transition_count + 1, lease_expires_at = null,
      completed_at = v_now
  where s.workflow_step_uuid = v_given.step_uuid and s.task_uuid = v_given.task_uuid
    and s.state = 'in_progress' and s.handoffs = v_given.handoff and not s.is_decision and s.is_batchable is null and s.batch_step_uuid is null
  returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.result_sort_key, coalesce(s.publishes_events, false) as may_publish into v_step;
  if not found then
    return;
  end if;
  o_is_accepted := true;
  insert into tasker.workflow_step_result_audit
    (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, execution_time_ms, handoff, attempt, outcome, result, error, may_publish)
  values (v_step.workflow_step_uuid, v_step.result_sort_key, v_step.task_uuid, p_server_uuid, v_now, v_given.execution_time_ms,
          v_step.handoffs, v_step.attempts, 'success', v_given.result, v_given.error, v_step.may_publish);

  if v_hands_off then
    update tasker.workflow_steps s
    set state = 'in_progress', handoffs = s.handoffs + 1, attempts = s.attempts + 1, remaining_parents = 0,
        transition_count = s.transition_count + 2, enqueued_at = v_now, last_attempted_at = v_now,
        lease_expires_at = v_now + p_lease_seconds * interval '1 second', leased_by = p_server_uuid, next_retry_at = null
    where s.workflow_step_uuid = v_children.workflow_step_uuid
    returning s.workflow_step_uuid, s.handoffs, s.attempts, s.transition_count into v_child;
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid)
    values
      (v_step.workflow_step_uuid, v_step.result_sort_key, v_step.task_uuid, 'in_progress', 'enqueued_for_orchestration', 'worker',
       v_step.handoffs, v_step.attempts, p_server_uuid),
      (v_step.workflow_step_uuid, v_step.result_sort_key + 1, v_step.task_uuid, 'enqueued_for_orchestration', 'complete', 'orchestrator',
       v_step.handoffs, v_step.attempts, p_server_uuid),
      (v_child.workflow_step_uuid, v_child.transition_count - 1, v_step.task_uuid, 'pending', 'enqueued', 'orchestrator',
       v_child.handoffs, v_child.attempts, p_server_uuid),
      (v_child.workflow_step_uuid, v_child.transition_count, v_step.task_uuid, 'enqueued', 'in_progress', 'worker',
       v_child.handoffs, v_child.attempts, p_server_uuid);
    -- One step in flight less, and one more.
    update tasker.tasks t set unfinished_steps = t.unfinished_steps - 1 where t.task_uuid = v_step.task_uuid;
    o_claimed := array[v_child.workflow_step_uuid];
    return;
  end if;

  insert into tasker.workflow_step_transitions
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid)
  values
    (v_step.workflow_step_uuid, v_step.result_sort_key, v_step.task_uuid, 'in_progress', 'enqueued_for_orchestration', 'worker',
     v_step.handoffs, v_step.attempts, p_server_uuid),
    (v_step.workflow_step_uuid, v_step.result_sort_key + 1, v_step.task_uuid, 'enqueued_for_orchestration', 'complete', 'orchestrator',
     v_step.handoffs, v_step.attempts, p_server_uuid);
  if v_is_leaf and v_task.unfinished_steps = 1 then
    update tasker.tasks t
    set unfinished_steps = 0, in_flight_steps = 0, state = 'complete', completed_at = v_now, transition_count = t.transition_count + 2
    where t.task_uuid = v_step.task_uuid;
    insert into tasker.task_transitions (task_uuid, sort_key, from_state, to_state, actor, processor_uuid)
    values (v_step.task_uuid, v_task.transition_count + 1, 'steps_in_process', 'evaluating_results', 'orchestrator', p_server_uuid),
           (v_step.task_uuid, v_task.transition_count + 2, 'evaluating_results', 'complete', 'orchestrator', p_server_uuid);
    delete from tasker.task_wakeups w where w.task_uuid = v_step.task_uuid;
    o_ended := jsonb_build_array(jsonb_build_object('task_uuid', v_step.task_uuid, 'state', 'complete', 'correlation_id', v_task.correlation_id));
  elsif v_is_leaf and v_task.in_flight_steps > 1 then
    update tasker.tasks t set unfinished_steps = t.unfinished_steps - 1, in_flight_steps = t.in_flight_steps - 1
    where t.task_uuid = v_step.task_uuid;
  else
    v_advance := tasker.advance_tasks(
      array[v_step.workflow_step_uuid], '{}', array[(v_step.task_uuid, -1, -1, 0, 0)::tasker.task_delta], p_server_uuid, p_claim_limit,
      p_lease_seconds, p_now);
    o_claimed := v_advance.o_claimed;
    o_queued := v_advance.o_queued;
    o_ended := v_advance.o_ended;
    o_next_retry_at := v_advance.o_next_retry_at;
  end if;
end
$$;
comment on function tasker.complete_step(jsonb, uuid, int, int, timestamptz) is
  'Completes one successful step, with statements for single rows.';
