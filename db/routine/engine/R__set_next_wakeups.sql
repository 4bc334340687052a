-- Schedules the next evaluation of tasks in process: when their first lease ends, their first retry
-- is due, the grace period of a cancel request, the timeout of an unclaimed offer, the queue
-- time-out of an offer or an open wait ends, their SLA is breached, lifecycle.max_duration ends,
-- and otherwise after a time that grows with their age, up to 10 minutes, and is no shorter than
-- calculate_check_interval, so that a long queue costs little. A task of which all that could
-- happen is the end of a wait rests until then, and one with a delayed start until its start.
-- Locks: the wake-ups; the caller holds the tasks.
create or replace function tasker.set_next_wakeups(p_task_uuids uuid[], p_now timestamptz)
returns void
language sql
set search_path = ''
as $$
  -- Each row is computed by itself: a join of the two tables would compare each task with all
  -- others of the call.
  update tasker.task_wakeups w
  set wake_at = (
        select case
                 when t.is_delayed then t.start_at
                 else least(
                   case when v.ends_at is null or t.in_flight_steps > 0 or t.retrying_steps > 0 then
                          p_now + greatest(least(p_now - t.created_at, interval '10 minutes'),
                                           (select tasker.calculate_check_interval())) end,
                   v.ends_at, n.first_lease_end + interval '1 second', n.first_retry,
                   (select min(o.due_at)
                    from tasker.unclaimed_offers o
                    where o.task_uuid = t.task_uuid),
                   case when nt.has_queue_timeouts then tasker.get_queue_timeout(t.task_uuid) end,
                   case when t.timed_out_at is null
                          and t.cancel_requested_at is null
                          and t.compensation is null then
                          greatest(t.start_at, t.created_at) + nt.max_duration end,
                   case when t.cancel_force_at > p_now then t.cancel_force_at end,
                   case when t.sla_breached_at is null and nt.sla_minutes is not null then greatest(
                          greatest(t.start_at, t.created_at) + nt.sla_minutes * interval '1 minute',
                          p_now + interval '1 second', v.ends_at) end) end
        from tasker.tasks t
        join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        cross join lateral (
          select min(s.lease_expires_at) as first_lease_end,
                 min(s.next_retry_at) filter (where s.next_retry_at > p_now) as first_retry
          from tasker.get_open_steps(t.task_uuid) s) n
        cross join lateral tasker.calculate_wait_end(t.task_uuid, p_now) v
        where t.task_uuid = w.task_uuid)
  where w.task_uuid = any (array(select a.task_uuid
                                 from tasker.tasks a
                                 where a.task_uuid = any (p_task_uuids)
                                   and (a.state in ('steps_in_process', 'waiting_for_dependencies',
                                                    'waiting_for_retry')
                                        or a.is_delayed)))
$$;
comment on function tasker.set_next_wakeups(uuid[], timestamptz) is
  'Schedules the next evaluation of tasks in process.';
