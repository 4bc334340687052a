-- Begins the compensation of tasks of which no step is in flight, each at most once: cancels the
-- steps that have not run and the waits, adds a compensating step for each step that is_undoable
-- and whose template has a compensation, with the edges of the graph reversed (the undo of a step
-- waits for the undos of all that was done after it), and offers those that wait for none. Steps
-- that an operator resolved are not undone. A step gets {compensates, step_uuid, completed, result}
-- as its inputs; its first move names the step that it compensates, and its edges. The undo of a
-- batch is a batch: its batch step stands for as many workers as are to be undone, with the same
-- parallelism, and advance_batches creates them as slots are free. It fails once all of them have
-- ended and one has failed.
-- From then on the counters of the task count its compensating steps only, so that it continues, is
-- blocked and is retried as any task; a failure does not stop branches that are independent of it.
-- A cancel request is put away until the task ends, so that it does not stop what it has asked for.
-- A task that compensates an ended child (compensate_child) has no steps of its own, and undoes
-- those of the child. p_cause etc. are those of an operator's request; null: a cancel, or the
-- failure of the task.
-- Notifies the servers, this one too, if it offers a step: at the commit.
-- Returns the deltas for roll_up_task_states. A task with nothing to undo has no unfinished step
-- then, and ends.
-- Locks: the steps by uuid, the waits; the caller holds the tasks. Source: ADR 0046, ADR 0056.
create or replace function tasker.begin_compensations(
  p_task_uuids uuid[], p_server_uuid uuid, p_now timestamptz,
  p_cause tasker.compensation_cause default null, p_by text default null,
  p_reason text default null)
returns tasker.task_delta[]
language plpgsql
set search_path = ''
as $$
declare
  v_moves    tasker.step_move[];
  v_births   tasker.step_birth[];
  v_ready    uuid[];
  v_handoffs tasker.step_handoff[];
  v_growth   record;
  v_deltas   tasker.task_delta[] := '{}';
begin
  insert into tasker.task_compensations as c
    (task_uuid, cause, state, asked_at, began_at, planned_steps, asked_by, reason, cancel_request)
  select t.task_uuid,
         coalesce(p_cause,
                  case when t.cancel_requested_at is null then 'failure'
                       else 'cancel' end::tasker.compensation_cause),
         'running', p_now, p_now, 0, p_by, p_reason,
         case when t.cancel_requested_at is not null then jsonb_build_object(
                'requested_at', t.cancel_requested_at, 'force_at', t.cancel_force_at,
                'policy', t.cancel_policy, 'by', t.cancel_requested_by,
                'claimed_actor', t.cancel_claimed_actor, 'reason', t.cancel_reason,
                'children', t.cancel_children) end
  from tasker.tasks t
  where t.task_uuid = any (p_task_uuids)
  on conflict (task_uuid) do update
    set state = 'running', began_at = excluded.began_at, planned_steps = 0,
        cancel_request = excluded.cancel_request;

  perform tasker.cancel_waits(p_task_uuids, null, p_now);
  with idle as (
    select s.workflow_step_uuid, s.handoffs, s.state
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (array(select o.workflow_step_uuid
                                            from unnest(p_task_uuids) as a(task_uuid)
                                            cross join lateral tasker.get_open_steps(a.task_uuid) o
                                            where tasker.step_awaits_handoff(o.state)))
      and tasker.step_awaits_handoff(s.state)
    order by s.workflow_step_uuid for update)
  select array_agg((i.workflow_step_uuid, i.handoffs, i.state, 'cancelled', 'orchestrator',
                    '{"reason": "the task is compensated"}', null, null, null, null,
                    null)::tasker.step_move) into v_moves
  from idle i;
  -- What they count is counted anew below: of a compensation only.
  perform tasker.apply_step_moves(v_moves, p_server_uuid, p_now);
  perform tasker.recount_batches(p_task_uuids);

  with recursive undone_tasks as materialized (
    select t.task_uuid, coalesce(t.compensates_task_uuid, t.task_uuid) as source_uuid,
           t.named_task_uuid, nt.total_steps,
           -- As get_next_step_position.
           1 + greatest(nt.total_steps,
                        (select max(s.step_position)
                         from tasker.workflow_steps s
                         where s.task_uuid = t.task_uuid
                           and s.step_position <= 1000000)) as first_position
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    where t.task_uuid = any (p_task_uuids)),
  undone_batches as materialized (
    select b.workflow_step_uuid as step_uuid, b.parallelism,
           array_agg(w.workflow_step_uuid order by w.step_position) as workers
    from undone_tasks t
    join tasker.batches b on b.task_uuid = t.source_uuid
    join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
    -- The offset keeps the planner from reading the compensations of all templates first.
    cross join lateral (select c.undoes_attempts
                        from tasker.named_tasks_named_steps c
                        where c.named_task_uuid = t.named_task_uuid
                          and c.step_position = t.total_steps + s.step_position
                          and c.step_type = 'compensation' offset 0) u
    join tasker.workflow_steps w on w.task_uuid = b.task_uuid
      and w.step_position between b.first_position and b.first_position + b.created_workers - 1
    where tasker.is_undoable(w.state, w.attempts, u.undoes_attempts)
    group by b.workflow_step_uuid),
  done as materialized (
    select s.workflow_step_uuid as step_uuid, t.task_uuid, coalesce(s.name, ns.name)::text as name,
           u.named_step_uuid, r.result,
           s.state = 'complete' as is_complete, b.parallelism, b.workers,
           b.workers is not null or u.wait_for is not null as is_automatic,
           tasker.uuid_v7() as undo_uuid,
           t.first_position + row_number() over (partition by t.task_uuid order by s.step_position)
             - 1 as position
    from undone_tasks t
    join tasker.workflow_steps s on s.task_uuid = t.source_uuid
    join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
    cross join lateral (select c.named_step_uuid, c.wait_for, c.undoes_attempts
                        from tasker.named_tasks_named_steps c
                        where c.named_task_uuid = t.named_task_uuid
                          and c.step_position = t.total_steps + d.step_position
                          and c.step_type = 'compensation' offset 0) u
    left join undone_batches b on b.step_uuid = s.workflow_step_uuid
    left join tasker.workflow_step_result_audit r on s.state = 'complete'
      and r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    where s.step_position <= 1000000
      -- A batch step is what its workers are.
      and case d.step_type when 'batch_worker' then b.step_uuid is not null
               else tasker.is_undoable(s.state, s.attempts, u.undoes_attempts) end),
  -- From each such step to the next of them on every path.
  reached(undo_uuid, task_uuid, node) as (
    select d.undo_uuid, d.task_uuid, c.workflow_step_uuid
    from done d
    cross join lateral tasker.get_child_steps(d.step_uuid) c
    union
    select r.undo_uuid, r.task_uuid, c.workflow_step_uuid
    from reached r
    cross join lateral tasker.get_child_steps(r.node) c
    where r.node not in (select d.step_uuid from done d)),
  -- Looked up in a document: the planner takes these rows for few and joins them by a loop over
  -- each other, which is quadratic.
  undo_of as materialized (
    select jsonb_object_agg(d.step_uuid, d.undo_uuid) as by_step from done d),
  edges as materialized (
    select (m.by_step ->> r.node::text)::uuid as parent, r.undo_uuid as child, r.task_uuid
    from reached r
    cross join undo_of m
    where m.by_step -> r.node::text is not null),
  parents_of as materialized (
    select jsonb_object_agg(e.child, e.uuids) as by_child
    from (select e.child, jsonb_agg(e.parent) as uuids from edges e group by e.child) e),
  undos as materialized (
    select d.*, coalesce(m.by_child -> d.undo_uuid::text, '[]') as parents
    from done d
    cross join parents_of m),
  position_of as materialized (
    select jsonb_object_agg(d.undo_uuid, d.position) as by_undo from done d),
  batch_rows as (
    insert into tasker.batches
      (workflow_step_uuid, task_uuid, batchable_step_uuid, recorded_at, handoff, parallelism,
       tolerate, total_workers, failure_strategy)
    select d.undo_uuid, d.task_uuid, d.step_uuid, p_now, 0, d.parallelism, 0,
           cardinality(d.workers), 'continue_on_failure'
    from done d
    where d.workers is not null),
  item_rows as (
    insert into tasker.batch_items (batch_step_uuid, ordinal, item, document_hash)
    select d.undo_uuid, w.n, to_jsonb(w.step_uuid), tasker.hash_documents(to_jsonb(w.step_uuid))
    from done d
    cross join lateral unnest(d.workers) with ordinality as w(step_uuid, n)),
  planned as (
    update tasker.task_compensations c set planned_steps = k.steps
    from (select d.task_uuid, count(*)::int as steps from done d group by d.task_uuid) k
    where c.task_uuid = k.task_uuid)
  select array_agg((u.undo_uuid, u.task_uuid, u.named_step_uuid, u.position,
                    tasker.format_compensation_name(u.name, u.undo_uuid),
                    array(select (m.by_undo ->> p.value)::int
                          from jsonb_array_elements_text(u.parents) as p),
                    jsonb_array_length(u.parents), u.is_automatic, null, u.step_uuid,
                    case when u.workers is null then jsonb_build_object(
                           'compensates', u.name, 'step_uuid', u.step_uuid,
                           'completed', u.is_complete, 'result', u.result) end,
                    jsonb_build_object('compensates', u.step_uuid, 'parents', u.parents,
                                       'children', '[]'::jsonb))::tasker.step_birth) into v_births
  from undos u
  cross join position_of m;
  perform tasker.insert_steps(v_births, p_server_uuid, p_now, false);
  update tasker.tasks t
  set compensation = c.cause, continue_on_error = true, in_flight_steps = 0, failed_steps = 0,
      retrying_steps = 0, unfinished_steps = c.planned_steps,
      total_steps = t.total_steps + c.planned_steps, cancel_requested_at = null,
      cancel_force_at = null, cancel_policy = null, cancel_requested_by = null,
      cancel_claimed_actor = null, cancel_reason = null, cancel_children = null
  from tasker.task_compensations c
  where t.task_uuid = any (p_task_uuids) and c.task_uuid = t.task_uuid;

  select array_agg(s.workflow_step_uuid order by t.claim_order, s.task_uuid, s.step_position)
    into v_ready
  from tasker.tasks t
  cross join lateral tasker.get_open_steps(t.task_uuid) s
  where t.task_uuid = any (p_task_uuids)
    and s.compensates_step_uuid is not null
    and s.state = 'pending'
    and s.remaining_parents = 0
    and tasker.accepts_handoffs(t);
  if exists (select from tasker.workflow_steps s
             where s.workflow_step_uuid = any (v_ready) and s.is_automatic) then
    v_growth := tasker.grow_tasks('{}', v_ready, p_server_uuid, 0, 60, p_now);
    v_ready := v_growth.o_ready;
    v_deltas := v_growth.o_deltas;
  end if;
  v_handoffs := tasker.enqueue_steps(v_ready, 'pending', p_server_uuid, 0, 60, p_now);
  -- It is called from within a roll-up, whose callers tell servers of what they have offered
  -- themselves.
  if cardinality(v_handoffs) > 0 then
    perform tasker.notify_servers(null, array['steps']);
  end if;
  return array(select (u, 0, 0, 0, 0)::tasker.task_delta from unnest(p_task_uuids) u)
         || v_deltas
         || array(select (h.task_uuid, 1, 0, 0, 0)::tasker.task_delta from unnest(v_handoffs) h);
end
$$;
comment on function tasker.begin_compensations(
  uuid[], uuid, timestamptz, tasker.compensation_cause, text, text) is
  'Begins the compensation of tasks without steps in flight: adds the steps that undo what was '
  'done, in reverse order.';
