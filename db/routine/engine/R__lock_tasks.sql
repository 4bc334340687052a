-- Locks tasks in the order of their uuids, which is the lock order of all functions: every function
-- that moves steps of a task locks its row first, except when a worker accepts an offer.
create or replace function tasker.lock_tasks(p_task_uuids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform t.task_uuid
  from tasker.tasks t
  where t.task_uuid = any (p_task_uuids)
  order by t.task_uuid for no key update;
end
$$;
comment on function tasker.lock_tasks(uuid[]) is
  'Locks tasks in the order of their uuids, which is the lock order of all functions.';
