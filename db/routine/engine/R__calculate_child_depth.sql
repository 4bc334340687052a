-- How deep a child of a task would be below the topmost task: 1 for a child of one without a
-- parent. Does not count beyond 65, which is deeper than any template allows.
-- Locks: none. Source: ADR 0043.
create or replace function tasker.calculate_child_depth(p_task_uuid uuid)
returns int
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    with recursive above as (
      select t.task_uuid, t.parent_task_uuid, 1 as depth
      from tasker.tasks t
      where t.task_uuid = p_task_uuid
      union all
      select t.task_uuid, t.parent_task_uuid, a.depth + 1
      from above a
      join tasker.tasks t on t.task_uuid = a.parent_task_uuid
      where a.depth <= 64)
    select max(a.depth) from above a);
end
$$;
comment on function tasker.calculate_child_depth(uuid) is
  'How deep a child of a task would be below the topmost task.';
