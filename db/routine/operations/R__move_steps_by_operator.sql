-- The common part of all operator actions on steps: moves steps of one task to pending, complete or
-- resolved_manually, with history, result, the task's counters and the children's. The consequences
-- for the task are evaluate_tasks's, which every caller calls in the same transaction.
-- A step that becomes pending gets its attempts back: max_attempts counts from the present number,
-- which stays, because it is the fence. One that was done and runs again gets a new idempotency
-- token, because its effect is wanted again; one that failed keeps its own, because its effect may
-- be there already. p_metadata.new_idempotency_token (true or false) says otherwise for all; the
-- history has it with the move of each step that got one. p_metadata is the history's; p_result is
-- that of a completion. A decision chooses what p_metadata.decision names, which the caller has
-- checked, or nothing; one whose choice has been carried out is not reset. A batchable step makes
-- the batches of p_metadata.batches, or none. A batch step that is completed or closed closes the
-- workers of its batch that wait, and its failed workers stay as they are. One in error becomes
-- pending when so many of its failed workers have moved that it tolerates the others; one that
-- undoes a batch, when any has moved.
-- Locks: the steps; the caller holds the task and has read the steps under its lock. Errors: TK005
-- when the rules do not allow a move, the batch of a step is closed, or one that is to be closed
-- has workers in flight. Returns how many moved. Source: ADR 0015.
create or replace function tasker.move_steps_by_operator(
  p_task_uuid uuid, p_step_uuids uuid[], p_to tasker.step_state, p_metadata jsonb, p_result jsonb,
  p_server_uuid uuid,
  p_now timestamptz)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_moves     tasker.step_move[];
  v_moved     int;
  v_batches   uuid[];
  v_workers   uuid[];
  v_decisions uuid[] := array(
    select s.workflow_step_uuid
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_step_uuids) and s.task_uuid = p_task_uuid and s.is_decision
    order by s.workflow_step_uuid);
begin
  if p_to = 'pending'
     and exists (select from tasker.decision_outcomes o
                 where o.workflow_step_uuid = any (v_decisions)
                   and o.created_steps is not null) then
    raise exception 'step % has decided, and its choice has been carried out', v_decisions[1]
      using errcode = 'TK005';
  end if;
  if exists (select from tasker.batches b
             join tasker.workflow_steps s on s.workflow_step_uuid = b.batchable_step_uuid
             where p_to = 'pending'
               and b.batchable_step_uuid = any (p_step_uuids)
               and tasker.step_ended_well(s.state)) then
    raise exception 'the batches of a step that is to start again have been made'
      using errcode = 'TK005';
  end if;
  select array_agg(b.workflow_step_uuid order by b.workflow_step_uuid)
           filter (where b.workflow_step_uuid = any (p_step_uuids)),
         array_agg(s.workflow_step_uuid) filter (where s.workflow_step_uuid <> b.workflow_step_uuid)
    into v_batches, v_workers
  from tasker.workflow_steps s
  join tasker.batches b on b.workflow_step_uuid = coalesce(s.batch_step_uuid, s.workflow_step_uuid)
  where s.workflow_step_uuid = any (p_step_uuids) and s.task_uuid = p_task_uuid;
  if exists (select from tasker.workflow_steps s
             join tasker.batches b
               on b.workflow_step_uuid = coalesce(s.batch_step_uuid, s.workflow_step_uuid)
             where s.workflow_step_uuid = any (p_step_uuids) and b.closed_at is not null) then
    raise exception 'a batch is closed, and neither it nor its workers move any more'
      using errcode = 'TK005';
  end if;
  if v_batches is not null and p_to <> 'pending' then
    if exists (select from tasker.batches b
               where b.workflow_step_uuid = any (v_batches) and b.in_flight_workers > 0) then
      raise exception 'workers of a batch are in flight, and it cannot be closed'
        using errcode = 'TK005';
    end if;
    -- Its workers that wait are closed with it, and those that were not created never are.
    perform tasker.move_steps_by_operator(
      p_task_uuid,
      (select array_agg(i.workflow_step_uuid)
       from tasker.batch_live_workers i
       where i.task_uuid = p_task_uuid
         and i.batch_step_uuid = any (v_batches)
         and i.workflow_step_uuid <> all (p_step_uuids)),
      'resolved_manually', p_metadata - 'decision' - 'batches', null, p_server_uuid, p_now);
    update tasker.batches b set closed_at = p_now where b.workflow_step_uuid = any (v_batches);
    delete from tasker.batch_items i where i.batch_step_uuid = any (v_batches);
    delete from tasker.batch_live_workers i
    where i.task_uuid = p_task_uuid and i.batch_step_uuid = any (v_batches);
  end if;
  -- Failures of workers are not counted on the task, and count below as if they were.
  with failures as (
    select s.batch_step_uuid, count(*)::int as workers
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (v_workers) and s.state = 'error'
    group by s.batch_step_uuid),
  uncounted as (
    update tasker.batches b set failed_workers = b.failed_workers - f.workers
    from failures f
    where b.workflow_step_uuid = f.batch_step_uuid)
  update tasker.tasks t
  set failed_steps = t.failed_steps + f.workers, unfinished_steps = t.unfinished_steps + f.workers
  from (select sum(u.workers)::int as workers from failures u) f
  where t.task_uuid = p_task_uuid and f.workers > 0 and v_workers is not null;
  update tasker.workflow_step_documents d set yields = 0, stalled_yields = 0
  where p_to = 'pending'
    and d.workflow_step_uuid = any (p_step_uuids)
    and d.task_uuid = p_task_uuid
    and d.yields > 0;
  with chosen as (
    select s.workflow_step_uuid, s.handoffs, s.state,
           p_to = 'pending'
             and coalesce((p_metadata ->> 'new_idempotency_token')::boolean,
                          tasker.step_ended_well(s.state)) as gets_new_token
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_step_uuids) and s.task_uuid = p_task_uuid
    order by s.workflow_step_uuid
    for no key update)
  select array_agg((c.workflow_step_uuid, c.handoffs, c.state, p_to, 'operator',
                    nullif(coalesce(p_metadata, '{}') - 'new_idempotency_token' || case
                             when c.gets_new_token then '{"new_idempotency_token": true}'
                             else '{}' end::jsonb,
                           '{}'),
                    case when p_to = 'complete' then 'manual_completion' end,
                    case when p_to = 'complete' then p_result end, null, p_server_uuid,
                    null)::tasker.step_move) into v_moves
  from chosen c;
  select cardinality(m.o_moved) into v_moved
  from tasker.apply_step_moves(v_moves, p_server_uuid, p_now, true) m;

  if p_to <> 'pending' then
    perform tasker.cancel_waits(
      array[p_task_uuid], p_step_uuids, p_now, left(p_metadata ->> 'by', 160),
      format('overridden by %s: %s', p_metadata ->> 'action', p_metadata ->> 'reason'));
  end if;

  -- Recounted instead of adjusted: the call is rare, and a recount is right for every kind of move.
  update tasker.workflow_steps s set remaining_parents = r.remaining
  from (select c.step_uuid,
               (count(*) filter (where not tasker.step_ended_well(p.state)))::int as remaining
        from (select distinct a.workflow_step_uuid as step_uuid
              from unnest(p_step_uuids) as u(step_uuid)
              cross join lateral tasker.get_child_steps(u.step_uuid) a) c
        cross join lateral tasker.get_parent_steps(c.step_uuid) p
        group by c.step_uuid) r
  where s.workflow_step_uuid = r.step_uuid and s.remaining_parents <> r.remaining;
  if p_to <> 'pending' and v_decisions <> '{}' then
    insert into tasker.decision_outcomes as o
      (workflow_step_uuid, task_uuid, decided_at, handoff, depth, chosen, reason)
    select s.workflow_step_uuid, p_task_uuid, p_now, s.handoffs,
           tasker.calculate_decision_depth(s.workflow_step_uuid),
           array(select jsonb_array_elements_text(case when p_to = 'complete'
                                                         and jsonb_typeof(p_metadata -> 'decision')
                                                           = 'array' then p_metadata -> 'decision'
                                                       else '[]' end)),
           case p_to when 'complete' then 'completed by an operator'
                else 'closed by an operator' end
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (v_decisions)
    on conflict (workflow_step_uuid) do update
      set decided_at = excluded.decided_at, handoff = excluded.handoff, depth = excluded.depth,
          chosen = excluded.chosen, reason = excluded.reason
    where o.created_steps is null;
    perform tasker.expand_decisions(v_decisions, p_server_uuid, p_now);
  end if;
  if p_to <> 'pending' then
    perform tasker.record_batches(
      (select jsonb_agg(jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoff', s.handoffs,
                                           'outcome', 'success',
                                           'batches', case
                                             when p_to = 'complete'
                                               and jsonb_typeof(p_metadata -> 'batches')
                                                 = 'array' then p_metadata -> 'batches'
                                             else '[]' end))
       from tasker.workflow_steps s
       where s.workflow_step_uuid = any (p_step_uuids)
         and s.task_uuid = p_task_uuid
         and s.is_batchable),
      p_step_uuids, p_now);
  end if;
  if v_workers is not null then
    -- One that had failed is live again, or is counted as done.
    insert into tasker.batch_live_workers (task_uuid, workflow_step_uuid, batch_step_uuid)
    select s.task_uuid, s.workflow_step_uuid, s.batch_step_uuid
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (v_workers)
    on conflict do nothing;
    perform tasker.recount_batches(array[p_task_uuid]);
    -- A batch step is in error only while more workers have failed than it tolerates.
    select array_agg(b.workflow_step_uuid) into v_batches
    from tasker.batches b
    join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
      and s.state = 'error'
    where b.task_uuid = p_task_uuid
      and b.workflow_step_uuid <> all (p_step_uuids)
      and (b.failed_workers <= coalesce(b.tolerate, b.failed_workers)
           or (s.compensates_step_uuid is not null
               and b.done_workers + b.failed_workers < b.total_workers));
    if v_batches is not null then
      perform tasker.move_steps_by_operator(
        p_task_uuid, v_batches, 'pending', p_metadata - 'decision' - 'batches', null, p_server_uuid,
        p_now);
    end if;
  end if;
  return v_moved;
end
$$;
comment on function tasker.move_steps_by_operator(
  uuid, uuid[], tasker.step_state, jsonb, jsonb, uuid, timestamptz) is
  'The common part of all operator actions on steps: moves steps of one task to pending, complete '
  'or resolved_manually.';
