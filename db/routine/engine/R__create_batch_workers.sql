-- Creates the next workers of batches, all pending, from the items that are left, and counts them
-- on their tasks. Each has the handler and the retries of its batch step. No edge leads to or from
-- a worker: its ancestors are those of its batch step. An item is
--   a cursor, or the items of one batch: the worker has the name of the batch step with the number
--   of its batch, and as its inputs {batch_id, batch_number, batch_count, cursor_field} with the
--   cursor or the items;
--   of a batch that undoes another one, a worker to undo: see get_undo_inputs.
-- p_batch_step_uuids: batches, each once, that have a first_position. p_counts: how many workers of
-- each, no more than it has items left; parallel to the first array. Raises an exception when there
-- are fewer items.
-- Locks: the batches; the caller holds their tasks. Returns the workers in the order of the arrays,
-- and of their batches. Source: ADR 0039, ADR 0056.
create or replace function tasker.create_batch_workers(
  p_batch_step_uuids uuid[], p_counts int[], p_server_uuid uuid, p_now timestamptz)
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_births  tasker.step_birth[];
  v_workers uuid[];
begin
  if cardinality(p_batch_step_uuids) = 0 then
    return '{}';
  end if;
  -- The offsets keep the planner from joining in another order: with the statistics of a time when
  -- there were few batches it reads all of them for each.
  with asked as materialized (
    select u.n, u.workers, b.*, s.compensates_step_uuid is not null as is_undo, s.named_step_uuid,
           ns.name, t.is_limited,
           case when bn.batch ->> 'items' is null then 'cursor' else 'items' end as item_key,
           bn.batch -> 'cursor_field' as cursor_field
    from unnest(p_batch_step_uuids, p_counts) with ordinality as u(batch_step_uuid, workers, n)
    cross join lateral (
      select a.workflow_step_uuid as batch_step_uuid, a.task_uuid, a.batchable_step_uuid,
             a.created_workers, a.total_workers, a.first_position
      from tasker.batches a
      where a.workflow_step_uuid = u.batch_step_uuid offset 0) b
    join tasker.tasks t on t.task_uuid = b.task_uuid
    join tasker.workflow_steps s on s.workflow_step_uuid = b.batch_step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_steps ns on ns.named_step_uuid = n.named_step_uuid
    join tasker.workflow_steps bs on bs.workflow_step_uuid = b.batchable_step_uuid
    join tasker.named_tasks_named_steps bn on bn.named_step_uuid = bs.named_step_uuid),
  items as (
    select a.*, i.place, i.ordinal, i.item, tasker.uuid_v7() as step_uuid,
           case when a.is_undo then (i.item #>> '{}')::uuid end as undone_uuid
    from asked a
    cross join lateral (
      select b.ctid as place, b.ordinal, b.item
      from tasker.batch_items b
      where b.batch_step_uuid = a.batch_step_uuid
        and b.ordinal between a.created_workers + 1 and a.created_workers + a.workers
      order by b.ordinal offset 0) i),
  given as materialized (
    select o.*,
           case when o.is_undo then tasker.get_undo_inputs(o.undone_uuid)
                else jsonb_build_object(
                  'batch_id', tasker.format_batch_id(o.ordinal, o.total_workers),
                  'batch_number', o.ordinal, 'batch_count', o.total_workers,
                  'cursor_field', o.cursor_field, o.item_key, o.item) end as inputs
    from items o),
  taken as (
    delete from tasker.batch_items i where i.ctid = any (array(select g.place from given g))),
  -- They are handed off at once, unless a policy lets some of them wait.
  live as (
    insert into tasker.batch_live_workers (task_uuid, workflow_step_uuid, batch_step_uuid, due_at)
    select g.task_uuid, g.step_uuid, g.batch_step_uuid,
           case when g.is_limited then '-infinity'::timestamptz end
    from given g)
  select array_agg((g.step_uuid, g.task_uuid, g.named_step_uuid, g.first_position + g.ordinal - 1,
                    case when g.is_undo then
                           tasker.format_compensation_name(g.inputs ->> 'compensates', g.step_uuid)
                         else g.name || '_' || (g.inputs ->> 'batch_id') end,
                    '{}', 0, false, g.batch_step_uuid, g.undone_uuid, g.inputs,
                    jsonb_build_object('batch', g.batch_step_uuid, 'batch_number', g.ordinal)
                      || case when g.is_undo then jsonb_build_object('compensates', g.undone_uuid)
                              else '{}' end)::tasker.step_birth),
         array_agg(g.step_uuid order by g.n, g.ordinal) into v_births, v_workers
  from given g;
  perform tasker.insert_steps(v_births, p_server_uuid, p_now);
  if coalesce(cardinality(v_workers), 0) <> (select sum(u) from unnest(p_counts) u) then
    raise exception 'batches % have fewer items left than the % workers that were asked for',
      p_batch_step_uuids, p_counts;
  end if;

  update tasker.batches b
  set created_workers
      = b.created_workers + p_counts[array_position(p_batch_step_uuids, b.workflow_step_uuid)]
  where b.workflow_step_uuid = any (p_batch_step_uuids);
  return v_workers;
end
$$;
comment on function tasker.create_batch_workers(uuid[], int[], uuid, timestamptz) is
  'Creates the next workers of batches, all pending, from the items that are left, and counts '
  'them on their tasks.';
