-- The child tasks that steps of a task have submitted, in the order of their submission: {children:
-- [{task_uuid, step_uuid, step, attempt, namespace, name, version, state, wait, created_at,
-- completed_at, children}], next}. wait is the state of the wait; children tells how many children
-- it has itself. At most p_limit, after p_after; next is null on the last page. Null for an unknown
-- task.
-- Locks: none. Source: ADR 0043.
create or replace function tasker.get_child_documents(
  p_task_uuid uuid, p_after uuid default null, p_limit int default 100)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    with page as materialized (
      select c.task_uuid, c.parent_step_uuid, c.state, c.created_at, c.completed_at,
             c.named_task_uuid, row_number() over (order by c.task_uuid) as n
      from tasker.tasks c
      where c.parent_task_uuid = p_task_uuid
        and c.parent_step_uuid is not null
        and (p_after is null or c.task_uuid > p_after)
      order by c.task_uuid limit p_limit + 1)
    select jsonb_build_object(
             'children', coalesce(
               jsonb_agg(jsonb_build_object(
                           'task_uuid', p.task_uuid, 'step_uuid', p.parent_step_uuid,
                           'step', coalesce(s.name, sn.name), 'attempt', w.attempt,
                           'namespace', ns.name, 'name', nt.name, 'version', nt.version,
                           'state', p.state, 'wait', w.state, 'created_at', p.created_at,
                           'completed_at', p.completed_at,
                           'children', (select count(*)
                                        from tasker.tasks g
                                        where g.parent_task_uuid = p.task_uuid
                                          and g.parent_step_uuid is not
                                            null)) order by p.n) filter (where p.n <= p_limit),
               '[]'),
             'next', (select k.task_uuid
                      from page k
                      where k.n = p_limit and exists (select from page l where l.n > p_limit)))
    from tasker.tasks t
    left join page p on true
    left join tasker.named_tasks nt on nt.named_task_uuid = p.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.workflow_steps s on s.workflow_step_uuid = p.parent_step_uuid
    left join tasker.named_steps sn on sn.named_step_uuid = s.named_step_uuid
    left join lateral (select x.attempt, x.state
                       from tasker.step_waits x
                       where x.task_uuid = p_task_uuid
                         and x.workflow_step_uuid = p.parent_step_uuid
                         and x.child_task_uuid = p.task_uuid
                       order by x.armed_at desc, x.wait_uuid desc limit 1) w on true
    where t.task_uuid = p_task_uuid
    group by t.task_uuid);
end
$$;
comment on function tasker.get_child_documents(uuid, uuid, int) is
  'The child tasks that steps of a task have submitted, in the order of their submission.';
