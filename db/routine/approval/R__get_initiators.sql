-- The persons on whose behalf a task was submitted: those behind the authenticated caller that
-- submitted it and behind the initiator that the request named, and the same of the tasks on whose
-- behalf it was submitted in turn, or of which it is a fork. Locks: none. Source: ADR 0044.
create or replace function tasker.get_initiators(p_task_uuid uuid)
returns text[]
language sql stable
as $$
  with recursive above(task_uuid) as (
    select p_task_uuid
    union
    select u.task_uuid
    from above c
    cross join lateral (select t.parent_task_uuid
                        from tasker.tasks t
                        where t.task_uuid = c.task_uuid
                        union all
                        select f.source_task_uuid
                        from tasker.task_forks f
                        where f.task_uuid = c.task_uuid) as u(task_uuid)
    where u.task_uuid is not null)
  select coalesce(array_agg(distinct p.name order by p.name), '{}')
  from above u
  join tasker.tasks t on t.task_uuid = u.task_uuid
  left join tasker.task_contexts c on c.task_uuid = t.task_uuid
  cross join lateral unnest(
    tasker.get_persons(c.submitted_by) || tasker.get_persons(t.initiator)) as p(name)
$$;
comment on function tasker.get_initiators(uuid) is
  'The persons on whose behalf a task, and the tasks above it, were submitted.';
