-- What a task was forked from, and the forks made from it, the latest first: {task_uuid,
-- forked_from: {task_uuid, forked_at, from_steps, copied_steps} or null, forks: [{task_uuid, state,
-- forked_at, from_steps, copied_steps}], next}. next is the p_before of the next page, null on the
-- last one. A source or a fork may have been deleted since; a deleted fork is left out. Null when
-- there is no such task.
-- Locks: none. Source: ADR 0048.
create or replace function tasker.get_fork_documents(
  p_task_uuid uuid, p_limit int default 100, p_before uuid default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  with page as (
    select f.task_uuid, f.forked_at, f.from_steps, f.copied_steps, t.state,
           row_number() over (order by f.forked_at desc, f.task_uuid desc) as n
    from tasker.task_forks f
    join tasker.tasks t on t.task_uuid = f.task_uuid
    where f.source_task_uuid = p_task_uuid
      and (
        p_before is null
        or (f.forked_at, f.task_uuid)
          < (select b.forked_at, b.task_uuid from tasker.task_forks b where b.task_uuid = p_before))
    order by f.forked_at desc, f.task_uuid desc
    limit p_limit + 1)
  select jsonb_build_object(
           'task_uuid', t.task_uuid,
           'forked_from', (select jsonb_build_object(
                                    'task_uuid', f.source_task_uuid, 'forked_at', f.forked_at,
                                    'from_steps', f.from_steps, 'copied_steps', f.copied_steps)
                           from tasker.task_forks f
                           where f.task_uuid = t.task_uuid),
           'forks', (select coalesce(jsonb_agg(jsonb_build_object(
                                                 'task_uuid', p.task_uuid, 'state', p.state,
                                                 'forked_at', p.forked_at,
                                                 'from_steps', p.from_steps,
                                                 'copied_steps', p.copied_steps) order by p.n),
                                     '[]')
                     from page p
                     where p.n <= p_limit),
           'next', (select p.task_uuid
                    from page p
                    where p.n = p_limit and exists (select from page q where q.n > p_limit)))
  from tasker.tasks t
  where t.task_uuid = p_task_uuid
$$;
comment on function tasker.get_fork_documents(uuid, int, uuid) is
  'What a task was forked from, and the forks made from it, the latest first.';
