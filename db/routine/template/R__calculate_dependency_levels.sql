-- The level of every step of a task: 0 for a root, otherwise one more than the highest of its
-- parents. No row when there is no such task.
-- UNION keeps one row per (step, level) and not one per path: a layered DAG has exponentially many
-- paths, but a step there has one level.
-- Errors: TK008 when the edges contain a cycle.
create or replace function tasker.calculate_dependency_levels(input_task_uuid uuid)
returns table (workflow_step_uuid uuid, dependency_level int)
language plpgsql stable
set search_path = ''
as $$
declare
  v_total int;
begin
  select count(*) into v_total from tasker.workflow_steps s where s.task_uuid = input_task_uuid;
  return query
  with recursive levels(step_uuid, level) as (
    select s.workflow_step_uuid, 0
    from tasker.workflow_steps s
    where s.task_uuid = input_task_uuid
      and not exists (select from tasker.get_parent_steps(s.workflow_step_uuid))
    union
    -- The bound ends the walk on a cycle: no acyclic path is longer than the task has steps.
    select c.workflow_step_uuid, l.level + 1
    from levels l
    cross join lateral tasker.get_child_steps(l.step_uuid) c
    where l.level < v_total)
  select l.step_uuid, max(l.level)
  from levels l
  group by l.step_uuid
  having max(l.level) < v_total
  order by 2, 1;
  get diagnostics v_total = row_count;
  if v_total
      < (select count(*) from tasker.workflow_steps s where s.task_uuid = input_task_uuid) then
    raise exception 'the steps of task % depend on each other in a cycle', input_task_uuid
      using errcode = 'TK008';
  end if;
end
$$;
comment on function tasker.calculate_dependency_levels(uuid) is
  'The level of every step of a task: 0 for a root, otherwise one more than the highest of its '
  'parents.';
