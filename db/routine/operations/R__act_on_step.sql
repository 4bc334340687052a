-- An operator action on one step, with a name and a reason, in one transaction with its
-- consequences for the task.
-- p_action: reset_for_retry (from error or waiting_for_retry; restores all attempts),
-- complete_manually (with p_data.result, which successors see) or resolve_manually (both from
-- error, waiting_for_retry or pending).
-- p_data: attempt (the one that the operator has seen; the function refuses another one), inputs
-- (replace the step's own, reset only), discard_checkpoint (reset only), new_idempotency_token
-- (reset only: the effect is wanted again), result, metadata, and for a decision the names of the
-- steps that it chooses as decision, for a batchable step its cursors as batches (completion only).
-- The reset of a batch step in error resets its failed workers; its completion or closing closes
-- the batch.
-- Returns {outcome, state, attempt, idempotency_token, task_state, queued, ended}; outcome is done,
-- already (the same operator did the same for the same reason and it still holds) or refused, then
-- with code, message and where it applies field; the code is task-not-found or step-not-found when
-- there is no such task, or it has no such step. The class Operations validates a result against
-- result_schema, this function does not.
-- Locks: the task, then the step. Errors: TK007 as check_action.
-- Source: ADR 0015.
create or replace function tasker.act_on_step(
  p_task_uuid   uuid,
  p_step_uuid   uuid,
  p_action      text,
  p_by          text,
  p_reason      text,
  p_data        jsonb       default '{}',
  p_server_uuid uuid        default null,
  p_now         timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz;
  v_to      tasker.step_state;
  v_task    tasker.tasks;
  v_step    tasker.workflow_steps;
  v_before  jsonb;
  v_batch   tasker.batches;
  v_steps   uuid[] := array[p_step_uuid];
  v_refusal jsonb;
  v_result  jsonb;
begin
  perform tasker.check_action(
    p_action, array['reset_for_retry', 'resolve_manually', 'complete_manually'], p_by, p_reason);
  v_to := case p_action when 'reset_for_retry' then 'pending'
               when 'complete_manually' then 'complete'
               else 'resolved_manually' end;
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  select s.* into v_step from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid and s.task_uuid = p_task_uuid for no key update;
  if not found then
    return case when v_task.task_uuid is null then tasker.refuse_unknown('task', p_task_uuid::text)
                else tasker.refuse_unknown('step', p_step_uuid::text) end;
  end if;
  select b.* into v_batch
  from tasker.batches b
  where b.workflow_step_uuid = coalesce(v_step.batch_step_uuid, p_step_uuid);
  p_data := coalesce(p_data, '{}');
  v_now := coalesce(p_now, clock_timestamp());

  v_refusal := coalesce(tasker.judge_step_action(v_task, v_step, p_action, p_by, p_reason, p_data),
                        (select tasker.refuse_unsealed(p_data -> 'result', n.sealed, 'result')
                         from tasker.named_tasks_named_steps n
                         where n.named_step_uuid = v_step.named_step_uuid),
                        (select jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                                                   'field', d.field, 'message', d.complaint)
                         from (select e.key as field, tasker.check_document(e.value) as complaint
                               from jsonb_each(p_data) e) d
                         where d.complaint is not null
                         order by d.field limit 1));
  if v_refusal is not null then
    return v_refusal || jsonb_build_object(
      'state', v_step.state, 'attempt', v_step.attempts, 'task_state', v_task.state);
  end if;

  v_before := jsonb_build_object(
    'state', v_step.state, 'attempts', v_step.attempts,
    'attempts_before_reset', v_step.attempts_before_reset,
    'idempotency_token', tasker.format_idempotency_token(p_step_uuid, v_step.idempotency_resets));
  if p_data ? 'inputs' or coalesce((p_data ->> 'discard_checkpoint')::boolean, false) then
    v_before := v_before || coalesce(
      (select jsonb_build_object('inputs', d.inputs, 'checkpoint', d.checkpoint)
       from tasker.workflow_step_documents d
       where d.workflow_step_uuid = p_step_uuid),
      '{}');
    insert into tasker.workflow_step_documents as d (workflow_step_uuid, task_uuid, inputs)
    values (p_step_uuid, p_task_uuid, p_data -> 'inputs')
    on conflict (workflow_step_uuid) do update
      set inputs = case when p_data ? 'inputs' then excluded.inputs else d.inputs end,
          checkpoint
            = case when (p_data ->> 'discard_checkpoint')::boolean then null else d.checkpoint end,
          document_hash = tasker.hash_documents(
            case when p_data ? 'inputs' then excluded.inputs else d.inputs end,
            case when (p_data ->> 'discard_checkpoint')::boolean then null else d.checkpoint end);
  end if;
  if v_batch.workflow_step_uuid = p_step_uuid and v_to = 'pending' then
    v_steps := v_steps || array(
      select s.workflow_step_uuid
      from tasker.workflow_steps s
      where s.task_uuid = p_task_uuid and s.batch_step_uuid = p_step_uuid and s.state = 'error');
  end if;
  perform tasker.move_steps_by_operator(
    p_task_uuid, v_steps, v_to,
    jsonb_strip_nulls(jsonb_build_object(
                        'action', p_action, 'by', coalesce(tasker.get_caller(), p_by),
                        'reason', p_reason, 'metadata', p_data -> 'metadata',
                        'decision', p_data -> 'decision', 'batches', p_data -> 'batches',
                        'new_idempotency_token', p_data -> 'new_idempotency_token')),
    p_data -> 'result', p_server_uuid, v_now);
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, workflow_step_uuid, details)
  values (v_now, p_action, p_by, p_reason, p_task_uuid, p_step_uuid,
          jsonb_build_object('before', v_before) || case
            when p_data ? 'inputs' then jsonb_build_object('inputs', p_data -> 'inputs')
            else '{}' end);
  v_result := tasker.evaluate_tasks(array[p_task_uuid], p_server_uuid, 0, 60, p_now);

  return jsonb_build_object(
    'outcome', 'done', 'queued', v_result -> 'queued', 'ended', v_result -> 'ended')
    || (select jsonb_build_object('state', s.state, 'attempt', s.attempts, 'task_state', t.state,
                                  'idempotency_token', tasker.format_idempotency_token(
                                    s.workflow_step_uuid, s.idempotency_resets))
        from tasker.workflow_steps s
        join tasker.tasks t on t.task_uuid = s.task_uuid
        where s.workflow_step_uuid = p_step_uuid);
end
$$;
comment on function tasker.act_on_step(uuid, uuid, text, text, text, jsonb, uuid, timestamptz) is
  'An operator action on one step, with a name and a reason, in one transaction with its '
  'consequences for the task.';
