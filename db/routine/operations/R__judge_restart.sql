-- The steps that retry or retry_from_step would start again, or why it is refused: the rules of
-- act_on_task. o_steps: these steps, null when there is none; o_from_step: the step that
-- retry_from_step names. o_reply: null when the action is possible, otherwise the reply of
-- act_on_task: already, or refused with code, message and field. p_by, p_reason: of the operator,
-- to know a repeated request; null when only the state is asked for.
-- Locks: none; act_on_task holds the task. Source: ADR 0015, ADR 0058.
create or replace function tasker.judge_restart(
  p_task tasker.tasks, p_action text, p_by text, p_reason text, p_data jsonb, out o_steps uuid[],
  out o_from_step uuid, out o_reply jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  v_from  tasker.workflow_steps;
  v_below uuid[];
  v_busy  int;
  v_done  int;
begin
  -- The steps to start again.
  if p_action = 'retry_from_step' then
    select s.* into v_from
    from tasker.workflow_steps s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.task_uuid = p_task.task_uuid
      and (coalesce(s.name, n.name) = p_data ->> 'step'
           or s.workflow_step_uuid::text = lower(p_data ->> 'step'));
    with recursive below(step_uuid) as (
      select v_from.workflow_step_uuid
      union
      select c.workflow_step_uuid
      from below b
      cross join lateral tasker.get_child_steps(b.step_uuid) c)
    select array_agg(b.step_uuid) into v_below from below b where b.step_uuid is not null;
    v_below := v_below || array(select s.workflow_step_uuid
                                from tasker.workflow_steps s
                                where s.task_uuid = p_task.task_uuid
                                  and s.batch_step_uuid = any (v_below)
                                  and s.state in ('error', 'waiting_for_retry'));
  else
    -- Those that failed in a batch that is closed were tolerated, and what followed has its
    -- results.
    select array_agg(s.workflow_step_uuid) into v_below
    from (select o.workflow_step_uuid, o.state, o.compensates_step_uuid
          from tasker.get_open_steps(p_task.task_uuid) o
          union all
          select w.workflow_step_uuid, w.state, w.compensates_step_uuid
          from tasker.batches b
          join tasker.workflow_steps w on w.task_uuid = b.task_uuid
            and w.step_position between b.first_position and b.first_position + b.created_workers
              - 1
            and w.state = 'error'
          where b.task_uuid = p_task.task_uuid and b.closed_at is null and b.failed_workers > 0) s
    where s.state in ('error', 'waiting_for_retry')
      and (p_task.compensation is null or s.compensates_step_uuid is not null);
  end if;
  select array_agg(s.workflow_step_uuid)
           filter (where s.state in ('error', 'waiting_for_retry')
                   or (tasker.step_ended_well(s.state)
                       and p_action = 'retry_from_step'
                       and coalesce((p_data ->> 'rerun_completed')::boolean, false))),
         count(*) filter (where tasker.step_is_in_flight(s.state)),
         count(*) filter (where tasker.step_ended_well(s.state))
    into o_steps, v_busy, v_done
  from tasker.workflow_steps s
  where s.workflow_step_uuid = any (v_below);
  if p_action = 'retry' then
    v_busy := p_task.in_flight_steps;
  end if;
  o_from_step := v_from.workflow_step_uuid;

  o_reply := case
    when p_action = 'retry_from_step' and v_from.workflow_step_uuid is null then
      jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'step',
                         'message', 'the task has no such step')
    when p_task.state in ('complete', 'cancelled', 'resolved_manually') then
      jsonb_build_object('outcome', 'refused', 'code', 'task-already-ended',
                         'message', format('the task has already ended as %s', p_task.state))
    when p_task.compensation is not null
      and (p_task.completed_at is not null or p_action = 'retry_from_step') then jsonb_build_object(
      'outcome', 'refused',
      'code', case when p_task.completed_at is not null then 'task-already-ended'
                   else 'step-not-movable' end,
      'message', 'what the task has done is compensated, and it does not run again')
    when p_task.replaced_by_task_uuid is not null then
      jsonb_build_object('outcome', 'refused', 'code', 'task-already-replaced',
                         'message', format('task %s has taken over the identity of this task',
                                           p_task.replaced_by_task_uuid))
    when p_task.completed_at is not null
      and p_task.parent_step_uuid is not null
      and exists (
        select from tasker.workflow_steps s
        join tasker.tasks p on p.task_uuid = s.task_uuid
        where s.workflow_step_uuid = p_task.parent_step_uuid
          and (p.completed_at is not null
               or s.state not in ('pending', 'error')
               or exists (select from tasker.step_waits w
                          join tasker.step_waits own on own.child_task_uuid = p_task.task_uuid
                            and own.workflow_step_uuid = w.workflow_step_uuid
                          where w.task_uuid = p.task_uuid
                            and w.workflow_step_uuid = s.workflow_step_uuid
                            and w.kind = 'child'
                            and w.child_task_uuid <> p_task.task_uuid
                            and w.armed_at >= own.armed_at))) then
      jsonb_build_object('outcome', 'refused', 'code', 'task-already-ended',
                         'message', 'the step of its parent task has ended, or has taken another '
                                    'child task, without this one; start that step again instead')
    when p_task.cancel_requested_at is not null then
      jsonb_build_object('outcome', 'refused', 'code', 'task-is-being-cancelled',
                         'message', format('%s has asked for the task to be cancelled',
                                           coalesce(p_task.cancel_requested_by, 'an operator')))
    when tasker.is_repeated_action(p_task.task_uuid, null, p_action, p_by, p_reason)
      and p_task.completed_at is null
      and (o_steps is null or v_busy > 0) then jsonb_build_object('outcome', 'already')
    when p_action = 'retry_from_step' and v_busy > 0
      or p_data ? 'context' and p_task.in_flight_steps > 0 then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'steps-in-flight',
        'message', case
          when p_data ? 'context' then 'steps are offered or running with the present context'
          else format('%s of the steps to start again are offered or running', v_busy) end)
    when exists (select from tasker.decision_outcomes o
                 where o.workflow_step_uuid = any (o_steps) and o.created_steps is not null) then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'step-not-movable', 'field', 'step',
        'message', 'a decision among these steps has been carried out, and does not run again')
    when exists (select from tasker.batches b
                 join tasker.workflow_steps s on s.workflow_step_uuid = any (o_steps)
                 where b.task_uuid = p_task.task_uuid
                   and ((b.batchable_step_uuid = s.workflow_step_uuid
                         and tasker.step_ended_well(s.state))
                        or (b.closed_at is not null
                            and b.workflow_step_uuid in (
                              s.workflow_step_uuid, s.batch_step_uuid)))) then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'step-not-movable', 'field', 'step',
        'message', 'the batches of one of these steps have been made, and are not made again')
    when p_action = 'retry_from_step'
      and tasker.step_ended_well(v_from.state)
      and not coalesce((p_data ->> 'rerun_completed')::boolean, false) then
      jsonb_build_object(
        'outcome', 'refused', 'code', 'step-already-done', 'field', 'rerun_completed',
        'message', format(
          'the step is %s; say rerun_completed to run it again, and %s done steps in all',
          v_from.state, v_done))
    when o_steps is null and not (p_task.state = 'error' and p_data ? 'context') then
      jsonb_build_object('outcome', 'refused', 'code', 'nothing-to-retry',
                         'message', case when p_task.state = 'error'
                                           and p_task.failed_steps = 0 then
                                           'no step has failed: the context did not fit; give '
                                           'another one'
                                         else 'no step has failed or waits for a retry' end) end;
  o_reply := o_reply || jsonb_build_object('state', p_task.state);
end
$$;
comment on function tasker.judge_restart(tasker.tasks, text, text, text, jsonb) is
  'The steps that retry or retry_from_step would start again, or why it is refused: the rules of '
  'act_on_task.';
