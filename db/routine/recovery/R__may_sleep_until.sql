-- Whether a wake-up more than 65 minutes ahead is one that the engine sets: for a retry, for a
-- delayed start, or, within a day, for a task with an open wait. Locks: none. Source: ADR 0038.
create or replace function tasker.may_sleep_until(
  p_task_uuid uuid, p_wake_at timestamptz, p_now timestamptz)
returns boolean
language sql stable
as $$
  select exists (select from tasker.get_open_steps(p_task_uuid) s
                 where s.state = 'waiting_for_retry' and s.next_retry_at >= p_wake_at)
         or exists (select from tasker.tasks t
                    where t.task_uuid = p_task_uuid and t.is_delayed and t.start_at >= p_wake_at)
         or (p_wake_at <= p_now + interval '25 hours'
             and exists (select from tasker.step_waits v
                         where v.task_uuid = p_task_uuid and v.state = 'open'))
$$;
comment on function tasker.may_sleep_until(uuid, timestamptz, timestamptz) is
  'Whether a wake-up more than 65 minutes ahead is one that the engine sets.';
