-- The rows of workflow_step_edges, of all tasks at once: by equal columns, which can be hashed,
-- where the view comes from one step to the next. For the proof, which does without nested loops; a
-- test compares the two. Written so that the planner inlines it.
-- Locks: none. Source: ADR 0083.
create or replace function tasker.list_edges()
returns table (from_step_uuid uuid, to_step_uuid uuid, task_uuid uuid)
language sql stable
as $$
  select p.workflow_step_uuid, c.workflow_step_uuid, c.task_uuid
  from tasker.workflow_steps c
  join tasker.named_step_edges e on e.to_named_step_uuid = c.named_step_uuid
    and e.to_position = c.step_position
  join tasker.workflow_steps p on p.task_uuid = c.task_uuid and p.step_position = e.from_position
  union all
  select p.workflow_step_uuid, c.workflow_step_uuid, e.task_uuid
  from tasker.added_step_edges e
  join tasker.workflow_steps p on p.task_uuid = e.task_uuid and p.step_position = e.from_position
  join tasker.workflow_steps c on c.task_uuid = e.task_uuid and c.step_position = e.to_position
$$;
comment on function tasker.list_edges() is
  'The rows of workflow_step_edges, of all tasks at once, by joins that can be hashed.';
