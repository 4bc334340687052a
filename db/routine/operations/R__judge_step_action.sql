-- Why an action on a step is not possible now: the rules of act_on_step. Null when it is possible,
-- otherwise already, or refused with code, message and field; the code invalid-request is about
-- p_data, and every other one about the state of the step and its task. p_by, p_reason: of the
-- operator, to know a repeated request; null when only the state is asked for.
-- Locks: none; act_on_step holds the task and the step. Source: ADR 0015, ADR 0058.
create or replace function tasker.judge_step_action(
  p_task tasker.tasks, p_step tasker.workflow_steps, p_action text, p_by text, p_reason text,
  p_data jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_to        tasker.step_state := case p_action
    when 'reset_for_retry' then 'pending'
    when 'complete_manually' then 'complete'
    else 'resolved_manually' end;
  v_in_flight int;
begin
  -- Of a batch step that is not closed; most steps are none, and are refused or not by their state.
  if p_action <> 'reset_for_retry'
     and p_step.state in ('error', 'waiting_for_retry', 'pending') then
    select b.in_flight_workers into v_in_flight
    from tasker.batches b
    where b.workflow_step_uuid = p_step.workflow_step_uuid;
  end if;
  return case
    when jsonb_typeof(p_data) <> 'object' then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'data',
                         'message', 'must be an object')
    when jsonb_typeof(p_data -> 'attempt') not in ('number', 'null') then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'attempt',
                         'message', 'must be a number')
    when jsonb_typeof(p_data -> 'discard_checkpoint') not in ('boolean', 'null') then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                         'field', 'discard_checkpoint', 'message', 'must be true or false')
    when jsonb_typeof(p_data -> 'new_idempotency_token') not in ('boolean', 'null') then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                         'field', 'new_idempotency_token', 'message', 'must be true or false')
    when p_step.state in ('error', 'waiting_for_retry', 'pending') = false
      or (p_action = 'reset_for_retry' and p_step.state = 'pending') then
      case
        when tasker.is_repeated_action(
            p_task.task_uuid, p_step.workflow_step_uuid, p_action, p_by, p_reason)
          and (v_to = 'pending' or p_step.state = v_to) then
          jsonb_build_object('outcome', 'already')
        else jsonb_build_object(
          'outcome', 'refused', 'code', 'step-not-movable',
          'message', format('the step is %s; %s is for a step that is %s', p_step.state, p_action,
                            case p_action when 'reset_for_retry' then 'error or waiting_for_retry'
                                 else 'error, waiting_for_retry or pending' end)) end
    when p_task.completed_at is not null then jsonb_build_object(
      'outcome', 'refused', 'code', 'task-already-ended',
      'message', format('the task has already ended as %s%s', p_task.state,
                        case p_task.state when 'error' then '; retry the task instead' else '' end))
    when p_task.compensation is not null and p_step.compensates_step_uuid is null then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'step-not-movable',
        'message', 'what the task has done is compensated; only its compensating steps move')
    when p_task.cancel_requested_at is not null then
      jsonb_build_object('outcome', 'refused', 'code', 'task-is-being-cancelled',
                         'message', format('%s has asked for the task to be cancelled',
                                           coalesce(p_task.cancel_requested_by, 'an operator')))
    when p_data ? 'attempt' and (p_data ->> 'attempt')::numeric <> p_step.attempts then
      jsonb_build_object('outcome', 'refused', 'code', 'attempt-has-changed', 'field', 'attempt',
                         'message', format('the step is at attempt %s, not %s', p_step.attempts,
                                           p_data ->> 'attempt'))
    when exists (select from tasker.batches b
                 where b.workflow_step_uuid
                     = coalesce(p_step.batch_step_uuid, p_step.workflow_step_uuid)
                   and b.closed_at is not null) then jsonb_build_object(
      'outcome', 'refused', 'code', 'step-not-movable',
      'message', 'the batch of the step is closed, and what follows has its results')
    when p_action <> 'reset_for_retry' and v_in_flight > 0 then
      jsonb_build_object('outcome', 'refused', 'code', 'steps-in-flight',
                         'message', format('%s workers of the batch are offered or running',
                                           v_in_flight))
    when p_action = 'complete_manually' and not p_data ? 'result' then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                         'field', 'completion_data', 'message', 'must have the result')
    when p_action = 'complete_manually'
      and (p_step.is_decision or p_data ? 'decision')
      and tasker.check_decision(p_step.workflow_step_uuid, p_data -> 'decision') is not null then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'invalid-request', 'field', 'completion_data/decision',
        'message', tasker.check_decision(p_step.workflow_step_uuid, p_data -> 'decision'))
    when p_action = 'complete_manually'
      and (p_step.is_batchable or p_data ? 'batches')
      and tasker.check_batches(p_step.named_step_uuid, p_data -> 'batches') is not null then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'invalid-request', 'field', 'completion_data/batches',
        'message', tasker.check_batches(p_step.named_step_uuid, p_data -> 'batches'))
    when p_action <> 'complete_manually' and p_data ? 'batches' then jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'field', 'completion_data/batches',
      'message', 'is for complete_manually only')
    when p_action <> 'complete_manually' and p_data ? 'decision' then jsonb_build_object(
      'outcome', 'refused', 'code', 'invalid-request', 'field', 'completion_data/decision',
      'message', 'is for complete_manually only')
    when p_action <> 'reset_for_retry'
      and p_data ?| array['inputs', 'discard_checkpoint', 'new_idempotency_token'] then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                         'message', 'is for reset_for_retry only',
                         'field', (select f.name
                                   from unnest(array['inputs', 'discard_checkpoint',
                                                     'new_idempotency_token']) f(name)
                                   where p_data ? f.name limit 1)) end;
end
$$;
comment on function tasker.judge_step_action(
  tasker.tasks, tasker.workflow_steps, text, text, text, jsonb) is
  'Why an action on a step is not possible now: the rules of act_on_step.';
