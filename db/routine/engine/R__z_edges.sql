-- The edges of tasks. Those between the steps that a task begins with are the template's, which
-- never changes; a task stores only what was added to it (ADR 0083).

-- Both kinds by what an index knows of a step: its template's step or its task, and its position. A
-- step of the template has its template's position in every task, an added step has one behind.
-- For functions that have the rows of the steps at hand; what names steps reads
-- workflow_step_edges. from_owner_uuid = any (array[s.named_step_uuid, s.task_uuid]) and
-- from_position = s.step_position finds the edges to the children of s.
create or replace view tasker.position_edges as
select e.from_named_step_uuid as from_owner_uuid, e.from_position,
       e.to_named_step_uuid as to_owner_uuid, e.to_position
from tasker.named_step_edges e
union all
select e.task_uuid, e.from_position, e.task_uuid, e.to_position
from tasker.added_step_edges e;
comment on view tasker.position_edges is
  'The edges of templates and the added ones of tasks, by the positions of their steps; the owner '
  'is the step of the template, or the task.';

-- A join of tables, and no union of joins, so that a query which joins it comes from a step to its
-- parents or children by keys. Without the word join, whose order join_collapse_limit may fix.
create or replace view tasker.workflow_step_edges as
select p.workflow_step_uuid as from_step_uuid, c.workflow_step_uuid as to_step_uuid, c.task_uuid,
       'provides'::varchar(32) as name
from tasker.workflow_steps p, tasker.position_edges e, tasker.workflow_steps c
where c.task_uuid = p.task_uuid
  and e.from_owner_uuid = any (array[p.named_step_uuid, p.task_uuid])
  and e.from_position = p.step_position
  and e.to_owner_uuid = any (array[c.named_step_uuid, c.task_uuid])
  and e.to_position = c.step_position;
comment on view tasker.workflow_step_edges is
  'Parent to child dependencies between two steps of one task: those of its template, and those '
  'that were added.';
