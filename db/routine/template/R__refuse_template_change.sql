-- A template is immutable: an update of any of its rows is refused with TK003, and so is a delete
-- while a task was made from it. A change is a new version.
-- Locks: tasks against writers, for a delete: no task may be made of it while we look (there is no
-- foreign key, ADR 0009).
-- The edges of its first steps are read from it as long as a task exists (ADR 0083).
-- Trigger on named_tasks, named_steps, named_tasks_named_steps and named_step_edges.
create or replace function tasker.refuse_template_change()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    raise exception 'a template never changes: register a new version instead (update of %)',
      tg_table_name
      using errcode = 'TK003';
  end if;
  lock table tasker.tasks in share mode;
  if exists (select from tasker.tasks t where t.named_task_uuid = old.named_task_uuid) then
    raise exception 'template % has tasks and stays (delete from %)', old.named_task_uuid,
      tg_table_name
      using errcode = 'TK003';
  end if;
  return old;
end
$$;
comment on function tasker.refuse_template_change() is
  'A template is immutable: an update of any of its rows is refused with TK003, and so is a '
  'delete while a task was made from it.';

create or replace trigger templates_never_change before update or delete on tasker.named_tasks
  for each row execute function tasker.refuse_template_change();
create or replace trigger templates_never_change before update or delete on tasker.named_steps
  for each row execute function tasker.refuse_template_change();
create or replace trigger templates_never_change before update or delete
on tasker.named_tasks_named_steps
  for each row execute function tasker.refuse_template_change();
create or replace trigger templates_never_change before update or delete
on tasker.named_step_edges
  for each row execute function tasker.refuse_template_change();
