-- A summary of a task's steps, and the recommended action. No row when there is no such task.
create or replace function tasker.get_task_execution_context(
  input_task_uuid uuid, p_now timestamptz default null)
returns table (task_uuid uuid, named_task_uuid uuid, status text, total_steps bigint,
               pending_steps bigint, in_progress_steps bigint,
               completed_steps bigint, failed_steps bigint, ready_steps bigint,
               execution_status text, recommended_action text,
               completion_percentage numeric, health_status text, enqueued_steps bigint)
language sql stable parallel safe
as $$
  select * from tasker.get_task_execution_contexts_batch(array[input_task_uuid], p_now)
$$;
comment on function tasker.get_task_execution_context(uuid, timestamptz) is
  'A summary of a task''s steps, and the recommended action.';
