-- Ends those of the given tasks that have run for longer than lifecycle.max_duration of their
-- template, as its lifecycle.on_timeout says:
--   fail: the task moves to error (fail_stale_task), with the reason task_timed_out in its history
--   and in the results of the steps in flight;
--   cancel: its cancel is requested with that reason, and goes on as any other cancel does;
--   compensate: the same, and what it has done is compensated before it ends, if its template says
--   how.
-- The limit counts from the creation, or from start_at when that is later. timed_out_at is set
-- once, by the one update that decides: a task that an operator restarts after its time-out has no
-- limit any more, nor has one that is being compensated. A blocked task waits for an operator and
-- is not ended; it is once it goes on. A task that is being cancelled ends by that. A task with a
-- result that is not processed yet is left out, so that the result counts: its wake-up is due at
-- once.
-- Child tasks that its steps wait for are told to cancel (cancel_waits); others go on.
-- Locks: the caller holds the tasks; their steps. Returns those that ended, as [{task_uuid, state,
-- correlation_id}].
-- Source: ADR 0053.
create or replace function tasker.time_out_tasks(
  p_task_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_late  uuid[];
  v_task  record;
  v_text  text;
  v_ended jsonb := '[]';
begin
  -- A server with the worker's role alone submits results without the lock of the task. One that
  -- has come by now is seen below and counts, and a later one is refused.
  perform s.workflow_step_uuid
  from tasker.workflow_steps s
  where s.workflow_step_uuid
      = any (array(select o.workflow_step_uuid
                   from tasker.tasks t
                   join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
                   cross join lateral tasker.get_open_steps(t.task_uuid) o
                   where t.timed_out_at is null
                     and t.completed_at is null
                     and t.task_uuid = any (p_task_uuids)
                     and v_now >= greatest(t.start_at, t.created_at) + nt.max_duration
                     and tasker.step_is_handed_off(o.state)))
  order by s.workflow_step_uuid
  for no key update;
  with late as (
    update tasker.tasks t
    set timed_out_at = v_now
    from tasker.named_tasks nt
    where t.task_uuid = any (p_task_uuids)
      and nt.named_task_uuid = t.named_task_uuid
      and t.completed_at is null
      and t.timed_out_at is null
      and t.cancel_requested_at is null
      and t.compensation is null
      and t.state <> 'blocked_by_failures'
      and greatest(t.start_at, t.created_at) + nt.max_duration <= v_now
      and not exists (select from tasker.get_open_steps(t.task_uuid) s
                      where tasker.step_awaits_settlement(s.state))
    returning t.task_uuid)
  select array_agg(l.task_uuid order by l.task_uuid) into v_late from late l;
  for v_task in
    select t.task_uuid, t.correlation_id, nt.on_timeout,
           exists (select from tasker.named_tasks_named_steps n
                   where n.named_task_uuid = nt.named_task_uuid
                     and n.step_type = 'compensation') as has_compensations,
           nt.configuration #>> '{lifecycle,max_duration}' as max_duration,
           greatest(t.start_at, t.created_at) + nt.max_duration as was_due_at
    from unnest(v_late) with ordinality as l(task_uuid, n)
    join tasker.tasks t on t.task_uuid = l.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    order by l.n
  loop
    v_text := format('the task exceeded lifecycle.max_duration, %s, of its template',
                     v_task.max_duration);
    case v_task.on_timeout
      when 'fail' then
        if tasker.fail_stale_task(
          v_task.task_uuid,
          jsonb_build_object('reason', 'task_timed_out', 'message', v_text,
                             'max_duration', v_task.max_duration, 'was_due_at', v_task.was_due_at),
          p_server_uuid, v_now) then v_ended := v_ended
        || jsonb_build_object('task_uuid', v_task.task_uuid, 'state', 'error',
                              'correlation_id', v_task.correlation_id); end if;
      when 'cancel', 'compensate' then
        v_ended := v_ended || (tasker.request_cancel(
                                 v_task.task_uuid, 'tasker', 'task_timed_out: ' || v_text,
                                 'cancel_running', p_server_uuid, p_now,
                                 p_compensate => v_task.on_timeout = 'compensate'
                                   and v_task.has_compensations) -> 'ended');
    end case;
  end loop;
  return v_ended;
end
$$;
comment on function tasker.time_out_tasks(uuid[], uuid, timestamptz) is
  'Ends those of the given tasks that have run for longer than lifecycle.max_duration of their '
  'template: error, a cancel, or a cancel with compensation.';
