-- Stores the batches of batchable steps whose success has been accepted: a row for the batch, and
-- one for each cursor. Their workers are created by advance_batches once the batch step is ready,
-- in the same transaction where the caller settles the results.
-- p_results: as judge_batches returns them; each of a batchable step with batches. p_accepted: the
-- steps whose result was accepted.
-- Locks: none; the caller holds the tasks, or the result has been accepted once. Source: ADR 0039.
create or replace function tasker.record_batches(
  p_results jsonb, p_accepted uuid[], p_now timestamptz default null)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_batches uuid[];
  v_batchable uuid[];
begin
  if not jsonb_path_exists(p_results, '$[*] ? (exists(@.batches))') then
    return;
  end if;
  with given as (
    select w.workflow_step_uuid as batch_step_uuid, s.workflow_step_uuid, s.task_uuid, s.handoffs,
           wn.batch as limits, jsonb_array_length(r.batches) as total
    from jsonb_to_recordset(
      p_results) as r(step_uuid uuid, handoff int, outcome tasker.step_outcome, batches jsonb)
    join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
      and s.handoffs = r.handoff
      and s.is_batchable
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks_named_steps wn on wn.named_task_uuid = n.named_task_uuid
      and wn.step_type = 'batch_worker'
      and wn.parent_positions = array[n.step_position]
    join tasker.workflow_steps w on w.task_uuid = s.task_uuid and w.step_position = wn.step_position
    where tasker.outcome_ends_well(r.outcome) and r.step_uuid = any (p_accepted)),
  recorded as (
    insert into tasker.batches as b
      (workflow_step_uuid, task_uuid, batchable_step_uuid, recorded_at, handoff, parallelism,
       tolerate, total_workers, failure_strategy)
    select g.batch_step_uuid, g.task_uuid, g.workflow_step_uuid, coalesce(p_now, clock_timestamp()),
           g.handoffs, (g.limits ->> 'parallelism')::int, (g.limits ->> 'tolerate')::int, g.total,
           g.limits ->> 'failure_strategy'
    from given g
    -- An earlier handoff had made batches, and an orchestrator could not process it.
    on conflict (workflow_step_uuid) do update
      set recorded_at = excluded.recorded_at, handoff = excluded.handoff,
          total_workers = excluded.total_workers
    where b.first_position is null
    returning b.workflow_step_uuid, b.batchable_step_uuid)
  select array_agg(r.workflow_step_uuid), array_agg(r.batchable_step_uuid)
    into v_batches, v_batchable
  from recorded r;
  if v_batches is null then
    return;
  end if;
  delete from tasker.batch_items i where i.batch_step_uuid = any (v_batches);
  insert into tasker.batch_items (batch_step_uuid, ordinal, item, document_hash)
  select v_batches[array_position(v_batchable, r.step_uuid)], c.ordinality, c.value,
         tasker.hash_documents(c.value)
  from jsonb_to_recordset(
    p_results) as r(step_uuid uuid, outcome tasker.step_outcome, batches jsonb)
  cross join lateral jsonb_array_elements(r.batches) with ordinality as c
  where tasker.outcome_ends_well(r.outcome) and r.step_uuid = any (v_batchable);
end
$$;
comment on function tasker.record_batches(jsonb, uuid[], timestamptz) is
  'Stores the batches of batchable steps whose success has been accepted: a row for the batch, '
  'and one for each cursor.';
