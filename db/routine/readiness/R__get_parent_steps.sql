-- The parents of a step, those of its template and those that were added, by keys whatever the
-- planner knows of the tables: workflow_step_edges says the same, but a join with it may read all
-- steps of a task for each edge. A worker of a batch has none; what it waits for are the parents of
-- its batch step. Written so that the planner inlines it.
-- Locks: none. Source: ADR 0083.
create or replace function tasker.get_parent_steps(p_step_uuid uuid)
returns setof tasker.workflow_steps
language sql stable
as $$
  select p.*
  from tasker.workflow_steps s
  cross join lateral (
    select e.from_position
    from tasker.named_step_edges e
    where e.to_named_step_uuid = s.named_step_uuid and e.to_position = s.step_position
    union all
    select e.from_position
    from tasker.added_step_edges e
    where e.task_uuid = s.task_uuid and e.to_position = s.step_position) e
  cross join lateral (
    select a.*
    from tasker.workflow_steps a
    where a.task_uuid = s.task_uuid and a.step_position = e.from_position offset 0) p
  where s.workflow_step_uuid = p_step_uuid offset 0
$$;
comment on function tasker.get_parent_steps(uuid) is
  'The parents of a step, those of its template and those that were added.';
