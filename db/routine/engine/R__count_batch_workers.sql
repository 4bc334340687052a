-- Counts workers of batches that have just left flight, by where they are now: complete, in error,
-- waiting for a retry or cancelled. A worker that failed is taken off the failures of its task,
-- which count the batch step instead once more workers have failed than it tolerates.
-- p_step_uuids: other steps are left out. Locks: the batches; the caller holds the tasks, and has
-- counted failures on them.
-- Returns the batch steps of the workers. Source: ADR 0039.
create or replace function tasker.count_batch_workers(p_step_uuids uuid[])
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_batches uuid[];
begin
  select array_agg(distinct s.batch_step_uuid) into v_batches
  from tasker.workflow_steps s
  where s.workflow_step_uuid = any (p_step_uuids) and s.batch_step_uuid is not null;
  if v_batches is null then
    return '{}';
  end if;
  with moved as materialized (
    select s.workflow_step_uuid, s.batch_step_uuid, s.task_uuid, s.state, s.next_retry_at
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_step_uuids)
      and s.batch_step_uuid is not null
      and s.state in ('complete', 'error', 'waiting_for_retry', 'cancelled')),
  -- By the places of their rows: a join would compare each worker with all that are live, where the
  -- statistics are of a time when none was.
  places as materialized (
    select p.place, m.state <> 'waiting_for_retry' as has_ended
    from moved m
    cross join lateral (
      select l.ctid as place
      from tasker.batch_live_workers l
      where l.task_uuid = m.task_uuid and l.workflow_step_uuid = m.workflow_step_uuid offset 0) p),
  ended as (
    delete from tasker.batch_live_workers l
    where l.ctid = any (array(select p.place from places p where p.has_ended))),
  idle as (
    update tasker.batch_live_workers l
    set due_at = (select s.next_retry_at
                  from tasker.workflow_steps s
                  where s.workflow_step_uuid = l.workflow_step_uuid)
    where l.ctid = any (array(select p.place from places p where not p.has_ended))),
  counted as (
    update tasker.batches b
    set in_flight_workers = b.in_flight_workers - m.workers, done_workers = b.done_workers + m.done,
        failed_workers = b.failed_workers + m.failed,
        cancelled_workers = b.cancelled_workers + m.cancelled
    from (select u.batch_step_uuid, count(*)::int as workers,
                 (count(*) filter (where u.state = 'complete'))::int as done,
                 (count(*) filter (where u.state = 'error'))::int as failed,
                 (count(*) filter (where u.state = 'cancelled'))::int as cancelled
          from moved u
          group by u.batch_step_uuid) m
    where b.workflow_step_uuid = m.batch_step_uuid)
  update tasker.tasks t
  set failed_steps = t.failed_steps - m.failed, unfinished_steps = t.unfinished_steps - m.failed
  from (select u.task_uuid, count(*)::int as failed
        from moved u
        where u.state = 'error'
        group by u.task_uuid) m
  where t.task_uuid = m.task_uuid;
  return v_batches;
end
$$;
comment on function tasker.count_batch_workers(uuid[]) is
  'Counts workers of batches that have just left flight, by where they are now.';
