-- Moves one step from one state to another if it is still in the first and p_handoff is its latest
-- handoff, and lets its task follow: counters, wake-up, children and their handoff, the task's own
-- state. False when the step does not exist, is in another state, has a later handoff, or may not
-- move now (task finished, cancelled, blocked, paused or not yet validated, parents not done, retry
-- not due, lease not expired, offer not overdue, handler not served, all slots of its batch taken,
-- a step that follows from it already under way): a lost race, and an ordinary outcome.
-- After a move by an operator the same transaction evaluates the task: hands off the steps that
-- became ready, and ends the task if it can end. A handoff (to enqueued) assigns the next numbers
-- and sends the message. The history stores p_metadata (its member decision is the choice of a
-- decision, batches the cursors of a batchable step, new_idempotency_token what
-- move_steps_by_operator makes of it), except for members with a column of their own: result, error
-- and outcome (retryable_failure | permanent_failure) of a result submission or a manual
-- completion, lease_seconds of a claim (default 60), delay_ms of a wait for a retry (default: the
-- template's).
-- Locks: the task, then the step. Errors: TK005 when the rules or the number of attempts do not
-- allow the move, TK007 when a state or the actor is unknown, delay_ms is none, or
-- new_idempotency_token is neither true nor false.
-- For manual use: the engine's functions do the same for many steps at once.
create or replace function tasker.transition_step_state_atomic(
  p_step_uuid      uuid,
  p_handoff        int,
  p_from_state     varchar,
  p_to_state       varchar,
  p_actor          varchar,
  p_processor_uuid uuid,
  p_metadata       jsonb default '{}')
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := clock_timestamp();
  v_unknown  text;
  v_from     tasker.step_state;
  v_to       tasker.step_state;
  v_task     tasker.tasks;
  v_step     tasker.workflow_steps;
  v_outcome  tasker.step_outcome;
  v_error    jsonb := p_metadata -> 'error';
  v_delay_ms bigint;
  v_delta    tasker.task_delta;
  v_is_given_back boolean;
  v_complaint text;
begin
  select string_agg(coalesce(w.word, 'null'), ', ') into v_unknown
  from (values (p_from_state::text, enum_range(null::tasker.step_state)::text[]),
               (p_to_state, enum_range(null::tasker.step_state)::text[]),
               (p_actor, enum_range(null::tasker.actor)::text[])) as w(word, known)
  where w.word is null or not w.word = any (w.known);
  if v_unknown is not null then
    raise exception 'not a step state or an actor: %', v_unknown using errcode = 'TK007';
  end if;
  if not exists (select from tasker.workflow_step_transition_rules r
                 where r.from_state::text = p_from_state
                   and r.to_state::text = p_to_state
                   and r.actor::text = p_actor) then
    raise exception 'a step may not move from % to % by %', p_from_state, p_to_state, p_actor
      using errcode = 'TK005';
  end if;
  if p_metadata ->> 'delay_ms' is not null and tasker.get_retry_delay(p_metadata) is null then
    raise exception 'delay_ms must be a number from 0 to 315360000000, not %',
      p_metadata -> 'delay_ms'
      using errcode = 'TK007';
  end if;
  if jsonb_typeof(p_metadata -> 'new_idempotency_token') <> 'boolean' then
    raise exception 'new_idempotency_token must be true or false, not %',
      p_metadata -> 'new_idempotency_token'
      using errcode = 'TK007';
  end if;
  v_from := p_from_state;
  v_to := p_to_state;

  -- The task first, as everywhere; then the step, which a worker may be claiming.
  select t.* into v_task
  from tasker.tasks t
  where t.task_uuid
      = (select s.task_uuid from tasker.workflow_steps s where s.workflow_step_uuid = p_step_uuid)
  for no key update;
  select s.* into v_step
  from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid for no key update;
  if v_step.state is distinct from v_from
     or v_step.handoffs is distinct from p_handoff
     or v_task.completed_at is not null
     -- A task that is being compensated consists of its compensation.
     or (v_task.compensation is not null and v_step.compensates_step_uuid is null) then
    return false;
  end if;
  -- Recovery may move a step only after its lease has expired.
  if p_actor = 'recovery' and v_step.lease_expires_at > v_now then
    return false;
  end if;
  -- And an offer only when it is overdue, as recover_unclaimed_offers judges it.
  if p_actor = 'recovery'
     and v_from = 'enqueued'
     and not exists (
       select from tasker.unclaimed_offers o
       where o.task_uuid = v_task.task_uuid
         and o.workflow_step_uuid = p_step_uuid
         and o.handoff = p_handoff
         and o.due_at <= v_now
       union all
       select from tasker.named_tasks_named_steps n
       where n.named_step_uuid = v_step.named_step_uuid
         and v_step.enqueued_at + n.queue_timeout_seconds * interval '1 second' <= v_now) then
    return false;
  end if;
  if tasker.step_is_handed_off(v_to)
     and (v_task.cancel_requested_at is not null
          or not v_task.context_checked
          or v_step.remaining_parents > 0
          or v_step.next_retry_at > v_now
          or (v_to = 'enqueued' and v_task.failed_steps > 0 and not v_task.continue_on_error)
          or (v_to = 'enqueued'
              and exists (select from tasker.template_pauses p
                          where p.named_task_uuid = v_task.named_task_uuid))) then
    return false;
  end if;
  -- A step without a handler is never handed off: the engine completes it once it is ready.
  if v_from = 'pending'
     and v_to in ('enqueued', 'complete')
     and p_actor = 'orchestrator'
     and v_step.is_automatic then
    if v_to = 'complete' and v_step.remaining_parents = 0 then
      perform tasker.evaluate_tasks(array[v_task.task_uuid], p_processor_uuid, 0, 60, v_now);
    end if;
    return v_to = 'complete'
      and exists (select from tasker.workflow_steps s
                  where s.workflow_step_uuid = p_step_uuid and s.state = 'complete');
  end if;
  if v_from = 'pending' and v_to = 'complete' and p_actor = 'orchestrator' then
    raise exception 'step % has a handler, and is completed by its result', p_step_uuid
      using errcode = 'TK005';
  end if;
  if v_step.is_decision
     and (v_to = 'enqueued_for_orchestration' or (v_to = 'complete' and p_actor = 'operator')) then
    v_complaint := tasker.check_decision(p_step_uuid, p_metadata -> 'decision');
    if v_complaint is not null then
      raise exception 'step % cannot decide: %', p_step_uuid, v_complaint using errcode = 'TK005';
    end if;
  end if;
  if v_step.is_batchable
     and (v_to = 'enqueued_for_orchestration' or (v_to = 'complete' and p_actor = 'operator')) then
    v_complaint := tasker.check_batches(v_step.named_step_uuid, p_metadata -> 'batches');
    if v_complaint is not null then
      raise exception 'step % makes no batches: %', p_step_uuid, v_complaint
        using errcode = 'TK005';
    end if;
  end if;
  if v_to = 'enqueued'
     and v_step.batch_step_uuid is not null
     and tasker.admit_batch_workers(array[p_step_uuid]) = '{}' then
    return false;
  end if;
  -- A worker claims only what it serves.
  if v_to = 'in_progress' and not coalesce((
       select tasker.get_served_handlers(p_processor_uuid) -> ns.name::text ? n.handler_key
       from tasker.named_tasks_named_steps n
       join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
       join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
       where n.named_step_uuid = v_step.named_step_uuid), true) then
    return false;
  end if;
  if v_to = 'enqueued'
     and v_step.is_limited
     and cardinality(tasker.admit_steps(array[p_step_uuid], p_processor_uuid, v_now)) = 0 then
    -- It waits in line now, or a fail_fast policy has ended it.
    perform tasker.roll_up_task_states(
      array[(v_task.task_uuid, 0, 0, 0, 0)::tasker.task_delta], p_processor_uuid, v_now);
    return false;
  end if;
  -- As in settle_steps: such a failure is permanent, and only an operator resets the step.
  if v_to = 'waiting_for_retry'
     and p_actor <> 'worker'
     and exists (select from tasker.workflow_step_result_audit r
                 where r.workflow_step_uuid = p_step_uuid
                   and r.sort_key = v_step.result_sort_key
                   and r.outcome = 'permanent_failure') then
    raise exception 'step % failed permanently and may not be tried again by %', p_step_uuid,
      p_actor
      using errcode = 'TK005';
  end if;
  if v_to = 'cancelled' and v_task.cancel_requested_at is null then
    raise exception 'step % cannot be cancelled: its task has no cancel request (request_cancel)',
      p_step_uuid
      using errcode = 'TK005';
  end if;
  if ((v_to = 'waiting_for_retry' and p_actor <> 'worker')
      or (v_to = 'pending' and p_actor = 'recovery'))
     and not tasker.may_be_retried(v_step) then
    raise exception 'step % may not be tried again: % of % attempts made, retryable %', p_step_uuid,
      v_step.attempts - v_step.attempts_before_reset, v_step.max_attempts, v_step.retryable
      using errcode = 'TK005';
  end if;
  if p_actor = 'operator' then
    -- A task that is being cancelled starts no step, not even for an operator.
    if v_to = 'pending' and v_task.cancel_requested_at is not null then
      return false;
    end if;
    -- A done step runs again only before what follows from it; retry_from_step starts that again as
    -- well.
    if v_to = 'pending'
       and exists (
         select from tasker.get_child_steps(p_step_uuid) c
         where tasker.step_is_in_flight(c.state) or c.state = 'waiting_for_retry') then
      return false;
    end if;
    perform tasker.move_steps_by_operator(
      v_task.task_uuid, array[p_step_uuid], v_to,
      p_metadata - array['result', 'error', 'outcome', 'lease_seconds', 'delay_ms'],
      p_metadata -> 'result', p_processor_uuid, v_now);
    perform tasker.evaluate_tasks(array[v_task.task_uuid], p_processor_uuid, 0, 60, v_now);
    return true;
  end if;

  -- A submitted result is stored: settling, successors and the audit read it.
  v_outcome := case
    when v_to = 'enqueued_for_orchestration' then 'success'
    when v_to = 'enqueued_as_error_for_orchestration'
      and p_metadata ->> 'outcome' = 'permanent_failure' then 'permanent_failure'
    when v_to = 'enqueued_as_error_for_orchestration' then 'retryable_failure'
    when v_to = 'cancelled' and v_from = 'in_progress' then 'cancelled'
    when v_to = 'error' and p_actor = 'recovery' then 'retryable_failure'
    when v_to = 'error' and v_from = 'pending' then 'permanent_failure' end;
  if v_outcome in ('retryable_failure', 'permanent_failure') and v_error is null then
    v_error := jsonb_build_object(
      'type', 'Unknown', 'message', coalesce(p_metadata ->> 'reason', 'no reason was given'));
  end if;
  if v_to = 'waiting_for_retry' then
    select coalesce(tasker.get_retry_delay(p_metadata), tasker.get_retry_delay(v_error),
                    tasker.calculate_backoff_delay(
                      v_step.attempts - v_step.attempts_before_reset, n.backoff_base_ms, n.backoff,
                      n.max_backoff_ms, (random() * 0.3 - 0.15)::numeric)) into v_delay_ms
    from tasker.named_tasks_named_steps n
    where n.named_step_uuid = v_step.named_step_uuid;
  end if;

  -- As in release_steps, yield_steps and request_cancel: the next handoff has a new handoff number
  -- and reuses the attempt number.
  v_is_given_back := (tasker.step_awaits_handoff(v_to) and p_actor = 'worker')
    or (v_to = 'cancelled' and v_from = 'enqueued');

  with moved as (
    update tasker.workflow_steps s
    set state = v_to,
        transition_count = s.transition_count + 1,
        handoffs = s.handoffs + (v_to = 'enqueued')::int,
        attempts = s.attempts + (v_to = 'enqueued')::int - v_is_given_back::int,
        enqueued_at = case when v_to = 'enqueued' then v_now else s.enqueued_at end,
        last_attempted_at = case when v_to = 'in_progress' then v_now else s.last_attempted_at end,
        lease_expires_at
          = case when v_to = 'in_progress' then v_now
                   + coalesce((p_metadata ->> 'lease_seconds')::int, 60) * interval '1 second' end,
        leased_by = case when v_to = 'in_progress' then p_processor_uuid else s.leased_by end,
        next_retry_at = case
          when v_to = 'waiting_for_retry' then v_now + v_delay_ms * interval '1 millisecond' end,
        backoff_request_seconds
          = case when v_to = 'waiting_for_retry' then ceil(v_delay_ms / 1000.0)::int
                 else s.backoff_request_seconds end,
        completed_at = case when tasker.step_has_ended(v_to) then v_now end,
        last_failure_at = case when v_outcome in ('retryable_failure', 'permanent_failure')
                                 or p_actor = 'recovery' then v_now
                               else s.last_failure_at end,
        result_sort_key
          = case when v_outcome is not null then s.transition_count + 1 else s.result_sort_key end
    where s.workflow_step_uuid = p_step_uuid and s.state = v_from and s.handoffs = p_handoff
    returning s.*),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome,
       result, error)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, p_processor_uuid, v_now,
           m.handoffs, m.attempts, v_outcome, p_metadata -> 'result', v_error
    from moved m
    where v_outcome is not null),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, v_from, v_to,
           p_actor::tasker.actor, m.handoffs, m.attempts + v_is_given_back::int, p_processor_uuid,
           nullif(p_metadata - array['result', 'error', 'outcome', 'lease_seconds', 'delay_ms'],
                  '{}')
    from moved m),
  counted as (
    select u.state, w.*
    from unnest(array[v_from, v_to]) as u(state)
    cross join lateral tasker.weigh_step_state(u.state) w)
  select m.task_uuid, a.in_flight - b.in_flight, a.unfinished - b.unfinished, a.failed - b.failed,
         a.retrying - b.retrying into v_delta
  from moved m
  join counted b on b.state = v_from
  join counted a on a.state = v_to;

  if v_step.is_batchable and v_to = 'enqueued_for_orchestration' then
    perform tasker.record_batches(
      jsonb_build_array(jsonb_build_object('step_uuid', p_step_uuid, 'handoff', p_handoff,
                                           'outcome', 'success',
                                           'batches', p_metadata -> 'batches')),
      array[p_step_uuid], v_now);
  end if;
  if v_step.batch_step_uuid is not null and v_to <> 'complete' then
    perform tasker.count_failures(array[v_delta]);
    v_delta := (v_delta.task_uuid, v_delta.in_flight + v_delta.failed, v_delta.unfinished, 0,
                v_delta.retrying)::tasker.task_delta;
    perform tasker.recount_batches(array[v_task.task_uuid]);
  end if;
  if v_step.is_decision and v_to = 'enqueued_for_orchestration' then
    perform tasker.record_decisions(
      jsonb_build_array(jsonb_build_object('step_uuid', p_step_uuid, 'handoff', p_handoff,
                                           'outcome', 'success',
                                           'decision', p_metadata -> 'decision')),
      array[p_step_uuid], v_now);
  end if;
  if v_from = 'pending' then
    perform tasker.cancel_waits(array[v_task.task_uuid], array[p_step_uuid], v_now);
  end if;
  if v_to = 'enqueued' then
    perform tasker.send_handoffs(
      array[(p_step_uuid, v_task.task_uuid, p_handoff + 1, false, ns.name, v_task.claim_order,
             v_task.correlation_id, n.handler_key, v_step.attempts + 1,
             n.queue_timeout_seconds)::tasker.step_handoff])
    from tasker.workflow_steps s
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where s.workflow_step_uuid = p_step_uuid;
  end if;
  if v_to = 'complete' then
    perform tasker.advance_tasks(
      array[p_step_uuid], '{}', array[v_delta], p_processor_uuid, 0, 60, v_now);
  else
    perform tasker.roll_up_task_states(array[v_delta], p_processor_uuid, v_now);
  end if;
  -- No notification is sent for this move: the fallback poller continues from here.
  if v_to in ('pending', 'enqueued_for_orchestration', 'enqueued_as_error_for_orchestration') then
    update tasker.task_wakeups w set wake_at = v_now
    where w.task_uuid = v_task.task_uuid and w.wake_at > v_now;
  elsif v_to in ('waiting_for_retry', 'in_progress') then
    update tasker.task_wakeups w set wake_at = n.at
    from (select coalesce(s.next_retry_at, s.lease_expires_at) as at
          from tasker.workflow_steps s
          where s.workflow_step_uuid = p_step_uuid) n
    where w.task_uuid = v_task.task_uuid and w.wake_at > n.at;
  end if;
  return true;
end
$$;
comment on function tasker.transition_step_state_atomic(
  uuid, int, varchar, varchar, varchar, uuid, jsonb) is
  'Moves one step from one state to another if it is still in the first and p_handoff is its '
  'latest handoff, and lets its task follow.';
