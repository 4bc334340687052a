-- Expands completed decisions, and completes or arms the ready steps that no worker runs, until
-- nothing changes: carries out the outcomes, completes the decisions by rules that are ready, arms
-- and ends waits (pass_waits), submits child tasks and takes their ends (pass_child_waits), cuts
-- batches, continues those that are open, and counts down the children.
-- p_completed: completed steps, decisions and others. p_ready: steps that are ready, with and
-- without a handler. o_ready are the steps to hand off: those of p_ready that have a handler and
-- wait for nothing, and those that became ready, of tasks that accept handoffs, in the order of
-- their handoff. o_due are workers of batches to hand off from waiting_for_retry. o_deltas: what
-- the caller has to roll up. o_next_due_at: when the first of the waits that stay open is due.
-- o_queued: the namespaces in which steps of new child tasks were offered. o_claimed: their first
-- steps that the server got without a message, up to p_claim_limit.
-- Locks: the steps; the caller holds their tasks. Source: ADR 0033.
create or replace function tasker.grow_tasks(
  p_completed uuid[], p_ready uuid[], p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_now timestamptz default null,
  out o_ready uuid[], out o_deltas tasker.task_delta[], out o_next_due_at timestamptz,
  out o_due uuid[], out o_queued text[], out o_claimed uuid[])
language plpgsql
set search_path = ''
as $$
declare
  v_completed uuid[] := p_completed;
  v_automatic uuid[];
  v_decided   record;
  v_waited    record;
  v_children  record;
  v_passed    uuid[] := '{}';
  v_cut       record;
  v_batches   record;
  v_released  record;
  v_seen      uuid[] := p_ready;
  v_has_decisions boolean;
  v_has_batchable boolean;
  v_has_others    boolean;
begin
  o_ready := p_ready;
  o_deltas := '{}';
  o_due := '{}';
  o_queued := '{}';
  o_claimed := '{}';
  loop
    o_ready := o_ready || tasker.expand_decisions(v_completed, p_server_uuid, p_now);
    select array_agg(s.workflow_step_uuid)
             filter (where s.is_automatic and s.workflow_step_uuid <> all (v_passed)),
           array_agg(s.workflow_step_uuid order by t.claim_order, u.n)
             filter (where not s.is_automatic or s.workflow_step_uuid = any (v_passed)),
           bool_or(s.is_automatic and s.is_decision), bool_or(s.is_batchable),
           bool_or(s.is_automatic and not s.is_decision)
      into v_automatic, o_ready, v_has_decisions, v_has_batchable, v_has_others
    from unnest(o_ready) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    -- As accepts_handoffs, which would be called for each worker of a batch.
    where s.state = 'pending'
      and t.completed_at is null
      and t.cancel_requested_at is null
      and t.context_checked
      and not t.is_delayed
      and (t.failed_steps = 0 or t.continue_on_error)
      and t.named_task_uuid <> all (array(select p.named_task_uuid from tasker.template_pauses p));
    o_ready := coalesce(o_ready, '{}');
    exit when v_automatic is null;
    v_completed := '{}';
    -- Each only where it has something to do: a statement costs more than what it finds.
    if v_has_decisions then
      v_decided := tasker.decide_steps(v_automatic, p_server_uuid, p_now);
      o_deltas := o_deltas || v_decided.o_deltas;
      v_completed := v_decided.o_completed;
    end if;
    if v_has_batchable then
      v_cut := tasker.cut_batches(v_automatic, p_server_uuid, p_now);
      o_deltas := o_deltas || v_cut.o_deltas;
      v_completed := v_completed || v_cut.o_completed;
    end if;
    if v_has_others then
      v_waited := tasker.pass_waits(v_automatic, p_server_uuid, p_now);
      v_passed := v_passed || v_waited.o_ready;
      v_children := tasker.pass_child_waits(
        v_automatic, p_server_uuid, p_claim_limit - cardinality(o_claimed), p_lease_seconds, p_now);
      o_queued := o_queued || v_children.o_queued;
      o_claimed := o_claimed || v_children.o_claimed;
      v_batches := tasker.advance_batches(v_automatic, p_server_uuid, p_now);
      o_due := o_due || v_batches.o_due;
      o_next_due_at := least(o_next_due_at, v_waited.o_next_due_at, v_children.o_next_due_at);
      o_deltas := o_deltas || v_waited.o_deltas || v_children.o_deltas || v_batches.o_deltas;
      o_ready := o_ready || v_waited.o_ready || v_batches.o_ready;
      v_completed := v_completed || v_waited.o_completed || v_children.o_completed
        || v_batches.o_completed;
    end if;
    v_released := tasker.release_children(v_completed);
    o_ready := o_ready || v_released.o_ready;
    v_seen := v_seen || v_released.o_ready;
  end loop;
  -- A step of the task may have failed after its batch was continued.
  if cardinality(o_due) > 0 then
    select coalesce(array_agg(u.step_uuid order by t.claim_order, u.n), '{}') into o_due
    from unnest(o_due) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    where tasker.accepts_handoffs(t);
  end if;
  -- Those that were ready and are not handed off now are found by it.
  update tasker.workflow_steps s set remaining_parents = 0
  where s.workflow_step_uuid = any (v_seen)
    and s.state = 'pending'
    and s.remaining_parents > 0
    and s.workflow_step_uuid <> all (o_ready);
end
$$;
comment on function tasker.grow_tasks(uuid[], uuid[], uuid, int, int, timestamptz) is
  'Expands completed decisions, and completes or arms the ready steps that no worker runs, until '
  'nothing changes.';
