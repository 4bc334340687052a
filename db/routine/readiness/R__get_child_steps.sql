-- The steps that depend on a step, those of its template and those that were added: see
-- get_parent_steps. Written so that the planner inlines it.
-- Locks: none. Source: ADR 0083.
create or replace function tasker.get_child_steps(p_step_uuid uuid)
returns setof tasker.workflow_steps
language sql stable
as $$
  select c.*
  from tasker.workflow_steps s
  cross join lateral (
    select e.to_position
    from tasker.named_step_edges e
    where e.from_named_step_uuid = s.named_step_uuid and e.from_position = s.step_position
    union all
    select e.to_position
    from tasker.added_step_edges e
    where e.task_uuid = s.task_uuid and e.from_position = s.step_position) e
  cross join lateral (
    select a.*
    from tasker.workflow_steps a
    where a.task_uuid = s.task_uuid and a.step_position = e.to_position offset 0) c
  where s.workflow_step_uuid = p_step_uuid offset 0
$$;
comment on function tasker.get_child_steps(uuid) is
  'The steps that depend on a step, those of its template and those that were added.';
