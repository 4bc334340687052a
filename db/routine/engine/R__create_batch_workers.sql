-- Creates the next p_count workers of a batch, all pending, from the items that are left, and counts them on their task. Each has the handler and the retries of
-- its batch step. No edge leads to or from a worker: its ancestors are those of its batch step. An item is
--   a cursor, or the items of one batch: the worker has the name of the batch step with the number of its batch, and as its inputs {batch_id, batch_number,
--   batch_count, cursor_field} with the cursor or the items;
--   of a batch that undoes another one, a worker to undo: see get_undo_inputs.
-- p_first_position: step_position of the first worker of the batch. Locks: the batch; the caller holds its task. Returns the workers in the
-- order of their batches. Source: design section 13, ADR 0039, ADR 0056.
create or replace function tasker.create_batch_workers(
  p_batch_step_uuid uuid, p_first_position int, p_count int, p_server_uuid uuid, p_now timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_batch   record;
  v_workers uuid[];
begin
  select b.task_uuid, b.created_workers, b.total_workers, s.compensates_step_uuid is not null as is_undo, s.named_step_uuid, ns.name, n.default_max_attempts, n.default_retryable,
         t.is_limited, case when n.events is not null then true end as publishes_events,
         case when bn.batch ->> 'items' is null then 'cursor' else 'items' end as item_key, bn.batch -> 'cursor_field' as cursor_field
    into v_batch
  from tasker.batches b
  join tasker.tasks t on t.task_uuid = b.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_steps ns on ns.named_step_uuid = n.named_step_uuid
  join tasker.workflow_steps bs on bs.workflow_step_uuid = b.batchable_step_uuid
  join tasker.named_tasks_named_steps bn on bn.named_step_uuid = bs.named_step_uuid
  where b.workflow_step_uuid = p_batch_step_uuid;

  with items as (
    delete from tasker.batch_items i
    where i.batch_step_uuid = p_batch_step_uuid and i.ordinal between v_batch.created_workers + 1 and v_batch.created_workers + p_count
    returning i.ordinal, i.item),
  given as materialized (
    select o.ordinal, tasker.uuid_v7() as step_uuid, o.undone_uuid,
           case when v_batch.is_undo then tasker.get_undo_inputs(o.undone_uuid)
                else jsonb_build_object('batch_id', tasker.format_batch_id(o.ordinal, v_batch.total_workers), 'batch_number', o.ordinal, 'batch_count', v_batch.total_workers,
                                        'cursor_field', v_batch.cursor_field, v_batch.item_key, o.item) end as inputs
    from (select i.ordinal, i.item, case when v_batch.is_undo then (i.item #>> '{}')::uuid end as undone_uuid from items i order by i.ordinal) o),
  step_rows as (
    insert into tasker.workflow_steps
      (workflow_step_uuid, task_uuid, named_step_uuid, name, batch_step_uuid, compensates_step_uuid, created_at, step_position, transition_count, total_parents,
       remaining_parents, max_attempts, retryable, is_limited, publishes_events)
    select g.step_uuid, v_batch.task_uuid, v_batch.named_step_uuid,
           case when v_batch.is_undo then tasker.format_compensation_name(g.inputs ->> 'compensates', g.step_uuid)
                else v_batch.name || '_' || (g.inputs ->> 'batch_id') end,
           p_batch_step_uuid, g.undone_uuid, p_now, p_first_position + g.ordinal - 1, 1, 0, 0, v_batch.default_max_attempts, v_batch.default_retryable,
           v_batch.is_limited, v_batch.publishes_events
    from given g),
  documents as (
    insert into tasker.workflow_step_documents (workflow_step_uuid, task_uuid, inputs)
    select g.step_uuid, v_batch.task_uuid, g.inputs from given g),
  -- They are handed off at once, unless a policy lets some of them wait.
  live as (
    insert into tasker.batch_live_workers (task_uuid, workflow_step_uuid, batch_step_uuid, due_at)
    select v_batch.task_uuid, g.step_uuid, p_batch_step_uuid, case when v_batch.is_limited then '-infinity'::timestamptz end from given g),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid, metadata)
    select g.step_uuid, 1, v_batch.task_uuid, null, 'pending', 'orchestrator', 0, 0, p_server_uuid,
           case when v_batch.is_undo then jsonb_build_object('batch', p_batch_step_uuid, 'batch_number', g.ordinal, 'compensates', g.undone_uuid)
                else jsonb_build_object('batch', p_batch_step_uuid, 'batch_number', g.ordinal) end
    from given g)
  select array_agg(g.step_uuid order by g.ordinal) into v_workers from given g;

  update tasker.batches b set created_workers = b.created_workers + cardinality(v_workers), first_position = p_first_position
  where b.workflow_step_uuid = p_batch_step_uuid;
  update tasker.tasks t set total_steps = t.total_steps + cardinality(v_workers), unfinished_steps = t.unfinished_steps + cardinality(v_workers)
  where t.task_uuid = v_batch.task_uuid;
  return v_workers;
end
$$;
comment on function tasker.create_batch_workers(uuid, int, int, uuid, timestamptz) is
  'Creates the next workers of a batch, all pending, from the items that are left, and counts them on their task.';
