-- Why the documents of a task cannot be erased now: the rule of erase_task_documents. An unfinished
-- task would go on without its documents, and the unfinished parent of a task may still read its
-- output, or compensate it. p_namespaces: where the caller may erase, a JSON array of names; null
-- for all. A descendant elsewhere is refused as not-permitted. Null when the erasure is possible,
-- otherwise refused with code, message and state.
-- Locks: none; the caller holds the tasks.
create or replace function tasker.judge_erasure(
  p_task tasker.tasks, p_children boolean, p_namespaces jsonb default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('outcome', 'refused', 'code', w.code, 'state', p_task.state,
                            'message', w.message)
  from (
    select 1, 'task-not-erasable',
           format('the task is %s, and would go on without its documents; cancel it first',
                  p_task.state)
    where p_task.completed_at is null
    union all
    select 2, 'task-not-erasable',
           format('its parent task %s is %s, and may still read its output', p.task_uuid, p.state)
    from tasker.tasks p
    where p.task_uuid = p_task.parent_task_uuid and p.completed_at is null
    union all
    (select 3, 'task-not-erasable',
            format('its child task %s is %s, and would go on without its documents; cancel it '
                   'first, or leave the children out', c.task_uuid, c.state)
     from tasker.find_erasure_family(array[p_task.task_uuid], p_children) f
     join tasker.tasks c on c.task_uuid = f.task_uuid
     where f.task_uuid <> p_task.task_uuid and c.completed_at is null
     order by c.task_uuid limit 1)
    union all
    (select 4, 'not-permitted',
            format('its child task %s is in namespace %s, where you may not erase', c.task_uuid,
                   ns.name)
     from tasker.find_erasure_family(array[p_task.task_uuid], p_children) f
     join tasker.tasks c on c.task_uuid = f.task_uuid
     join tasker.named_tasks nt on nt.named_task_uuid = c.named_task_uuid
     join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
     where f.task_uuid <> p_task.task_uuid and not p_namespaces ? ns.name
     order by c.task_uuid limit 1)) as w(sort_order, code, message)
  order by w.sort_order limit 1
$$;
comment on function tasker.judge_erasure(tasker.tasks, boolean, jsonb) is
  'Why the documents of a task cannot be erased now: the rule of erase_task_documents.';
