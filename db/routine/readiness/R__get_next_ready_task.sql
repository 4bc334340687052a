-- The next due task, locked like those of get_next_ready_tasks.
create or replace function tasker.get_next_ready_task(p_now timestamptz default null)
returns table (task_uuid uuid, task_name text, priority int, namespace_name text,
               ready_steps_count bigint, computed_priority numeric,
               current_state varchar)
language sql
set search_path = ''
as $$
  select * from tasker.get_next_ready_tasks(1, p_now)
$$;
comment on function tasker.get_next_ready_task(timestamptz) is 'The next due task, locked.';
