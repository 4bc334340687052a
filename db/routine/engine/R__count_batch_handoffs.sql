-- Counts the workers of batches that were just handed off as in flight.
-- Locks: the batches; the caller holds the tasks. Source: ADR 0039.
create or replace function tasker.count_batch_handoffs(p_handoffs tasker.step_handoff[])
returns void
language sql
set search_path = ''
as $$
  with handed_off as materialized (
    select s.task_uuid, s.batch_step_uuid, count(*)::int as workers,
           array_agg(s.workflow_step_uuid) as step_uuids
    from unnest(p_handoffs) h
    join tasker.workflow_steps s on s.workflow_step_uuid = h.step_uuid
    where s.batch_step_uuid is not null
    group by s.task_uuid, s.batch_step_uuid),
  busy as (
    -- By the places of their rows, as count_batch_workers does.
    update tasker.batch_live_workers l set due_at = null
    where l.ctid
        = any (array(select p.place
                     from handed_off h
                     cross join lateral unnest(h.step_uuids) as u(step_uuid)
                     cross join lateral (select w.ctid as place, w.due_at
                                         from tasker.batch_live_workers w
                                         where w.task_uuid = h.task_uuid
                                           and w.workflow_step_uuid = u.step_uuid offset 0) p
                     -- Not within: the planner would read the index of all that are due.
                     where p.due_at is not null)))
  update tasker.batches b set in_flight_workers = b.in_flight_workers + h.workers
  from handed_off h
  where b.workflow_step_uuid = h.batch_step_uuid
$$;
comment on function tasker.count_batch_handoffs(tasker.step_handoff[]) is
  'Counts the workers of batches that were just handed off as in flight.';
