-- Recounts the workers of the open batches of tasks, after moves that were not counted one by one: recovery, release, cancel, an operator. Lists
-- those that wait for another handoff. Workers that have failed since are taken off the failures of their tasks. A second call changes nothing.
-- Locks: the batches; the caller holds the tasks. Cost: the workers of the open batches. Source: design section 13, ADR 0039.
create or replace function tasker.recount_batches(p_task_uuids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_batches uuid[];
begin
  select array_agg(b.workflow_step_uuid) into v_batches
  from tasker.batches b
  join tasker.tasks t on t.task_uuid = b.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
  where b.task_uuid = any (p_task_uuids) and b.closed_at is null and b.created_workers > 0
    -- Of a task that is compensated nothing else moves.
    and (t.compensation is null or s.compensates_step_uuid is not null);
  if v_batches is null then
    return;
  end if;
  with workers as materialized (
    select s.workflow_step_uuid, s.batch_step_uuid, s.state, s.next_retry_at
    from tasker.batches b
    join tasker.workflow_steps s on s.task_uuid = b.task_uuid and s.step_position between b.first_position and b.first_position + b.created_workers - 1
    where b.workflow_step_uuid = any (v_batches)),
  busy as (
    delete from tasker.batch_idle_workers i
    where i.batch_step_uuid = any (v_batches)
      and i.workflow_step_uuid not in (select w.workflow_step_uuid from workers w where w.state in ('pending', 'waiting_for_retry'))),
  idle as (
    insert into tasker.batch_idle_workers as i (workflow_step_uuid, batch_step_uuid, due_at)
    select w.workflow_step_uuid, w.batch_step_uuid, coalesce(w.next_retry_at, '-infinity') from workers w where w.state in ('pending', 'waiting_for_retry')
    on conflict (workflow_step_uuid) do update set due_at = excluded.due_at where i.due_at <> excluded.due_at),
  counts as (
    select w.batch_step_uuid,
           (count(*) filter (where w.state in ('enqueued', 'in_progress', 'enqueued_for_orchestration', 'enqueued_as_error_for_orchestration')))::int as in_flight,
           (count(*) filter (where w.state in ('complete', 'resolved_manually')))::int as done,
           (count(*) filter (where w.state = 'error'))::int as failed, (count(*) filter (where w.state = 'cancelled'))::int as cancelled
    from workers w group by w.batch_step_uuid),
  changed as materialized (
    select b.workflow_step_uuid, b.task_uuid, c.in_flight, c.done, c.failed, c.cancelled, c.failed - b.failed_workers as more_failed
    from counts c join tasker.batches b on b.workflow_step_uuid = c.batch_step_uuid
    where (b.in_flight_workers, b.done_workers, b.failed_workers, b.cancelled_workers) <> (c.in_flight, c.done, c.failed, c.cancelled)),
  counted as (
    update tasker.batches b
    set in_flight_workers = c.in_flight, done_workers = c.done, failed_workers = c.failed, cancelled_workers = c.cancelled
    from changed c where b.workflow_step_uuid = c.workflow_step_uuid)
  update tasker.tasks t set failed_steps = t.failed_steps - c.more_failed, unfinished_steps = t.unfinished_steps - c.more_failed
  from (select u.task_uuid, sum(u.more_failed)::int as more_failed from changed u group by u.task_uuid) c
  where t.task_uuid = c.task_uuid and c.more_failed <> 0;
end
$$;
comment on function tasker.recount_batches(uuid[]) is
  'Recounts the workers of the open batches of tasks, after moves that were not counted one by one.';
