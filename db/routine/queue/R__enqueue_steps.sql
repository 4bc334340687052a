-- Hands off steps: offers them to the workers. Each gets the next handoff and attempt number. The
-- first p_claim_limit of them (in the order of the array) that p_server_uuid serves are claimed for
-- it at once, without a message; the others get a message on the queue of their namespace. State,
-- numbers, history and message change in one transaction. Skips steps under a concurrency policy
-- and workers of batches at first, and asks for admission only when it has skipped some.
-- p_admitted: the caller has asked for admission already.
-- Locks: the given step rows; the caller holds the rows of their tasks. Leaves out steps that are
-- no longer in p_from.
-- Returns the handoffs.
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
  v_steps     uuid[];
  v_limit     int := p_claim_limit;
  v_served    jsonb;
begin
  if coalesce(cardinality(p_step_uuids), 0) = 0 then
    return '{}';
  end if;
  if p_admitted then
    p_step_uuids := tasker.admit_batch_workers(p_step_uuids);
  end if;
  v_steps := p_step_uuids;
  v_served := case when p_claim_limit > 0 then tasker.get_served_handlers(p_server_uuid) end;
  if v_served is not null then
    -- Steps that the worker serves come first, so that it claims none of the others.
    select array_agg(u.step_uuid order by h.is_served desc, u.n),
           least(p_claim_limit, count(*) filter (where h.is_served)) into v_steps, v_limit
    from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
    join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    cross join lateral (select coalesce(v_served -> ns.name::text ? n.handler_key,
                                        true) as is_served) h;
  end if;

  with moved as (
    update tasker.workflow_steps s
    set state
          = case when turn.n <= v_limit then 'in_progress' else 'enqueued' end::tasker.step_state,
        handoffs = s.handoffs + 1,
        attempts = s.attempts + 1,
        remaining_parents = 0,
        transition_count = s.transition_count + case when turn.n <= v_limit then 2 else 1 end,
        enqueued_at = v_now,
        last_attempted_at = case when turn.n <= v_limit then v_now else s.last_attempted_at end,
        lease_expires_at
          = case when turn.n <= v_limit then tasker.calculate_lease_end(v_now, p_lease_seconds) end,
        leased_by = case when turn.n <= v_limit then p_server_uuid end,
        next_retry_at = null
    from unnest(v_steps) with ordinality as turn(step_uuid, n)
    where s.workflow_step_uuid = turn.step_uuid
      and s.state = p_from
      and (p_admitted or not (s.is_limited or s.batch_step_uuid is not null))
    returning s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, s.handoffs, s.attempts,
              s.transition_count, turn.n <= v_limit as is_claimed, turn.n),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, path, handoff, attempt,
       processor_uuid)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, p_from,
           case when m.is_claimed then 'in_progress'::tasker.step_state else 'enqueued' end,
           case when m.is_claimed then 'worker'::tasker.actor else 'orchestrator' end,
           case when m.is_claimed then 'claimed_at_once'::tasker.step_path_name end, m.handoffs,
           m.attempts, p_server_uuid
    from moved m)
  -- Looks up the columns of a message only for steps that get one.
  select coalesce(array_agg((m.workflow_step_uuid, m.task_uuid, m.handoffs, m.is_claimed, ns.name,
                             t.claim_order, t.correlation_id, d.handler_key, m.attempts,
                             d.queue_timeout_seconds)::tasker.step_handoff order by m.n),
                  '{}') into v_handoffs
  from moved m
  left join tasker.tasks t on t.task_uuid = case when not m.is_claimed then m.task_uuid end
  left join tasker.named_tasks_named_steps d
    on d.named_step_uuid = case when not m.is_claimed then m.named_step_uuid end
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid;

  if cardinality(v_steps) > v_limit then
    perform tasker.send_handoffs(v_handoffs);
  end if;
  if p_admitted then
    perform tasker.count_batch_handoffs(v_handoffs);
  elsif cardinality(v_handoffs) < cardinality(p_step_uuids) then
    v_admitted := tasker.admit_steps(p_step_uuids, p_server_uuid, v_now)
      || array(select u.step_uuid
               from unnest(p_step_uuids) with ordinality as u(step_uuid, n)
               join tasker.workflow_steps s on s.workflow_step_uuid = u.step_uuid
                 and s.batch_step_uuid is not null
                 and not s.is_limited
               order by u.n);
    v_handoffs := v_handoffs || tasker.enqueue_steps(
      v_admitted, p_from, p_server_uuid,
      greatest(p_claim_limit - (select count(*)::int from unnest(v_handoffs) h where h.is_claimed),
               0),
      p_lease_seconds, p_now, true);
  end if;
  return v_handoffs;
end
$$;
comment on function tasker.enqueue_steps(
  uuid[], tasker.step_state, uuid, int, int, timestamptz, boolean) is
  'Hands off steps: offers them to the workers.';
