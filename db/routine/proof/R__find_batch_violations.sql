-- Batches whose counters differ from a recount, workers that belong to no batch, and batches that
-- were closed wrongly: one row per finding. The first move of a worker names its batch step and the
-- number of its batch. Without nested loops: where statistics are missing or old, one over the
-- whole history would never end.
-- Locks: none. Source: ADR 0039, docs/reference/invariants.md.
create or replace function tasker.find_batch_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with tasks as (
    select t.* from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  workers as materialized (
    select s.workflow_step_uuid, s.task_uuid, s.batch_step_uuid, s.named_step_uuid, s.name, s.state,
           s.step_position, s.compensates_step_uuid, k.name as compensated_name, h.created_at,
           h.metadata ->> 'batch' as told_batch, h.metadata ->> 'batch_number' as told_number,
           case when s.state in ('pending', 'waiting_for_retry') then
                  coalesce(s.next_retry_at, '-infinity') end as free_at
    from tasker.workflow_steps s
    join tasks t on t.task_uuid = s.task_uuid
    left join tasker.workflow_step_transitions h on h.workflow_step_uuid = s.workflow_step_uuid
      and h.sort_key = 1
    left join tasker.workflow_steps k on k.workflow_step_uuid = s.compensates_step_uuid
    where s.batch_step_uuid is not null),
  recounts as (
    select w.batch_step_uuid, count(*) as created,
           count(
             *) filter (where w.state in ('enqueued', 'in_progress', 'enqueued_for_orchestration',
                                          'enqueued_as_error_for_orchestration')) as in_flight,
           count(*) filter (where w.state in ('complete', 'resolved_manually')) as done,
           count(*) filter (where w.state = 'error') as failed,
           count(*) filter (where w.state = 'cancelled') as cancelled,
           count(*) filter (where w.state in ('pending', 'waiting_for_retry')) as idle
    from workers w
    group by w.batch_step_uuid),
  live as (
    select l.batch_step_uuid, count(*) filter (where l.due_at is null) as in_flight,
           count(*) filter (where l.due_at is not null) as idle
    from tasker.batch_live_workers l
    group by l.batch_step_uuid),
  items as (
    select i.batch_step_uuid, count(*) as items, min(i.ordinal) as first_item,
           max(i.ordinal) as last_item
    from tasker.batch_items i
    group by i.batch_step_uuid),
  batches as materialized (
    select b.*, s.state, s.completed_at as ended_at, s.named_step_uuid, ns.name,
           p.state as batchable_state, p.is_batchable, s.compensates_step_uuid,
           t.task_uuid is not null as is_there, t.erased_at is not null as is_erased,
           t.cancel_requested_at, t.completed_at, c.created,
           c.in_flight, c.done, c.failed, c.cancelled, c.idle, coalesce(i.idle, 0) as listed_idle,
           coalesce(i.in_flight, 0) as listed_in_flight, coalesce(u.items, 0) as items,
           u.first_item, u.last_item, n.batch as settings, r.result, r.outcome,
           pr.handoff as result_handoff, pr.recorded_at as result_at,
           pr.outcome as batchable_outcome, pr.result as batchable_result
    from tasker.batches b
    left join tasks t on t.task_uuid = b.task_uuid
    left join tasker.tasks a on a.task_uuid = b.task_uuid
    left join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
      and s.task_uuid = b.task_uuid
    left join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_steps p on p.workflow_step_uuid = b.batchable_step_uuid
      and p.task_uuid = b.task_uuid
    left join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    left join tasker.workflow_step_result_audit pr on pr.workflow_step_uuid = p.workflow_step_uuid
      and pr.sort_key = p.result_sort_key
    left join recounts c on c.batch_step_uuid = b.workflow_step_uuid
    left join live i on i.batch_step_uuid = b.workflow_step_uuid
    left join items u on u.batch_step_uuid = b.workflow_step_uuid
    where t.task_uuid is not null or a.task_uuid is null),
  ends as (
    select h.workflow_step_uuid, count(*) as times
    from tasker.workflow_step_transitions h
    where h.to_state in ('complete', 'resolved_manually')
      and h.workflow_step_uuid in (select b.workflow_step_uuid from batches b)
    group by h.workflow_step_uuid)
  select 'batch_counters_equal_a_recount',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid, 'task_uuid', b.task_uuid,
                            'kept', jsonb_build_array(
                              b.created_workers, b.in_flight_workers, b.done_workers,
                              b.failed_workers, b.cancelled_workers, b.listed_idle,
                              b.listed_in_flight),
                            'counted', jsonb_build_array(b.created, b.in_flight, b.done, b.failed,
                                                         b.cancelled, b.idle, b.in_flight))
  from batches b
  where (b.created_workers, b.in_flight_workers, b.done_workers, b.failed_workers,
         b.cancelled_workers)
      <> (coalesce(b.created, 0), coalesce(b.in_flight, 0), coalesce(b.done, 0),
          coalesce(b.failed, 0), coalesce(b.cancelled, 0))
    or ((b.listed_idle, b.listed_in_flight) <> (coalesce(b.idle, 0), coalesce(b.in_flight, 0))
        and b.closed_at is null)
  union all
  select 'batch_keeps_its_parallelism',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid, 'in_flight', b.in_flight,
                            'parallelism', b.parallelism)
  from batches b
  where b.in_flight > b.parallelism
  union all
  select 'worker_has_its_batch',
         jsonb_build_object('step_uuid', w.workflow_step_uuid, 'task_uuid', w.task_uuid,
                            'batch_step_uuid', w.batch_step_uuid, 'name', w.name,
                            'told', w.told_number)
  from workers w
  left join batches b on b.workflow_step_uuid = w.batch_step_uuid and b.task_uuid = w.task_uuid
  where b.workflow_step_uuid is null
    or w.named_step_uuid is distinct from b.named_step_uuid
    or w.told_batch is distinct from w.batch_step_uuid::text
    or w.told_number is distinct from (w.step_position - b.first_position + 1)::text
    or w.name is distinct from case
      when b.compensates_step_uuid is null then b.name || '_' || tasker.format_batch_id(
        w.step_position - b.first_position + 1, b.total_workers)
      else tasker.format_compensation_name(w.compensated_name, w.workflow_step_uuid) end
    or w.step_position - b.first_position + 1 not between 1 and b.total_workers
    or (w.created_at > b.cancel_requested_at and w.compensates_step_uuid is null)
    or (w.compensates_step_uuid is null) <> (b.compensates_step_uuid is null)
  union all
  -- Each cursor is with its worker or still to come.
  select 'worker_has_its_batch',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid, 'total', b.total_workers,
                            'created', b.created_workers, 'items', b.items)
  from batches b
  where b.closed_at is null
    and (b.items <> b.total_workers - b.created_workers
         or b.first_item <> b.created_workers + 1
         or b.last_item <> b.total_workers)
  union all
  select 'worker_has_its_batch',
         jsonb_build_object('batch_step_uuid', i.batch_step_uuid, 'items', i.items)
  from items i
  left join tasker.batches b on b.workflow_step_uuid = i.batch_step_uuid
  where b.workflow_step_uuid is null
  union all
  -- What takes a free slot: a worker that waits for a retry no earlier than then, and no later.
  select 'live_worker_is_one_of_its_batch',
         jsonb_build_object('step_uuid', l.workflow_step_uuid, 'batch_step_uuid', l.batch_step_uuid,
                            'due_at', l.due_at, 'free_at', w.free_at)
  from tasker.batch_live_workers l
  join tasks t on t.task_uuid = l.task_uuid
  left join workers w on w.workflow_step_uuid = l.workflow_step_uuid
  where (w.task_uuid, w.batch_step_uuid) is distinct from (l.task_uuid, l.batch_step_uuid)
    or l.due_at > w.free_at
  union all
  -- A batch that undoes another one has the parallelism of that one.
  select 'batch_keeps_the_settings_of_its_template',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid,
                            'kept', jsonb_build_array(
                              b.parallelism, b.tolerate, b.failure_strategy),
                            'in_template', coalesce(b.settings, o.settings))
  from batches b
  left join tasker.workflow_steps u on u.workflow_step_uuid = b.compensates_step_uuid
  left join (select n.named_step_uuid, n.batch as settings
             from tasker.named_tasks_named_steps n
             where n.step_type = 'batch_worker') o on o.named_step_uuid = u.named_step_uuid
  where b.state is not null
    and (b.parallelism, b.tolerate, b.failure_strategy::text) is distinct from case
      when b.compensates_step_uuid is null then
        ((b.settings ->> 'parallelism')::int, (b.settings ->> 'tolerate')::int,
         b.settings ->> 'failure_strategy')
      else ((o.settings ->> 'parallelism')::int, 0, 'continue_on_failure'::text) end
  union all
  select 'batch_is_that_of_a_result',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid, 'handoff', b.handoff,
                            'result_handoff', b.result_handoff, 'total', b.total_workers,
                            'result', b.batchable_result -> 'total_batches')
  from batches b
  where b.compensates_step_uuid is null
    and b.batchable_state = 'complete'
    and (b.handoff <> b.result_handoff
         or b.recorded_at not between b.result_at - interval '10 minutes' and b.result_at
           + interval '10 minutes'
         -- The engine has cut the items itself, and its result counts them.
         or b.batchable_outcome = 'success'
           and b.batchable_result ->> 'total_batches' <> b.total_workers::text
           and b.batchable_step_uuid in (
             select s.workflow_step_uuid
             from tasker.named_tasks_named_steps n
             join tasker.workflow_steps s on s.named_step_uuid = n.named_step_uuid
             where n.batch ->> 'items' is not null and n.handler_callable is null))
  union all
  select 'batch_is_closed_once',
         jsonb_build_object('batch_step_uuid', b.workflow_step_uuid, 'task_uuid', b.task_uuid,
                            'state', b.state, 'closed_at', b.closed_at, 'times', e.times)
  from batches b
  left join ends e on e.workflow_step_uuid = b.workflow_step_uuid
  where b.is_there is not true
    or b.state is null
    or (b.closed_at is not null) <> (b.state in ('complete', 'resolved_manually'))
    or coalesce(e.times, 0) <> (b.closed_at is not null)::int
    or (b.closed_at is not null
        and (b.done_workers + b.failed_workers <> b.created_workers
             or b.listed_idle + b.listed_in_flight > 0
             or b.items > 0))
    -- The engine closes a batch with a summary of all of its workers; an operator may have closed
    -- it before all were created.
    or (b.closed_at is not null
        and b.outcome = 'success'
        and not b.is_erased
        and (b.result ->> 'total', b.result ->> 'done', b.result ->> 'failed')
          is distinct from (b.total_workers::text, b.done_workers::text, b.failed_workers::text))
    or b.closed_at not between b.ended_at - interval '10 minutes' and b.ended_at
      + interval '10 minutes'
  union all
  select 'batchable_step_has_its_batch',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid,
                            'state', s.state)
  from tasker.workflow_steps s
  join tasks t on t.task_uuid = s.task_uuid
  left join batches b on b.batchable_step_uuid = s.workflow_step_uuid
  where s.is_batchable
    and s.state in ('complete', 'resolved_manually')
    and b.workflow_step_uuid is null
  union all
  select 'batchable_step_has_its_batch',
         jsonb_build_object('step_uuid', b.batchable_step_uuid, 'task_uuid', b.task_uuid,
                            'state', b.batchable_state)
  from batches b
  where case
      when b.compensates_step_uuid is null then b.is_batchable is not true
        or (b.created_workers > 0 and b.batchable_state not in ('complete', 'resolved_manually'))
      -- A batch that undoes another one names that one's batch step.
      else b.batchable_step_uuid <> b.compensates_step_uuid end
$$;
comment on function tasker.find_batch_violations(timestamptz) is
  'Batches whose counters differ from a recount, workers that belong to no batch, and batches '
  'that were closed wrongly: one row per finding.';
