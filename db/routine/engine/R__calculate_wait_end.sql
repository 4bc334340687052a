-- When a task that rests because of its open waits has to be evaluated: when the first of them is
-- due or the first claim of an approval lapses, and after a day at the latest. Null when it has no
-- open wait, or one that is due and could not be ended: then the ordinary rules for wake-ups apply.
-- A claim that is over and has not lapsed sets no time: its task is paused, or waits for a running
-- step before it fails, and what ends that makes the task due.
-- A table of one row, for a join: the planner inlines it there, and as a value it would be called
-- for each use.
create or replace function tasker.calculate_wait_end(p_task_uuid uuid, p_now timestamptz)
returns table (ends_at timestamptz)
language sql stable rows 1
as $$
  select case when count(*) > 0 and count(*) filter (where w.due_at <= p_now) = 0 then
                least(min(w.due_at),
                      min(a.claim_ends_at) filter (where a.claim_ends_at > p_now),
                      p_now + interval '24 hours') end
  from tasker.step_waits w
  left join tasker.approvals a on a.approval_uuid = w.wait_uuid and w.kind = 'approval'
  where w.task_uuid = p_task_uuid and w.state = 'open'
$$;
comment on function tasker.calculate_wait_end(uuid, timestamptz) is
  'When a task that only waits must be evaluated next; null when no open wait holds it.';
