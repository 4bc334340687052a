-- The persons on whose behalf a task was submitted: those behind the authenticated caller that submitted it and behind the initiator that the
-- request named, and the same of the tasks on whose behalf it was submitted in turn. Locks: none. Source: ADR 0044.
create or replace function tasker.get_initiators(p_task_uuid uuid)
returns text[]
language sql stable
as $$
  with recursive tasks(task_uuid, parent_task_uuid, initiator) as (
    select t.task_uuid, t.parent_task_uuid, t.initiator from tasker.tasks t where t.task_uuid = p_task_uuid
    union
    select t.task_uuid, t.parent_task_uuid, t.initiator from tasks c join tasker.tasks t on t.task_uuid = c.parent_task_uuid)
  select coalesce(array_agg(distinct p.name order by p.name), '{}')
  from tasks t
  left join tasker.task_contexts c on c.task_uuid = t.task_uuid
  cross join lateral unnest(tasker.get_persons(c.submitted_by) || tasker.get_persons(t.initiator)) as p(name)
$$;
comment on function tasker.get_initiators(uuid) is
  'The persons on whose behalf a task, and the tasks above it, were submitted.';
