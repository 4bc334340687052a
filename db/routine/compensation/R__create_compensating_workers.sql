-- Creates the next p_count workers of a batch that undoes another one, all pending, and counts them on their task. Each undoes one worker, in the order of their
-- batches; batch_items names the workers. Its inputs are those of the worker that it undoes, with {compensates, step_uuid, completed, result}.
-- p_first_position, locks and what it returns: as create_batch_workers. Source: ADR 0056.
create or replace function tasker.create_compensating_workers(
  p_batch_step_uuid uuid, p_first_position int, p_count int, p_server_uuid uuid, p_now timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_batch   record;
  v_workers uuid[];
begin
  select b.task_uuid, b.created_workers, s.named_step_uuid, n.default_max_attempts, n.default_retryable, t.is_limited
    into v_batch
  from tasker.batches b
  join tasker.tasks t on t.task_uuid = b.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where b.workflow_step_uuid = p_batch_step_uuid;

  with items as (
    delete from tasker.batch_items i
    where i.batch_step_uuid = p_batch_step_uuid and i.ordinal between v_batch.created_workers + 1 and v_batch.created_workers + p_count
    returning i.ordinal, (i.item #>> '{}')::uuid as done_uuid),
  given as materialized (
    select o.ordinal, w.workflow_step_uuid as done_uuid, w.name::text as done_name, w.state = 'complete' as is_complete, r.result, d.inputs, tasker.uuid_v7() as step_uuid
    from (select i.ordinal, i.done_uuid from items i order by i.ordinal) o
    join tasker.workflow_steps w on w.workflow_step_uuid = o.done_uuid
    left join tasker.workflow_step_documents d on d.workflow_step_uuid = w.workflow_step_uuid
    left join tasker.workflow_step_result_audit r on w.state = 'complete' and r.workflow_step_uuid = w.workflow_step_uuid and r.sort_key = w.result_sort_key),
  step_rows as (
    insert into tasker.workflow_steps
      (workflow_step_uuid, task_uuid, named_step_uuid, name, batch_step_uuid, compensates_step_uuid, created_at, step_position, transition_count, total_parents,
       remaining_parents, max_attempts, retryable, is_limited)
    select g.step_uuid, v_batch.task_uuid, v_batch.named_step_uuid, tasker.format_compensation_name(g.done_name, g.step_uuid), p_batch_step_uuid, g.done_uuid, p_now,
           p_first_position + g.ordinal - 1, 1, 0, 0, v_batch.default_max_attempts, v_batch.default_retryable, v_batch.is_limited
    from given g),
  documents as (
    insert into tasker.workflow_step_documents (workflow_step_uuid, task_uuid, inputs)
    select g.step_uuid, v_batch.task_uuid,
           coalesce(g.inputs, '{}') || jsonb_build_object('compensates', g.done_name, 'step_uuid', g.done_uuid, 'completed', g.is_complete, 'result', g.result)
    from given g),
  -- A policy may let some of them wait.
  idle as (
    insert into tasker.batch_idle_workers (workflow_step_uuid, batch_step_uuid, due_at)
    select g.step_uuid, p_batch_step_uuid, '-infinity' from given g where v_batch.is_limited),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid, metadata)
    select g.step_uuid, 1, v_batch.task_uuid, null, 'pending', 'orchestrator', 0, 0, p_server_uuid,
           jsonb_build_object('batch', p_batch_step_uuid, 'batch_number', g.ordinal, 'compensates', g.done_uuid)
    from given g)
  select array_agg(g.step_uuid order by g.ordinal) into v_workers from given g;

  update tasker.batches b set created_workers = b.created_workers + cardinality(v_workers), first_position = p_first_position
  where b.workflow_step_uuid = p_batch_step_uuid;
  update tasker.tasks t set total_steps = t.total_steps + cardinality(v_workers), unfinished_steps = t.unfinished_steps + cardinality(v_workers)
  where t.task_uuid = v_batch.task_uuid;
  return v_workers;
end
$$;
comment on function tasker.create_compensating_workers(uuid, int, int, uuid, timestamptz) is
  'Creates the next workers of a batch that undoes another one, all pending, and counts them on their task.';
