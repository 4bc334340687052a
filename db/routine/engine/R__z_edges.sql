-- The edges of tasks. Those between the steps that a task begins with are the template's, which
-- never changes; a task stores only what was added to it (ADR 0083). A step of the template has its
-- template's position in every task, an added step has one behind.
-- A join of tables, and no union of joins, so that a query which joins the view comes from a step
-- to its parents or children by keys: an edge belongs to its step of the template, or to its task.
-- Without the word join, whose order join_collapse_limit may fix.
create or replace view tasker.workflow_step_edges as
select p.workflow_step_uuid as from_step_uuid, c.workflow_step_uuid as to_step_uuid, c.task_uuid,
       'provides'::varchar(32) as name
from tasker.workflow_steps p, tasker.workflow_steps c, (
  select g.from_named_step_uuid as from_owner_uuid, g.from_position,
         g.to_named_step_uuid as to_owner_uuid, g.to_position
  from tasker.named_step_edges g
  union all
  select a.task_uuid, a.from_position, a.task_uuid, a.to_position
  from tasker.added_step_edges a) e
where c.task_uuid = p.task_uuid
  and e.from_owner_uuid = any (array[p.named_step_uuid, p.task_uuid])
  and e.from_position = p.step_position
  and e.to_owner_uuid = any (array[c.named_step_uuid, c.task_uuid])
  and e.to_position = c.step_position;
comment on view tasker.workflow_step_edges is
  'Parent to child dependencies between two steps of one task: those of its template, and those '
  'that were added.';
