-- Recounts the workers of open batches after moves that were not counted one by one:
-- recovery, release, cancel, an operator. Those that have ended are live no more; those that wait
-- for another handoff or a retry are listed as idle. Workers that have failed since are taken off
-- the failures of their tasks. A second call changes nothing.
-- Locks: the batches; the caller holds the tasks. Cost: the live workers. Source: ADR 0039.
create or replace function tasker.recount_batches(p_task_uuids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from tasker.batch_live_workers l
                 where l.task_uuid = any (p_task_uuids)) then
    return;
  end if;
  with live as materialized (
    select l.ctid as place, l.task_uuid, l.batch_step_uuid, l.due_at, s.state,
           case when tasker.step_awaits_handoff(s.state) then
                  coalesce(s.next_retry_at, '-infinity') end as is_due_at
    from tasker.batch_live_workers l
    join tasker.workflow_steps s on s.workflow_step_uuid = l.workflow_step_uuid
    where l.task_uuid = any (p_task_uuids)),
  ended as (
    -- By the places of their rows, as count_batch_workers does.
    delete from tasker.batch_live_workers l
    where l.ctid
        = any (array(select v.place
                     from live v
                     where tasker.step_has_ended(v.state)))),
  turned as (
    update tasker.batch_live_workers l
    set due_at = (select case when tasker.step_awaits_handoff(s.state) then
                                coalesce(s.next_retry_at, '-infinity') end
                  from tasker.workflow_steps s
                  where s.workflow_step_uuid = l.workflow_step_uuid)
    where l.ctid
        = any (array(select v.place
                     from live v
                     where not tasker.step_has_ended(v.state)
                       and v.due_at is distinct from v.is_due_at))),
  counts as materialized (
    select v.task_uuid, v.batch_step_uuid,
           (count(*)
            filter (where tasker.step_is_in_flight(v.state)))::int as in_flight,
           (count(*) filter (where tasker.step_ended_well(v.state)))::int as done,
           (count(*) filter (where v.state = 'error'))::int as failed,
           (count(*) filter (where v.state = 'cancelled'))::int as cancelled
    from live v
    group by v.task_uuid, v.batch_step_uuid),
  counted as (
    update tasker.batches b
    set in_flight_workers = c.in_flight, done_workers = b.done_workers + c.done,
        failed_workers = b.failed_workers + c.failed,
        cancelled_workers = b.cancelled_workers + c.cancelled
    from counts c
    where b.workflow_step_uuid = c.batch_step_uuid
      and (b.in_flight_workers <> c.in_flight or c.done + c.failed + c.cancelled > 0))
  update tasker.tasks t
  set failed_steps = t.failed_steps - c.failed, unfinished_steps = t.unfinished_steps - c.failed
  from (select u.task_uuid, sum(u.failed)::int as failed from counts u group by u.task_uuid) c
  where t.task_uuid = c.task_uuid and c.failed > 0;
end
$$;
comment on function tasker.recount_batches(uuid[]) is
  'Recounts the workers of open batches after moves that were not counted one by one.';
