-- The first step_position behind all steps of a task, those that its template has and those that its batches have yet to create.
-- In plpgsql, which caches its plans. Locks: none; the caller holds the task.
create or replace function tasker.get_next_step_position(p_task_uuid uuid)
returns int
language plpgsql stable
set search_path = ''
as $$
begin
  return (select 1 + greatest(
    nt.total_steps,
    (select max(s.step_position) from tasker.workflow_steps s where s.task_uuid = p_task_uuid),
    (select max(b.first_position + b.total_workers - 1) from tasker.batches b where b.task_uuid = p_task_uuid))
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.task_uuid = p_task_uuid);
end
$$;
comment on function tasker.get_next_step_position(uuid) is
  'The first step_position behind all steps of a task, those that its template has and those that its batches have yet to create.';
