-- The histories, one row per move, from the rows that have one for what a transaction did
-- (ADR 0088). A row without a path is one move; one with a path is as many as the path has, all of
-- its transaction, server and time. The sort_key of a row is that of its last move. Steps that a
-- task begins with have their first move in the row of its birth.
-- Conditions on keys, transactions and times that are given as values go through to the rows; those
-- on states and sort_key are judged after the join with the paths, which are few. What joins the
-- moves of steps with another table by keys reads all of them, or names the task in a lateral query
-- that the planner leaves as it is (limit, offset 0).
create or replace view tasker.task_transitions as
select m.task_uuid, m.sort_key - coalesce(p.moves - p.number, 0) as sort_key,
       coalesce(p.from_state, m.from_state) as from_state,
       coalesce(p.to_state, m.to_state) as to_state, m.actor, m.processor_uuid, m.xact_id,
       m.created_at, m.metadata
from tasker.task_moves m
left join tasker.task_paths p on p.path = m.path;
comment on view tasker.task_transitions is
  'History of tasks.state, one row per move; sort_key counts from 1 per task.';
create or replace view tasker.workflow_step_transitions as
select m.workflow_step_uuid, m.sort_key - coalesce(p.moves - p.number, 0) as sort_key, m.task_uuid,
       coalesce(p.from_state, m.from_state) as from_state,
       coalesce(p.to_state, m.to_state) as to_state, coalesce(p.actor, m.actor) as actor,
       case when p.is_birth then 0 else m.handoff end as handoff,
       case when p.is_birth then 0 else m.attempt end as attempt, m.processor_uuid, m.xact_id,
       m.created_at, m.metadata
from tasker.step_moves m
left join tasker.step_paths p on p.path = m.path
union all
-- In the list of columns: as a lateral join it is a nested loop, which the proofs switch off.
select unnest(m.born_steps), 1, m.task_uuid, null, 'pending', 'orchestrator', 0, 0,
       m.processor_uuid, m.xact_id, m.created_at, null
from tasker.task_moves m
where m.born_steps is not null;
comment on view tasker.workflow_step_transitions is
  'History of workflow_steps.state, one row per move; sort_key counts from 1 per step.';
