-- The handoff: offers steps to the workers. Each gets the next number of its handoffs and of its attempts; the first p_claim_limit of them (in the
-- order of the array) are claimed for p_server_uuid at once and never see a queue, the others get a message on the
-- queue of their namespace. A step whose handler that server lacks and others have is never claimed for it. State, numbers, history and message are one statement's or at least one transaction's.
-- A step under a concurrency policy is passed over at first; only when some were is it asked who of them is admitted.
-- p_admitted: the caller has asked already.
-- Locks: the given step rows; the caller holds the rows of their tasks. A step that is no longer in p_from is left out.
-- Returns what was handed off. Source: design decisions 4, 5, 13.
create or replace function tasker.enqueue_steps(
  p_step_uuids    uuid[],
  p_from          tasker.step_state,
  p_server_uuid   uuid,
  p_claim_limit   int,
  p_lease_seconds int,
  p_now           timestamptz default null,
  p_admitted      boolean     default false)
returns tasker.step_handoff[]
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_handoffs  tasker.step_handoff[];
  v_admitted  uuid[];
  v_steps     uuid[] := p_step_uuids;
  v_limit     int := p_claim_limit;
  v_elsewhere jsonb;
begin
  if coalesce(cardinality(p_step_uuids), 0) = 0 then
    return '{}';
  end if;
  v_elsewhere := case when p_claim_limit > 0 then tasker.get_handlers_elsewhere(p_server_uuid) end;
  if v_elsewhere is not null then
    -- What the server can run first, so that the others are none of those that it claims.
    select array_agg(u.step_uuid order by h.is_elsewhere, u.n), least(p_claim_limit, count(*) filter (where not h.is_elsewhere))
      into v_steps, v_limit
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    cross join lateral (select coalesce(v_elsewhere -> ns.name::text ? n.handler_key, false) as is_elsewhere) h;
  end if;

  with moved as (
    update tasker.workflow_steps s
    set state = case when turn.n <= v_limit then 'in_progress' else 'enqueued' end::tasker.step_state,
        handoffs = s.handoffs + 1,
        attempts = s.attempts + 1,
        remaining_parents = 0,
        transition_count = s.transition_count + case when turn.n <= v_limit then 2 else 1 end,
        enqueued_at = v_now,
        last_attempted_at = case when turn.n <= v_limit then v_now else s.last_attempted_at end,
        lease_expires_at = case when turn.n <= v_limit then v_now + p_lease_seconds * interval '1 second' end,
        leased_by = case when turn.n <= v_limit then p_server_uuid end,
        next_retry_at = null
    from unnest(v_steps) with ordinality as turn(step_uuid, n)
    where s.workflow_step_uuid = turn.step_uuid and s.state = p_from and (p_admitted or not s.is_limited)
    returning s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, s.handoffs, s.attempts, s.transition_count, turn.n <= v_limit as is_claimed, turn.n),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid)
    select m.workflow_step_uuid, m.transition_count - m.is_claimed::int, m.task_uuid, p_from, 'enqueued'::tasker.step_state,
           'orchestrator'::tasker.actor,
           m.handoffs, m.attempts, p_server_uuid
    from moved m
    union all
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'enqueued', 'in_progress', 'worker', m.handoffs, m.attempts, p_server_uuid
    from moved m where m.is_claimed)
  -- What only a message needs is looked up for those that get one.
  select coalesce(array_agg((m.workflow_step_uuid, m.task_uuid, m.handoffs, m.is_claimed, ns.name, t.claim_order,
                             t.correlation_id, d.handler_key, m.attempts)::tasker.step_handoff order by m.n), '{}')
    into v_handoffs
  from moved m
  left join tasker.tasks t on t.task_uuid = case when not m.is_claimed then m.task_uuid end
  left join tasker.named_tasks_named_steps d on d.named_step_uuid = case when not m.is_claimed then m.named_step_uuid end
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid;

  if cardinality(v_steps) > v_limit then
    perform tasker.send_handoffs(v_handoffs);
  end if;
  if not p_admitted and cardinality(v_handoffs) < cardinality(p_step_uuids) then
    v_admitted := tasker.admit_steps(p_step_uuids, p_server_uuid);
    v_handoffs := v_handoffs || tasker.enqueue_steps(
      v_admitted, p_from, p_server_uuid,
      greatest(p_claim_limit - (select count(*)::int from unnest(v_handoffs) h where h.is_claimed), 0), p_lease_seconds, p_now, true);
  end if;
  return v_handoffs;
end
$$;
comment on function tasker.enqueue_steps(uuid[], tasker.step_state, uuid, int, int, timestamptz, boolean) is
  'The handoff: offers steps to the workers.';
