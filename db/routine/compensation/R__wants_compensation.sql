-- Whether a task that would end as cancelled, or be blocked by a failure, is compensated first: a
-- cancel asked for it, or its template says lifecycle.on_failure: compensate and no cancel was
-- requested. Once for each task.
-- Locks: none; the caller holds the task. Source: ADR 0046.
create or replace function tasker.wants_compensation(p_task_uuid uuid)
returns boolean
language sql stable
set search_path = ''
as $$
  select t.compensation is null
         and case
           when t.cancel_requested_at is not null then
             exists (select from tasker.task_compensations c
                     where c.task_uuid = t.task_uuid and c.state = 'asked')
           else coalesce(nt.configuration #>> '{lifecycle,on_failure}' = 'compensate', false) end
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.task_uuid = p_task_uuid
$$;
comment on function tasker.wants_compensation(uuid) is
  'Whether a task that would end as cancelled, or be blocked by a failure, is compensated first.';
