-- An operator action on a whole task, with a name and a reason, in one transaction with its
-- consequences.
-- p_action:
--   retry            steps that failed or wait for a retry start again with all attempts; a task in
--                    error is reopened. p_data.context replaces the context, while no step is in
--                    flight.
--   retry_from_step  p_data.step (name or uuid) and its descendants: those that failed or wait for
--                    a retry start again. Done steps stay done, unless p_data.rerun_completed; then
--                    all from that step on run again, and those that were done get a new
--                    idempotency token. p_data.new_idempotency_token, of both retries: true for all
--                    that start again, or false for none (move_steps_by_operator).
--   resolve          closes a blocked task, or one in error, as resolved_manually.
--   fail             closes a blocked task as error; retry reverses that.
--   cancel           request_cancel with p_data.policy and p_data.compensate.
--   compensate       what the task has done is compensated: a blocked one begins at once
--                    (begin_compensations) and ends as error after it; one that is not blocked is
--                    cancelled with p_compensate, and ends as cancelled. Refused once the task has
--                    ended.
-- A task whose identity another one has taken over is not restarted: two tasks would have one
-- identity. One whose documents were erased takes no action (task-erased).
-- Returns {outcome, state, steps, queued, ended}: outcome is done, already or refused (with code,
-- message, field?); steps is how many were reset. The code is task-not-found when there is no such
-- task. A context is not validated against input_schema here; one whose search attributes cannot be
-- stored is refused.
-- Locks: the task, then its steps. Errors: TK007 as check_action. Source: ADR 0015.
create or replace function tasker.act_on_task(
  p_task_uuid   uuid,
  p_action      text,
  p_by          text,
  p_reason      text,
  p_data        jsonb       default '{}',
  p_server_uuid uuid        default null,
  p_now         timestamptz default null,
  p_bulk_token  uuid        default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz;
  v_task    tasker.tasks;
  v_from_step uuid;
  v_steps   uuid[];
  v_refusal jsonb;
  v_result  jsonb := '{}';
  v_details jsonb;
  v_deltas  tasker.task_delta[];
  v_history jsonb := jsonb_build_object(
    'action', p_action, 'by', coalesce(tasker.get_caller(), p_by), 'reason', p_reason);
begin
  perform tasker.check_action(
    p_action, array['retry', 'retry_from_step', 'resolve', 'fail', 'cancel', 'compensate'], p_by,
    p_reason);
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  if v_task.erased_at is not null then
    return jsonb_build_object('outcome', 'refused', 'code', 'task-erased', 'state', v_task.state,
                              'message', 'the documents of the task were erased, and it does not '
                                         'run again');
  end if;
  p_data := coalesce(p_data, '{}');
  v_refusal := case
    when jsonb_typeof(p_data) <> 'object' then
      jsonb_build_object('field', 'data', 'message', 'must be an object')
    when tasker.check_document(p_data) is not null then
      jsonb_build_object('field', case when p_data ? 'context' then 'context' else 'data' end,
                         'message', tasker.check_document(p_data))
    when jsonb_typeof(p_data -> 'context') <> 'object' then
      jsonb_build_object('field', 'context', 'message', 'must be an object')
    when jsonb_typeof(p_data -> 'rerun_completed') not in ('boolean', 'null') then
      jsonb_build_object('field', 'rerun_completed', 'message', 'must be true or false')
    when jsonb_typeof(p_data -> 'new_idempotency_token') not in ('boolean', 'null') then
      jsonb_build_object('field', 'new_idempotency_token', 'message', 'must be true or false')
    when p_data ? 'context'
      and exists (select from tasker.named_tasks nt
                  where nt.named_task_uuid = v_task.named_task_uuid
                    and tasker.find_unsealed(p_data -> 'context', nt.sealed -> 'context')
                      is not null) then
      (select tasker.refuse_unsealed(p_data -> 'context', nt.sealed -> 'context', 'context')
              - array['outcome', 'code']
       from tasker.named_tasks nt
       where nt.named_task_uuid = v_task.named_task_uuid)
    when p_data ? 'context' then
      (select jsonb_build_object('field', 'context.' || a.path, 'message', a.complaint)
       from tasker.named_tasks nt
       cross join lateral tasker.extract_search_attributes(
         nt.search_attributes, p_data -> 'context') a
       where nt.named_task_uuid = v_task.named_task_uuid
         and nt.search_attributes is not null
         and a.complaint is not null
       order by a.name limit 1) end;
  if v_refusal is not null then
    return v_refusal || jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'state', v_task.state);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_details := jsonb_build_object('before', jsonb_build_object('state', v_task.state));

  if p_action = 'cancel' then
    v_result := tasker.request_cancel(
      p_task_uuid, p_by, p_reason, coalesce(p_data ->> 'policy', 'cancel_running'), p_server_uuid,
      p_now, p_bulk_token, p_compensate => coalesce((p_data ->> 'compensate')::boolean, false));
    return case
      when v_result ->> 'code' in ('task-is-being-cancelled', 'invalid-request') then v_result
      when v_result ->> 'outcome' = 'requested' then
        jsonb_build_object('outcome', 'done', 'state', v_result -> 'state')
      when v_result ->> 'outcome' = 'already_requested' or v_task.state = 'cancelled' then
        jsonb_build_object('outcome', 'already', 'state', v_task.state)
      else jsonb_build_object(
        'outcome', 'refused', 'code', 'task-already-ended', 'state', v_task.state,
        'message', format('the task has already ended as %s', v_task.state)) end;
  end if;

  if p_action = 'compensate' then
    v_refusal := tasker.judge_end_of_task(v_task, p_action);
    if v_refusal is not null then
      return v_refusal;
    end if;
    if v_task.state <> 'blocked_by_failures' or v_task.cancel_requested_at is not null then
      v_result := tasker.request_cancel(
        p_task_uuid, p_by, p_reason, 'cancel_running', p_server_uuid, p_now, p_bulk_token,
        p_compensate => true);
      return jsonb_build_object(
        'outcome', 'done', 'steps', 0, 'queued', '[]'::jsonb, 'ended', v_result -> 'ended',
        'state', (select t.state from tasker.tasks t where t.task_uuid = p_task_uuid));
    end if;
    insert into tasker.operator_actions
      (acted_at, action, acted_by, reason, task_uuid, bulk_token, details)
    values (v_now, p_action, p_by, p_reason, p_task_uuid, p_bulk_token, v_details);
    v_deltas := tasker.begin_compensations(
      array[p_task_uuid], p_server_uuid, v_now, 'operator', coalesce(tasker.get_caller(), p_by),
      p_reason);
    select coalesce(jsonb_agg(jsonb_build_object('task_uuid', r.task_uuid, 'state', r.state,
                                                 'correlation_id', v_task.correlation_id)),
                    '[]') into v_result
    from tasker.roll_up_task_states(v_deltas, p_server_uuid, p_now) r;
    return (select jsonb_build_object('outcome', 'done', 'state', t.state, 'steps', c.planned_steps,
                                      'queued', '[]'::jsonb, 'ended', v_result)
            from tasker.tasks t
            join tasker.task_compensations c on c.task_uuid = t.task_uuid
            where t.task_uuid = p_task_uuid);
  end if;

  if p_action in ('resolve', 'fail') then
    v_refusal := tasker.judge_end_of_task(v_task, p_action);
    if v_refusal is not null then
      return v_refusal;
    end if;
    perform tasker.apply_task_moves(
      array[(p_task_uuid, v_task.state,
             case p_action when 'resolve' then 'resolved_manually' else 'error' end, 'operator',
             v_history)::tasker.task_change],
      p_server_uuid, v_now);
    update tasker.tasks_dlq d
    set resolution_status = case p_action when 'resolve' then 'manually_resolved'
                                 else 'permanently_failed' end::tasker.dlq_resolution_status,
        resolution_timestamp = v_now, resolution_notes = p_reason,
        resolved_by = coalesce(tasker.get_caller(), p_by),
        claimed_actor = case when tasker.get_caller() <> p_by then p_by end, updated_at = v_now
    where d.task_uuid = p_task_uuid and d.resolution_status = 'pending';
    insert into tasker.operator_actions
      (acted_at, action, acted_by, reason, task_uuid, bulk_token, details)
    select v_now, p_action, p_by, p_reason, p_task_uuid, p_bulk_token, v_details;
    update tasker.tasks_dlq d set sla_due_at = null
    where d.task_uuid = p_task_uuid and d.sla_due_at is not null;
    perform tasker.cancel_waits(array[p_task_uuid], null, v_now);
    return jsonb_build_object('outcome', 'done', 'steps', 0, 'queued', '[]'::jsonb)
      || (select jsonb_build_object('state', t.state,
                                    'ended', jsonb_build_array(
                                      jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state,
                                                         'correlation_id', t.correlation_id)))
          from tasker.tasks t
          where t.task_uuid = p_task_uuid);
  end if;

  select r.o_steps, r.o_from_step, r.o_reply into v_steps, v_from_step, v_refusal
  from tasker.judge_restart(v_task, p_action, p_by, p_reason, p_data) r;
  if v_refusal is not null then
    return v_refusal;
  end if;

  if p_data ? 'context' then
    v_details := jsonb_set(
      v_details, '{before,context}',
      (select c.context from tasker.task_contexts c where c.task_uuid = p_task_uuid));
    update tasker.task_contexts c
    set context = p_data -> 'context',
        document_hash = tasker.hash_documents(p_data -> 'context', to_jsonb(c.submitted_by))
    where c.task_uuid = p_task_uuid;
    perform tasker.write_search_attributes(array[p_task_uuid]);
  end if;
  if v_task.state = 'error' then
    update tasker.tasks t set context_checked = true
    where t.task_uuid = p_task_uuid and not t.context_checked;
    perform tasker.apply_task_moves(
      array[(p_task_uuid, 'error', 'evaluating_results', 'operator',
             v_history)::tasker.task_change],
      p_server_uuid, v_now);
  end if;
  if v_steps is not null then
    perform tasker.move_steps_by_operator(
      p_task_uuid, v_steps, 'pending',
      v_history || jsonb_strip_nulls(
        jsonb_build_object('new_idempotency_token', p_data -> 'new_idempotency_token')),
      null, p_server_uuid, v_now);
  end if;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, workflow_step_uuid, bulk_token, details)
  values (v_now, p_action, p_by, p_reason, p_task_uuid, v_from_step, p_bulk_token,
          v_details || jsonb_build_object('steps', coalesce(cardinality(v_steps), 0)) || case
            when p_data ? 'context' then jsonb_build_object('context', p_data -> 'context')
            else '{}' end);
  v_result := tasker.evaluate_tasks(array[p_task_uuid], p_server_uuid, 0, 60, p_now);
  return jsonb_build_object(
    'outcome', 'done', 'steps', coalesce(cardinality(v_steps), 0), 'queued', v_result -> 'queued',
    'ended', v_result -> 'ended',
    'state', (select t.state from tasker.tasks t where t.task_uuid = p_task_uuid));
end
$$;
comment on function tasker.act_on_task(uuid, text, text, text, jsonb, uuid, timestamptz, uuid) is
  'An operator action on a whole task, with a name and a reason, in one transaction with its '
  'consequences.';
