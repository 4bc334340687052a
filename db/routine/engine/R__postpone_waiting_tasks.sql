-- Of the given tasks, those that an evaluation would leave as they are: something of each is in
-- flight, which is an offer or a claim, and nothing is submitted, ready or due for a retry. Sets
-- their next wake-ups and returns them, so that the caller does not evaluate
-- them: a long queue is made of such tasks, and a whole evaluation of each costs far more than this
-- look at its steps. Left to the evaluation: tasks with a cancel request, a compensation, an open
-- batch, a delayed start, or a step that is ready and was not handed off, for whatever reason (a
-- pause, a slot, a wait).
-- Its caller has recovered leases, offers and messages before. Locks: the wake-ups; the caller
-- holds the tasks. Source: ADR 0004.
create or replace function tasker.postpone_waiting_tasks(p_task_uuids uuid[], p_now timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_waiting uuid[];
begin
  select array_agg(t.task_uuid order by t.task_uuid) into v_waiting
  from tasker.tasks t
  where t.task_uuid = any (p_task_uuids)
    and t.state = 'steps_in_process'
    and t.in_flight_steps > 0
    and t.context_checked
    and not t.is_delayed
    and t.cancel_requested_at is null
    and t.compensation is null
    and not exists (
      select from tasker.workflow_steps s
      where s.task_uuid = t.task_uuid
        and (tasker.step_awaits_settlement(s.state)
             or (s.state = 'pending' and s.remaining_parents = 0)
             or (s.state = 'waiting_for_retry' and s.next_retry_at <= p_now)))
    and not exists (select from tasker.batches b
                    where b.task_uuid = t.task_uuid and b.closed_at is null);
  if v_waiting is not null then
    perform tasker.set_next_wakeups(v_waiting, p_now);
  end if;
  return coalesce(v_waiting, '{}');
end
$$;
comment on function tasker.postpone_waiting_tasks(uuid[], timestamptz) is
  'Sets the next wake-ups of tasks that an evaluation would leave as they are, and returns them.';
