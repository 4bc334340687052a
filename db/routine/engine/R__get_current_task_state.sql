-- The state of a task, null when there is no such task.
create or replace function tasker.get_current_task_state(p_task_uuid uuid)
returns varchar
language sql stable parallel safe
as $$
  select t.state::varchar from tasker.tasks t where t.task_uuid = p_task_uuid
$$;
comment on function tasker.get_current_task_state(uuid) is
  'The state of a task, null when there is no such task.';
