-- Continues open batches whose batch step is ready: closes one when all of its workers have ended,
-- fails one when more of them have failed than it tolerates, and otherwise names the workers for
-- its free slots: those that wait for another handoff or a due retry first, then new ones, at most
-- 1000 of them in a call, created here from the next cursors. A batch step that completes has
-- {total, done, failed, results} as its result. A batch that undoes another one fails only when all
-- of its workers have ended.
-- p_step_uuids: batch steps; those that are not pending are left out. Locks: the steps and batches;
-- the caller holds their tasks, which accept handoffs. o_ready are workers to hand off from
-- pending, o_due those from waiting_for_retry, o_completed the batch steps that were completed,
-- o_deltas what the caller has to roll up. Source: ADR 0039.
create or replace function tasker.advance_batches(
  p_step_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null,
  out o_completed uuid[], out o_ready uuid[], out o_due uuid[], out o_deltas tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_batch record;
  v_free  int;
  v_ready uuid[];
  v_due   uuid[];
  v_growing uuid[] := '{}';
  v_counts  int[] := '{}';
begin
  o_completed := '{}';
  o_ready := '{}';
  o_due := '{}';
  o_deltas := '{}';
  for v_batch in
    select b.*, s.compensates_step_uuid
    from tasker.batches b
    join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
      and s.state = 'pending'
    -- By an array of keys: with a join the planner reads all batches for each step while its
    -- statistics say that there are few.
    where b.workflow_step_uuid = any (p_step_uuids) and b.closed_at is null
    order by array_position(p_step_uuids, b.workflow_step_uuid)
  loop
    if v_batch.compensates_step_uuid is not null
       and v_batch.done_workers + v_batch.failed_workers < v_batch.total_workers then
      v_batch.tolerate := null;
    end if;
    if v_batch.failed_workers > v_batch.tolerate then
      o_deltas := o_deltas || tasker.end_automatic_step(
        v_batch.workflow_step_uuid, null, tasker.get_batch_failure(v_batch.workflow_step_uuid),
        p_server_uuid, v_now);
      continue;
    end if;
    if v_batch.done_workers + v_batch.failed_workers = v_batch.total_workers then
      update tasker.batches b set closed_at = v_now
      where b.workflow_step_uuid = v_batch.workflow_step_uuid;
      o_deltas := o_deltas || tasker.end_automatic_step(
        v_batch.workflow_step_uuid, tasker.get_batch_summary(v_batch.workflow_step_uuid), null,
        p_server_uuid, v_now);
      o_completed := o_completed || v_batch.workflow_step_uuid;
      continue;
    end if;
    v_free := v_batch.parallelism - v_batch.in_flight_workers;
    select array_agg(i.workflow_step_uuid order by i.due_at,
                     i.workflow_step_uuid) filter (where s.state = 'pending'),
           array_agg(i.workflow_step_uuid order by i.due_at,
                     i.workflow_step_uuid) filter (where s.state = 'waiting_for_retry')
      into v_ready, v_due
    from (select d.workflow_step_uuid, d.due_at
          from tasker.batch_live_workers d
          where d.batch_step_uuid = v_batch.workflow_step_uuid and d.due_at <= v_now
          order by d.due_at limit v_free) i
    join tasker.workflow_steps s on s.workflow_step_uuid = i.workflow_step_uuid;
    o_ready := o_ready || v_ready;
    o_due := o_due || v_due;
    v_free := least(v_free - coalesce(cardinality(v_ready), 0) - coalesce(cardinality(v_due), 0),
                    v_batch.total_workers - v_batch.created_workers, 1000);
    if v_free > 0 then
      if v_batch.first_position is null then
        update tasker.batches b
        set first_position = tasker.get_next_step_position(b.task_uuid, true)
        where b.workflow_step_uuid = v_batch.workflow_step_uuid;
      end if;
      v_growing := v_growing || v_batch.workflow_step_uuid;
      v_counts := v_counts || v_free;
    end if;
  end loop;
  o_ready := o_ready || tasker.create_batch_workers(v_growing, v_counts, p_server_uuid, v_now);
end
$$;
comment on function tasker.advance_batches(uuid[], uuid, timestamptz) is
  'Continues open batches whose batch step is ready: closes or fails them, or names the workers '
  'for their free slots.';
