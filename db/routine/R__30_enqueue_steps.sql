-- The handoff: offers steps to the workers. Each gets its next attempt number; the first p_claim_limit of them (in the
-- order of the array) are claimed for p_server_uuid at once and never see a queue, the others get a message on the
-- queue of their namespace. State, attempt, history and message are one statement's or at least one transaction's.
-- Locks: the given step rows; the caller holds the rows of their tasks. A step that is no longer in p_from is left out.
-- Returns what was handed off. Source: design decisions 4, 5, 13. Called by evaluate_tasks, complete_steps.
create or replace function tasker.enqueue_steps(
  p_step_uuids    uuid[],
  p_from          tasker.step_state,
  p_server_uuid   uuid,
  p_claim_limit   int,
  p_lease_seconds int,
  p_now           timestamptz default null)
returns tasker.step_handoff[]
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_handoffs tasker.step_handoff[];
begin
  if coalesce(cardinality(p_step_uuids), 0) = 0 then
    return '{}';
  end if;

  with moved as (
    update tasker.workflow_steps s
    set state = case when turn.n <= p_claim_limit then 'in_progress' else 'enqueued' end::tasker.step_state,
        attempts = s.attempts + 1,
        remaining_parents = 0,
        transition_count = s.transition_count + case when turn.n <= p_claim_limit then 2 else 1 end,
        enqueued_at = v_now,
        last_attempted_at = case when turn.n <= p_claim_limit then v_now else s.last_attempted_at end,
        lease_expires_at = case when turn.n <= p_claim_limit then v_now + p_lease_seconds * interval '1 second' end,
        leased_by = case when turn.n <= p_claim_limit then p_server_uuid end,
        next_retry_at = null
    from unnest(p_step_uuids) with ordinality as turn(step_uuid, n),
         tasker.tasks t, tasker.named_tasks nt, tasker.task_namespaces ns
    where s.workflow_step_uuid = turn.step_uuid and s.state = p_from
      and t.task_uuid = s.task_uuid and nt.named_task_uuid = t.named_task_uuid
      and ns.task_namespace_uuid = nt.task_namespace_uuid
    returning s.workflow_step_uuid, s.task_uuid, s.attempts, s.transition_count, turn.n <= p_claim_limit as is_claimed,
              turn.n, ns.name as namespace, t.claim_order, t.correlation_id),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, attempt, processor_uuid)
    select m.workflow_step_uuid, m.transition_count - m.is_claimed::int, m.task_uuid, p_from, 'enqueued'::tasker.step_state,
           'orchestrator'::tasker.actor,
           m.attempts, p_server_uuid
    from moved m
    union all
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'enqueued', 'in_progress', 'worker', m.attempts, p_server_uuid
    from moved m where m.is_claimed)
  select coalesce(array_agg((m.workflow_step_uuid, m.task_uuid, m.attempts, m.is_claimed, m.namespace, m.claim_order,
                             m.correlation_id)::tasker.step_handoff order by m.n), '{}')
    into v_handoffs from moved m;

  perform tasker.send_handoffs(v_handoffs);
  return v_handoffs;
end
$$;
comment on function tasker.enqueue_steps(uuid[], tasker.step_state, uuid, int, int, timestamptz) is
  'The handoff: offers steps to the workers.';
