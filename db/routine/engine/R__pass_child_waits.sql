-- Submits the child tasks of steps whose parents are done, and ends the waits of those whose child
-- has ended. A step with a child task stays pending while the child runs; what it waits for is a
-- row of step_waits of kind child. The state of the child is read under the lock of the parent
-- alone: a child that ends afterwards leaves a notice (tell_end_of_task), so that the step is
-- evaluated again.
--   satisfied  the child is complete or resolved manually: the step completes with its output. An
--              output that could not be computed is a permanent error of the step;
--   failed     the child is blocked by failures, in error or cancelled: child_failed or
--              child_cancelled;
--   timed_out  the child did not end within timeout_seconds: child_timed_out, and the child is told
--              to cancel.
-- A failure is followed by another child after the backoff, as the retry policy of the step says (a
-- wait of kind child_retry until then), except for child_cancelled, which is permanent. When a step
-- that has had a child starts one again, after a backoff or a reset, and its last child has
-- completed after its failure, or runs again, the step takes that child; one that is still blocked
-- is told to cancel, and another one is submitted. The identity of a child is the step and the
-- number of the child. A child that cannot be submitted (no such template, a context that does not
-- fit, deeper than lifecycle.max_child_depth) is a permanent error, child_not_submitted; a context
-- that cannot be evaluated is expression_error. A step that undoes one with a child task waits for
-- the compensation of that child, a task of its own (compensate_child), and completes with it, or
-- at once when there is nothing to undo. It is in error, child_not_compensated, when the
-- compensation is blocked or has ended otherwise; started again, it takes the same task. Leaves out
-- steps that are not pending or have no child task.
-- o_completed: the steps that completed; o_deltas: what the caller has to roll up; o_claimed: first
-- steps of children, up to p_claim_limit, that the server got without a message; o_queued: the
-- namespaces in which the others were offered; o_next_due_at: when the first of the waits that stay
-- open is due.
-- Locks: the steps, waits and wake-ups; the caller holds the parents. Of tasks it locks only those
-- that it creates. Source: ADR 0043.
create or replace function tasker.pass_child_waits(
  p_step_uuids uuid[], p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_now timestamptz default null,
  out o_completed uuid[], out o_deltas tasker.task_delta[], out o_claimed uuid[],
  out o_queued text[], out o_next_due_at timestamptz)
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_step     record;
  v_wait     tasker.step_waits;
  v_child    record;
  v_takes    boolean;
  v_replaces boolean;
  v_error    jsonb;
  v_attempt  int;
  v_number   int;
  v_end      timestamptz;
  v_due_at   timestamptz;
  v_depth    int;
  v_depth_of uuid;
  -- Arrays: something is appended to a value of jsonb by writing all of it anew.
  v_ends     jsonb[] := '{}';
  v_requests jsonb[] := '{}';
  v_to_arm   jsonb[] := '{}';
  v_satisfied uuid[] := '{}';
  v_done      uuid[] := '{}';
  v_children  uuid[] := '{}';
  v_waits     uuid[] := '{}';
  v_task     tasker.tasks;
  v_undo     record;
  v_submitted record;
begin
  o_completed := '{}';
  o_deltas := '{}';
  o_claimed := '{}';
  o_queued := '{}';
  for v_step in
    select s.workflow_step_uuid, s.task_uuid, n.wait_for, n.timeout_seconds, n.default_max_attempts,
           n.default_retryable, n.backoff, n.backoff_base_ms, n.max_backoff_ms,
           s.compensates_step_uuid is not null as is_undo, coalesce(s.name, sn.name) as name,
           nt.max_child_depth, t.parent_task_uuid,
           position('$' in (n.wait_for -> 'context')::text) > 0 as has_paths,
           position('results' in (n.wait_for -> 'context')::text) > 0 as asks_for_results,
           t.priority, t.correlation_id, t.initiator, t.source_system, c.submitted_by,
           c.trace_parent, w.latest_wait, l.child
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_steps sn on sn.named_step_uuid = s.named_step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_contexts c on c.task_uuid = s.task_uuid
    left join lateral (
      -- An open one is the latest, whatever the clock has been.
      select a as latest_wait, a.child_task_uuid
      from tasker.step_waits a
      where a.task_uuid = s.task_uuid and a.workflow_step_uuid = s.workflow_step_uuid
      order by (a.state = 'open') desc, a.armed_at desc, a.wait_uuid desc limit 1) w on true
    left join lateral (
      select a as child from tasker.tasks a where a.task_uuid = w.child_task_uuid offset 0) l
      on true
    where s.state = 'pending' and s.is_automatic and n.wait_for ->> 'kind' = 'child'
    order by u.n
  loop
    v_error := null;
    v_attempt := null;
    v_wait := v_step.latest_wait;
    if v_wait.kind = 'child_retry' and v_wait.state = 'open' then
      if v_wait.due_at > v_now then
        o_next_due_at := least(o_next_due_at, v_wait.due_at);
        continue;
      end if;
      update tasker.step_waits w set state = 'satisfied', ended_at = greatest(v_now, w.armed_at)
      where w.wait_uuid = v_wait.wait_uuid;
      v_attempt := v_wait.attempt;
    end if;

    if v_wait.state is distinct from 'open' or v_attempt is not null then
      -- Nothing is under way: after the parents, a backoff or a reset.
      v_attempt := coalesce(v_attempt, 1);
      v_takes := false;
      v_replaces := false;
      -- Without a wait there has been no child.
      if v_wait.wait_uuid is not null then
        select w.child_task_uuid, w.state as wait_state, t.state,
               t.cancel_requested_at is not null
                 or exists (select from tasker.task_notices i
                            where i.task_uuid = t.task_uuid and i.kind = 'cancel') as is_cancelled
          into v_child
        from tasker.step_waits w
        join tasker.tasks t on t.task_uuid = w.child_task_uuid
        where w.task_uuid = v_step.task_uuid
          and w.workflow_step_uuid = v_step.workflow_step_uuid
          and w.kind = 'child'
        order by w.armed_at desc, w.wait_uuid desc limit 1;
        if found then
          v_takes := tasker.task_ended_well(v_child.state)
              and v_child.wait_state <> 'satisfied'
            or v_child.state not in ('complete', 'resolved_manually', 'error', 'cancelled',
                                     'blocked_by_failures')
              and not v_child.is_cancelled;
          v_replaces := v_child.state = 'blocked_by_failures' and not v_child.is_cancelled;
        end if;
      end if;
      v_due_at := v_now + v_step.timeout_seconds * interval '1 second';
      if v_step.is_undo then
        v_undo := tasker.compensate_child(v_step.workflow_step_uuid, p_server_uuid, v_now);
        o_queued := o_queued || v_undo.o_queued;
        if v_undo.o_task_uuid is null then
          v_ends := v_ends || jsonb_build_object(
            'step_uuid', v_step.workflow_step_uuid, 'result', v_undo.o_result,
            'error', v_undo.o_error);
          if v_undo.o_error is null then
            o_completed := o_completed || v_step.workflow_step_uuid;
          end if;
          continue;
        end if;
        insert into tasker.step_waits
          (task_uuid, workflow_step_uuid, kind, armed_at, child_task_uuid, attempt)
        values (v_step.task_uuid, v_step.workflow_step_uuid, 'child',
                greatest(v_now, v_wait.armed_at), v_undo.o_task_uuid, v_attempt)
        returning * into v_wait;
      elsif v_takes then
        insert into tasker.step_waits
          (task_uuid, workflow_step_uuid, kind, armed_at, due_at, child_task_uuid, attempt)
        values (v_step.task_uuid, v_step.workflow_step_uuid, 'child',
                greatest(v_now, v_wait.armed_at), v_due_at, v_child.child_task_uuid, v_attempt)
        returning * into v_wait;
      else
        if v_replaces then
          insert into tasker.task_notices (task_uuid, sender_uuid, kind, sent_at, details)
          values (v_child.child_task_uuid, v_step.task_uuid, 'cancel', v_now,
                  jsonb_build_object('by', 'the parent task',
                                     'reason', format('another child task takes its place for '
                                                      'step %s of the parent task',
                                                      v_step.name)));
        end if;
        if v_step.parent_task_uuid is null then
          v_depth := 1;
        elsif v_depth_of is distinct from v_step.task_uuid then
          v_depth := tasker.calculate_child_depth(v_step.task_uuid);
          v_depth_of := v_step.task_uuid;
        end if;
        v_number := 1;
        if v_wait.wait_uuid is not null then
          select count(distinct w.child_task_uuid) + 1 into v_number
          from tasker.step_waits w
          where w.task_uuid = v_step.task_uuid
            and w.workflow_step_uuid = v_step.workflow_step_uuid
            and w.kind = 'child';
        end if;
        if v_depth > v_step.max_child_depth then
          v_error := jsonb_build_object(
            'type', 'child_not_submitted',
            'message', format(
              'the child task would be %s deep, and lifecycle.max_child_depth is %s', v_depth,
              v_step.max_child_depth));
        else
          begin
            v_requests := v_requests || (
              jsonb_strip_nulls(
                jsonb_build_object(
                  'namespace', v_step.wait_for -> 'namespace', 'name', v_step.wait_for -> 'name',
                  'version', v_step.wait_for -> 'version',
                  'priority', coalesce(v_step.wait_for -> 'priority', to_jsonb(v_step.priority)),
                  'parent_task_uuid', v_step.task_uuid,
                  'parent_step_uuid', v_step.workflow_step_uuid,
                  'parent_correlation_id', v_step.correlation_id,
                  'idempotency_key', format('%s/%s', v_step.workflow_step_uuid, v_number),
                  'initiator', v_step.initiator, 'source_system', v_step.source_system,
                  'reason', left('child of step ' || v_step.name, 128),
                  'submitted_by', v_step.submitted_by,
                  'trace_parent', v_step.trace_parent)) || jsonb_build_object(
                'context', case
                  when v_step.has_paths then tasker.evaluate_mapping(
                    v_step.wait_for -> 'context',
                    tasker.get_expression_document(
                      v_step.task_uuid, v_step.workflow_step_uuid, v_step.asks_for_results))
                  else v_step.wait_for -> 'context' end));
            v_to_arm := v_to_arm || (
              jsonb_build_object('step_uuid', v_step.workflow_step_uuid,
                                 'task_uuid', v_step.task_uuid, 'due_at', v_due_at,
                                 'attempt', v_attempt,
                                 'armed_at', greatest(v_now, v_wait.armed_at)));
            continue;
          exception when sqlstate 'TK010' then
            perform tasker.charge_expressions(v_step.task_uuid::text, 500000);
            v_error := jsonb_build_object(
              'type', 'expression_error', 'message', format('task.context %s', sqlerrm),
              'details', jsonb_build_object('mapping', v_step.wait_for -> 'context'));
          end;
        end if;
        o_deltas := o_deltas || tasker.end_automatic_step(
          v_step.workflow_step_uuid, null, v_error, p_server_uuid, v_now);
        continue;
      end if;
    end if;

    -- A child has been submitted, and its end not been taken yet.
    v_task := v_step.child;
    if v_wait.child_task_uuid is distinct from v_task.task_uuid then
      select t.* into v_task from tasker.tasks t where t.task_uuid = v_wait.child_task_uuid;
    end if;
    v_end := greatest(v_now, v_wait.armed_at);
    if tasker.task_ended_well(v_task.state) then
      if v_step.is_undo then
        v_satisfied := v_satisfied || v_wait.wait_uuid;
        v_ends := v_ends || jsonb_build_object(
          'step_uuid', v_step.workflow_step_uuid,
          'result', jsonb_build_object('child_task_uuid', v_task.compensates_task_uuid,
                                       'compensation_task_uuid', v_task.task_uuid));
        o_completed := o_completed || v_step.workflow_step_uuid;
      else
        v_done := v_done || v_step.workflow_step_uuid;
        v_children := v_children || v_task.task_uuid;
        v_waits := v_waits || v_wait.wait_uuid;
      end if;
      continue;
    elsif v_task.state is null or v_task.state in ('error', 'cancelled', 'blocked_by_failures') then
      v_error := tasker.describe_child_failure(v_wait, v_task, v_step.is_undo);
    elsif v_wait.due_at <= v_now then
      v_error := jsonb_build_object(
        'type', 'child_timed_out',
        'message', format('child task %s did not end within %s seconds', v_wait.child_task_uuid,
                          v_step.timeout_seconds),
        'details', jsonb_build_object('child_task_uuid', v_wait.child_task_uuid,
                                      'state', v_task.state, 'attempt', v_wait.attempt));
      insert into tasker.task_notices (task_uuid, sender_uuid, kind, sent_at, details)
      values (v_wait.child_task_uuid, v_step.task_uuid, 'cancel', v_now,
              jsonb_build_object('by', 'the parent task', 'reason', v_error -> 'message'));
    else
      o_next_due_at := least(o_next_due_at, v_wait.due_at);
      continue;
    end if;

    update tasker.step_waits w
    set state = case v_error ->> 'type' when 'child_timed_out' then 'timed_out'
                     else 'failed' end::tasker.wait_state,
        ended_at = v_end
    where w.wait_uuid = v_wait.wait_uuid;
    if v_error ->> 'type' <> 'child_cancelled'
       and v_step.default_retryable
       and v_wait.attempt < v_step.default_max_attempts then
      v_due_at := v_end + tasker.calculate_backoff_delay(
        v_wait.attempt, v_step.backoff_base_ms, v_step.backoff, v_step.max_backoff_ms,
        (random() * 0.3 - 0.15)::numeric) * interval '1 millisecond';
      insert into tasker.step_waits (task_uuid, workflow_step_uuid, kind, armed_at, due_at, attempt)
      values (v_step.task_uuid, v_step.workflow_step_uuid, 'child_retry', v_end, v_due_at,
              v_wait.attempt + 1);
      o_next_due_at := least(o_next_due_at, v_due_at);
      update tasker.task_wakeups w set wake_at = v_due_at
      where w.task_uuid = v_step.task_uuid and w.wake_at > v_due_at;
    else
      o_deltas := o_deltas || tasker.end_automatic_step(
        v_step.workflow_step_uuid, null, v_error, p_server_uuid, v_now);
    end if;
  end loop;

  if v_done <> '{}' then
    for v_step in
      -- Without a row for a child that an operator has restarted since it was read: its wait stays
      -- open.
      select v_done[o.item] as step_uuid, v_waits[o.item] as wait_uuid, o.task_uuid, o.output,
             o.error
      from tasker.get_task_outputs(v_children) o
    loop
      v_satisfied := v_satisfied || v_step.wait_uuid;
      v_ends := v_ends || jsonb_build_object(
        'step_uuid', v_step.step_uuid, 'result', v_step.output,
        'error', v_step.error || jsonb_build_object(
          'details', jsonb_build_object(
            'child_task_uuid', v_step.task_uuid) || coalesce(v_step.error -> 'details', '{}')));
      if v_step.error is null then
        o_completed := o_completed || v_step.step_uuid;
      end if;
    end loop;
  end if;
  if v_satisfied <> '{}' then
    -- By the key of each: the planner may take the open waits for few, and read them all.
    update tasker.step_waits w set state = 'satisfied', ended_at = greatest(v_now, w.armed_at)
    where w.ctid = any (array(
      select x.ctid from unnest(v_satisfied) as u(wait_uuid) cross join lateral (
        select a.ctid from tasker.step_waits a where a.wait_uuid = u.wait_uuid offset 0) x));
  end if;
  if v_ends <> '{}' then
    o_deltas := o_deltas || tasker.end_automatic_steps(to_jsonb(v_ends), p_server_uuid, v_now);
  end if;
  if v_requests <> '{}' then
    v_submitted := tasker.submit_children(
      v_requests, v_to_arm, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    o_deltas := o_deltas || v_submitted.o_deltas;
    o_claimed := v_submitted.o_claimed;
    o_queued := o_queued || v_submitted.o_queued;
    o_next_due_at := least(o_next_due_at, v_submitted.o_next_due_at);
  end if;
end
$$;
comment on function tasker.pass_child_waits(uuid[], uuid, int, int, timestamptz) is
  'Submits the child tasks of steps whose parents are done, and ends the waits of those whose '
  'child has ended.';
