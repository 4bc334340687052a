-- When the first offer of a task ends that no worker claims in time (queue_timeout_seconds of its
-- step, from the offer on); null when it has no such offer. Locks: none. Source: ADR 0057.
create or replace function tasker.get_queue_timeout(p_task_uuid uuid)
returns timestamptz
language sql stable
set search_path = ''
as $$
  select min(s.enqueued_at + n.queue_timeout_seconds * interval '1 second')
  from tasker.get_open_steps(p_task_uuid) s
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where s.state = 'enqueued'
$$;
comment on function tasker.get_queue_timeout(uuid) is
  'When the first offer of a task ends that no worker claims in time.';
