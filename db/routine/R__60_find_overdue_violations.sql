-- Tasks that should have been looked at and leases that should have been taken back long ago: one row per finding.
-- Every server looks for both now and then, so this is for a system on which at least one is alive and keeps up.
-- Locks: none. Source: design decision 12, docs/promises.md. Called by check_history.
create or replace function tasker.find_overdue_violations(p_older_than interval default '10 minutes')
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off
as $$
  select 'due_task_is_looked_at', jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'wake_at', w.wake_at)
  from tasker.task_wakeups w
  join tasker.tasks t on t.task_uuid = w.task_uuid
  where w.wake_at < clock_timestamp() - p_older_than
  union all
  select 'ended_lease_is_taken_back',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'attempt', s.attempts, 'lease_expires_at', s.lease_expires_at, 'leased_by', s.leased_by)
  from tasker.task_wakeups w
  join tasker.workflow_steps s on s.task_uuid = w.task_uuid and s.state = 'in_progress'
  where s.lease_expires_at < clock_timestamp() - p_older_than
$$;
comment on function tasker.find_overdue_violations(interval) is
  'Tasks that should have been looked at and leases that should have been taken back long ago: one row per finding.';
