-- Why a task cannot be ended by an operator now: the rules of act_on_task for resolve, fail,
-- compensate and cancel. p_compensates: the cancel asks for the compensation. Null when the action
-- is possible, otherwise the reply of act_on_task: already, or refused with code, message and
-- field. A cancel that was requested before is possible
-- here: request_cancel decides what a second request changes.
-- Locks: none; the caller holds the task. Source: ADR 0015, ADR 0058.
create or replace function tasker.judge_end_of_task(
  p_task tasker.tasks, p_action text, p_compensates boolean default false)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_state tasker.task_state := case p_action
    when 'resolve' then 'resolved_manually'
    when 'fail' then 'error'
    when 'cancel' then 'cancelled' end;
begin
  if p_action in ('resolve', 'fail') then
    return case
      when p_task.state = 'blocked_by_failures'
        or (p_action = 'resolve' and p_task.state = 'error') then null
      when p_task.state = v_state then
        jsonb_build_object('outcome', 'already', 'state', p_task.state)
      else jsonb_build_object(
        'outcome', 'refused', 'state', p_task.state,
        'code', case when p_task.completed_at is not null then 'task-already-ended'
                     else 'task-not-blocked' end,
        'message', format('the task is %s; %s is for a task that is %s', p_task.state, p_action,
                          case p_action when 'resolve' then 'blocked_by_failures or error'
                               else 'blocked_by_failures' end)) end;
  end if;
  return case
    when p_action = 'cancel' and p_task.completed_at is not null then case
      when p_task.state = v_state then
        jsonb_build_object('outcome', 'already', 'state', p_task.state)
      else jsonb_build_object(
        'outcome', 'refused', 'code', 'task-already-ended', 'state', p_task.state,
        'message', format('the task has already ended as %s', p_task.state)) end
    when p_action = 'cancel' and p_task.compensation = 'cancel'
      or p_action = 'compensate' and p_task.compensation is not null then
      jsonb_build_object('outcome', 'already', 'state', p_task.state)
    when p_action = 'cancel' and p_task.compensation is not null then jsonb_build_object(
      'outcome', 'refused', 'code', 'task-is-being-cancelled', 'state', p_task.state,
      'message', 'the task is being compensated, and ends as error after it')
    when p_action = 'compensate' and p_task.completed_at is not null then
      jsonb_build_object('outcome', 'refused', 'code', 'task-already-ended', 'state', p_task.state,
                         'message', format(
                           'the task has already ended as %s%s', p_task.state,
                           case p_task.state
                             when 'complete' then
                               ', and others rely on its result; submit a task that undoes it'
                             when 'error' then '; retry it, and compensate it when it is blocked'
                             else '' end))
    when (p_action = 'compensate' or p_compensates)
      and not exists (select from tasker.named_tasks_named_steps n
                      where n.named_task_uuid = p_task.named_task_uuid
                        and n.step_type = 'compensation') then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'invalid-request',
        'field', case p_action when 'compensate' then 'action_type' else 'compensate' end,
        'state', p_task.state, 'message', 'no step of the template has a compensation')
    -- A cancel that was requested with the compensation; it begins when no step is in flight.
    when p_action = 'compensate'
      and exists (select from tasker.task_compensations c where c.task_uuid = p_task.task_uuid) then
      jsonb_build_object('outcome', 'already', 'state', p_task.state) end;
end
$$;
comment on function tasker.judge_end_of_task(tasker.tasks, text, boolean) is
  'Why a task cannot be ended by an operator now: the rules of act_on_task for resolve, fail, '
  'compensate and cancel.';
