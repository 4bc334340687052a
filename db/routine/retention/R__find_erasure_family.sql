-- The tasks whose documents are erased together with each of some tasks: the task itself, the tasks
-- that compensate it, because they have its context, and, with p_children, all of these of its
-- descendants. A task of two families has a row in each. Forks are not among them: they are tasks
-- of their own, which may still run.
-- Locks: none.
create or replace function tasker.find_erasure_family(p_roots uuid[], p_children boolean)
returns table (root_uuid uuid, task_uuid uuid)
language sql stable
set search_path = ''
as $$
  with recursive family(root_uuid, task_uuid) as (
    select r.task_uuid, r.task_uuid
    from unnest(p_roots) as r(task_uuid)
    union
    select f.root_uuid, u.task_uuid
    from family f
    cross join lateral (select c.task_uuid
                        from tasker.tasks c
                        where c.parent_task_uuid = f.task_uuid and p_children
                        union all
                        select x.task_uuid
                        from tasker.tasks x
                        where x.compensates_task_uuid = f.task_uuid) as u(task_uuid))
  select f.root_uuid, f.task_uuid from family f
$$;
comment on function tasker.find_erasure_family(uuid[], boolean) is
  'The tasks whose documents are erased together with each of some tasks.';
