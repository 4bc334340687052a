-- Completes one successful step: what complete_steps does for a call with a single result, with
-- statements for single rows. Setting up a statement for many rows costs several times what it does
-- for one row, and most calls of a quiet installation bring one result.
-- p_result: one element of p_results of complete_steps, with outcome success.
-- What takes part in nothing but the ordinary course is written here: the step, its result, the
-- handoff of its only child to the caller, the counters and the end of the task. Everything else
-- (several children, limits, pauses, failures, cancels, a worker that serves some handlers only) is
-- left to advance_tasks, in the same transaction. A test compares the rows that both ways leave.
-- o_document: that of the only claimed step, as get_claimed_steps has it, if all of it was at hand.
-- Returns o_is_accepted false when the result is refused, or is that of a decision, a batchable
-- step or the worker of a batch; nothing has changed then. The others: see advance_tasks.
-- Locks: the task, the step, its child. Source: ADR 0034.
create or replace function tasker.complete_step(
  p_result jsonb, p_server_uuid uuid, p_claim_limit int, p_lease_seconds int, p_now timestamptz,
  out o_is_accepted boolean, out o_claimed uuid[], out o_queued text[], out o_ended jsonb,
  out o_next_retry_at timestamptz, out o_document json)
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_task_uuid uuid := (p_result ->> 'task_uuid')::uuid;
  v_step_uuid uuid := (p_result ->> 'step_uuid')::uuid;
  v_handoff   int := (p_result ->> 'handoff')::int;
  v_task      tasker.tasks;
  v_is_ordinary boolean;
  v_step      record;
  v_children  int[];
  v_child     tasker.workflow_steps;
  v_hands_off boolean := false;
  v_context   tasker.task_contexts;
  v_documents tasker.workflow_step_documents;
  v_advance   record;
begin
  o_is_accepted := false;
  o_claimed := '{}';
  o_queued := '{}';
  o_ended := '[]';
  if p_result ? 'decision' or p_result ? 'batches' then
    return;
  end if;
  -- The row as one value: a target list of all its columns costs twice as much.
  v_task := (select t from tasker.tasks t where t.task_uuid = v_task_uuid for no key update);
  if v_task.task_uuid is null then
    return;
  end if;
  v_is_ordinary := v_task.state = 'steps_in_process'
                     and v_task.cancel_requested_at is null
                     and v_task.failed_steps = 0
                     and v_task.retrying_steps = 0
                     and v_task.compensation is null;
  -- One look-up after another, each by a key: what joins them costs several times as much. The step
  -- is locked, because a server with the worker's role alone submits its result without the lock of
  -- the task; its child is pending, and moves under that lock only.
  select s.handoffs, s.attempts, s.transition_count, s.named_step_uuid, s.name, s.step_position,
         coalesce(s.publishes_events, false) as may_publish into v_step
  from tasker.workflow_steps s
  where s.workflow_step_uuid = v_step_uuid
    and s.task_uuid = v_task_uuid
    and s.state = 'in_progress'
    and s.handoffs = v_handoff
    and not s.is_decision
    and s.is_batchable is null
    and s.batch_step_uuid is null
  for no key update;
  if not found then
    return;
  end if;
  v_children := array(select e.to_position
                      from tasker.named_step_edges e
                      where e.from_named_step_uuid = v_step.named_step_uuid
                        and e.from_position = v_step.step_position
                      union all
                      select e.to_position
                      from tasker.added_step_edges e
                      where e.task_uuid = v_task_uuid
                        and e.from_position = v_step.step_position limit 2);
  if v_is_ordinary and cardinality(v_children) = 1 and p_claim_limit > 0 then
    select c.* into v_child
    from tasker.workflow_steps c
    where c.task_uuid = v_task_uuid
      and c.step_position = v_children[1]
      and c.remaining_parents = 1
      and c.state = 'pending'
      and not c.is_limited
      and not c.is_automatic
      and not exists (select from tasker.template_pauses)
      -- Without a row, and without a list of its handlers, the worker serves everything.
      and not exists (select from tasker.workers w
                      where w.worker_uuid = p_server_uuid
                        and (w.served is not null
                             or w.served_version is distinct from (
                               select h.version from tasker.handler_catalog h)));
    v_hands_off := found;
  end if;
  o_is_accepted := true;
  insert into tasker.workflow_step_result_audit
    (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, execution_time_ms, handoff,
     attempt, outcome, result, error, may_publish, is_time_measured)
  values (v_step_uuid, v_step.transition_count + 1, v_task_uuid, p_server_uuid, v_now,
          (p_result ->> 'execution_time_ms')::bigint, v_step.handoffs, v_step.attempts, 'success',
          nullif(p_result -> 'result', 'null'), nullif(p_result -> 'error', 'null'),
          v_step.may_publish, (p_result ->> 'is_time_measured')::boolean);

  if v_hands_off then
    -- Both steps in one statement: each statement parses the constraints of the table anew.
    update tasker.workflow_steps s
    set state = case when s.workflow_step_uuid = v_step_uuid then 'complete'
                     else 'in_progress' end::tasker.step_state,
        transition_count = s.transition_count + 2,
        result_sort_key = case when s.workflow_step_uuid = v_step_uuid then s.transition_count + 1
                               else s.result_sort_key end,
        completed_at = case when s.workflow_step_uuid = v_step_uuid then v_now end,
        lease_expires_at = case when s.workflow_step_uuid <> v_step_uuid then
                                  tasker.calculate_lease_end(v_now, p_lease_seconds) end,
        handoffs = s.handoffs + case when s.workflow_step_uuid = v_step_uuid then 0 else 1 end,
        attempts = s.attempts + case when s.workflow_step_uuid = v_step_uuid then 0 else 1 end,
        remaining_parents = 0,
        enqueued_at
          = case when s.workflow_step_uuid = v_step_uuid then s.enqueued_at else v_now end,
        last_attempted_at
          = case when s.workflow_step_uuid = v_step_uuid then s.last_attempted_at else v_now end,
        leased_by
          = case when s.workflow_step_uuid = v_step_uuid then s.leased_by else p_server_uuid end
    where s.workflow_step_uuid = any (array[v_step_uuid, v_child.workflow_step_uuid]);
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
       processor_uuid)
    values (v_step_uuid, v_step.transition_count + 2, v_task_uuid, 'in_progress', 'complete',
            'orchestrator', 'completed_at_once', v_step.handoffs, v_step.attempts, p_server_uuid),
           (v_child.workflow_step_uuid, v_child.transition_count + 2, v_task_uuid, 'pending',
            'in_progress', 'worker', 'claimed_at_once', v_child.handoffs + 1, v_child.attempts + 1,
            p_server_uuid);
    -- One step in flight less, and one more.
    update tasker.tasks t set unfinished_steps = t.unfinished_steps - 1
    where t.task_uuid = v_task_uuid;
    o_claimed := array[v_child.workflow_step_uuid];
    -- A child of several parents has results that are not at hand.
    if v_child.total_parents = 1 then
      v_child.handoffs := v_child.handoffs + 1;
      v_child.attempts := v_child.attempts + 1;
      -- Not as one value, into which a long context would be copied.
      select x.* into v_context
      from tasker.task_contexts x
      where x.task_uuid = v_task_uuid;
      v_documents := (select d
                      from tasker.workflow_step_documents d
                      where d.workflow_step_uuid = v_child.workflow_step_uuid);
      if v_step.name is null then
        select n.name into v_step.name
        from tasker.named_steps n
        where n.named_step_uuid = v_step.named_step_uuid;
      end if;
      -- An expression without a subquery is evaluated without a statement.
      o_document := tasker.format_claimed_step(
        v_child, v_task, v_context, v_documents,
        json_build_object(v_step.name, nullif(p_result -> 'result', 'null')));
    end if;
    return;
  end if;

  update tasker.workflow_steps s
  set state = 'complete', transition_count = s.transition_count + 2,
      result_sort_key = s.transition_count + 1, lease_expires_at = null,
      completed_at = v_now
  where s.workflow_step_uuid = v_step_uuid;
  insert into tasker.step_moves
    (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
     processor_uuid)
  values (v_step_uuid, v_step.transition_count + 2, v_task_uuid, 'in_progress', 'complete',
          'orchestrator', 'completed_at_once', v_step.handoffs, v_step.attempts, p_server_uuid);
  if v_is_ordinary and v_children = '{}' and v_task.unfinished_steps = 1 then
    update tasker.tasks t
    set unfinished_steps = 0, in_flight_steps = 0, state = 'complete', completed_at = v_now,
        transition_count = t.transition_count + 2
    where t.task_uuid = v_task_uuid;
    insert into tasker.task_moves
      (task_uuid, sort_key, from_state, to_state, actor, path, processor_uuid)
    values (v_task_uuid, v_task.transition_count + 2, 'steps_in_process', 'complete',
            'orchestrator', 'evaluated', p_server_uuid);
    delete from tasker.task_wakeups w where w.task_uuid = v_task_uuid;
    o_ended := jsonb_build_array(jsonb_build_object('task_uuid', v_task_uuid, 'state', 'complete',
                                                    'correlation_id', v_task.correlation_id));
  elsif v_is_ordinary and v_children = '{}' and v_task.in_flight_steps > 1 then
    update tasker.tasks t
    set unfinished_steps = t.unfinished_steps - 1, in_flight_steps = t.in_flight_steps - 1
    where t.task_uuid = v_task_uuid;
  else
    v_advance := tasker.advance_tasks(
      array[v_step_uuid], '{}', array[(v_task_uuid, -1, -1, 0, 0)::tasker.task_delta],
      p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    o_claimed := v_advance.o_claimed;
    o_queued := v_advance.o_queued;
    o_ended := v_advance.o_ended;
    o_next_retry_at := v_advance.o_next_retry_at;
  end if;
end
$$;
comment on function tasker.complete_step(jsonb, uuid, int, int, timestamptz) is
  'Completes one successful step, with statements for single rows.';
