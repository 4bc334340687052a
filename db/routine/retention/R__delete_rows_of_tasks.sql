-- Steps, contexts, search attributes and wake-ups go with their task, as a foreign key would have it; documents and dead letters have one.
-- Once per statement: a clean-up deletes many at a time. Edges, results and history stay.
-- Locks: the rows. Source: ADR 0009. Trigger on tasks.
create or replace function tasker.delete_rows_of_tasks()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  delete from tasker.task_wakeups w using old_rows o where w.task_uuid = o.task_uuid;
  delete from tasker.task_contexts c using old_rows o where c.task_uuid = o.task_uuid;
  delete from tasker.task_search_attributes a using old_rows o where a.task_uuid = o.task_uuid;
  delete from tasker.workflow_steps s using old_rows o where s.task_uuid = o.task_uuid;
  return null;
end
$$;
comment on function tasker.delete_rows_of_tasks() is
  'Steps, contexts, search attributes and wake-ups go with their task, as a foreign key would have it.';

create or replace trigger rows_go_with_their_task after delete on tasker.tasks
  referencing old table as old_rows for each statement execute function tasker.delete_rows_of_tasks();
