-- The writer of births: steps that are added to tasks under way, with their edges, inputs and first
-- history, and the counters of their tasks, in one statement. What a step takes from its template
-- and its task is looked up here. The first steps of a task are made by create_steps, which is on
-- the path of every submission and writes for itself.
-- p_births: each step once. parents: the positions of the steps that it waits for, of which
-- remaining are not done.
-- metadata: of its history, the origin that check_history() holds the edges against. is_automatic
-- is said by the caller: a batch step is, a worker of the same template's step is not.
-- p_counts: false for steps of a compensation, of which the counters are set as a whole.
-- Locks: the tasks, which the caller holds. Source: ADR 0072.
create or replace function tasker.insert_steps(
  p_births tasker.step_birth[], p_server_uuid uuid, p_now timestamptz,
  p_counts boolean default true)
returns void
language plpgsql
set search_path = ''
as $$
begin
  with born as materialized (
    select b.*, n.default_max_attempts, n.default_retryable, t.is_limited,
           coalesce(n.step_type = 'decision', false) as is_decision,
           case when n.step_type = 'batchable' then true end as is_batchable,
           case when n.events is not null then true end as publishes_events
    from unnest(p_births) b
    join tasker.named_tasks_named_steps n on n.named_step_uuid = b.named_step_uuid
    join tasker.tasks t on t.task_uuid = b.task_uuid),
  step_rows as (
    insert into tasker.workflow_steps
      (workflow_step_uuid, task_uuid, named_step_uuid, name, batch_step_uuid, compensates_step_uuid,
       created_at, step_position, transition_count, total_parents, remaining_parents, max_attempts,
       retryable, is_limited, is_decision, is_automatic, is_batchable, publishes_events)
    select b.step_uuid, b.task_uuid, b.named_step_uuid, b.name, b.batch_step_uuid,
           b.compensates_step_uuid, p_now, b.step_position, 1, cardinality(b.parents), b.remaining,
           b.default_max_attempts, b.default_retryable, b.is_limited, b.is_decision,
           b.is_automatic, b.is_batchable, b.publishes_events
    from born b),
  edge_rows as (
    insert into tasker.added_step_edges (task_uuid, from_position, to_position)
    select b.task_uuid, p.step_position, b.step_position
    from born b
    cross join lateral unnest(b.parents) as p(step_position)),
  documents as (
    insert into tasker.workflow_step_documents (workflow_step_uuid, task_uuid, inputs)
    select b.step_uuid, b.task_uuid, b.inputs
    from born b
    where b.inputs is not null),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select b.step_uuid, 1, b.task_uuid, null, 'pending', 'orchestrator', 0, 0, p_server_uuid,
           b.metadata
    from born b)
  update tasker.tasks t
  set total_steps = t.total_steps + c.steps, unfinished_steps = t.unfinished_steps + c.steps
  from (select b.task_uuid, count(*)::int as steps from born b group by b.task_uuid) c
  where t.task_uuid = c.task_uuid and p_counts;
end
$$;
comment on function tasker.insert_steps(tasker.step_birth[], uuid, timestamptz, boolean) is
  'The writer of new steps, with their edges, inputs and first history, and the counters.';
