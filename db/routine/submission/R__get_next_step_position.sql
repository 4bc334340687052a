-- The first step_position behind all steps of a task, those that its template has and those that
-- were added, but for the workers of its batches: these have the positions above 1 000 000, of
-- which p_is_of_batch asks for the first that no batch has reserved. In plpgsql, which caches its
-- plans. Locks: none; the caller holds the task.
create or replace function tasker.get_next_step_position(
  p_task_uuid uuid, p_is_of_batch boolean default false)
returns int
language plpgsql stable
set search_path = ''
as $$
begin
  if p_is_of_batch then
    return (select coalesce(max(b.first_position + b.total_workers), 1000001)
            from tasker.batches b
            where b.task_uuid = p_task_uuid);
  end if;
  return (select 1 + greatest(nt.total_steps,
                              (select max(s.step_position)
                               from tasker.workflow_steps s
                               where s.task_uuid = p_task_uuid and s.step_position <= 1000000))
          from tasker.tasks t
          join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
          where t.task_uuid = p_task_uuid);
end
$$;
comment on function tasker.get_next_step_position(uuid, boolean) is
  'The first step_position behind all steps of a task, or behind the workers of its batches.';
