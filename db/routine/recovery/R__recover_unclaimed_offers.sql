-- Withdraws offers that no worker claims. Two limits apply, each counted from when recovery first
-- saw the reason, and restarted when the reason disappears in between (table unclaimed_offers).
-- unclaimed: for p_claim_seconds a live worker serves the step and has a permit available, fewer
-- served offers precede it than permits are available, and no worker claims it. unserved: for the
-- unserved_seconds of the template, or else p_unserved_seconds, no live worker serves the step; 0:
-- no limit. An offer that waits because all permits are in use, or behind other offers, is never
-- withdrawn. An unclaimed one becomes pending (the next handoff gets the next attempt) while
-- attempts are left and the template says reschedule, otherwise error. An unserved one becomes
-- error (worker_unavailable): another offer would wait for the same worker.
-- A third limit, the queue_timeout_seconds of the step, counts from the offer, whatever the reason
-- that no worker has claimed it: the step becomes error (queue_timeout), permanently, because the
-- next attempt would wait at the end of the same queue.
-- Locks: the steps, skip locked, since the session that holds one is claiming it; the caller holds
-- the tasks.
-- Returns how many it withdrew.
-- Source: ADR 0011.
create or replace function tasker.recover_unclaimed_offers(
  p_task_uuids uuid[], p_server_uuid uuid, p_claim_seconds int default 300,
  p_unserved_seconds int default 86400,
  p_now timestamptz default null)
returns int
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO'
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_namespace text;
  v_permits   int;
  v_handlers  text[];
  v_last      bigint;
  v_moves     tasker.step_move[];
  v_moved     uuid[];
  v_withdrawn uuid[];
  v_late      uuid[];
begin
  -- A claim does not delete the row of its offer.
  delete from tasker.unclaimed_offers w
  where w.task_uuid = any (p_task_uuids)
    and not exists (select from tasker.workflow_steps s
                    where s.workflow_step_uuid = w.workflow_step_uuid
                      and s.state = 'enqueued'
                      and s.handoffs = w.handoff);

  for v_namespace in
    select distinct ns.name
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    cross join lateral tasker.get_open_steps(t.task_uuid) s
    where t.task_uuid = any (p_task_uuids)
      and s.state = 'enqueued'
      and s.enqueued_at < v_now - interval '5 seconds'
  loop
    -- The claim rank of the last offer that the available permits could take now, among those that
    -- some worker serves.
    select coalesce(sum(greatest(w.capacity - w.running, 0)), 0) into v_permits
    from tasker.get_available_workers(v_namespace, v_now) w;
    select coalesce(array_agg(h.handler_key), '{}') into v_handlers
    from tasker.namespace_handlers h
    join tasker.task_namespaces ns on ns.task_namespace_uuid = h.task_namespace_uuid
    where ns.name = v_namespace
      and exists (select from tasker.get_available_workers(v_namespace, v_now) w
                  where tasker.has_handler(w.handlers, w.resolvers, w.unable, h.handler_callable,
                                           h.handler_resolver, h.handler_key));
    v_last := null;
    execute format(
      'select m.claim_rank
       from unnest($2) as h(handler)
       cross join lateral (
         select (q.headers ->> ''claim_order'')::bigint as claim_rank
         from pgmq.%I q
         -- As take_messages, so that messages for other handlers are not read.
         where ((q.headers ->> ''handler'') collate "C", (q.headers ->> ''claim_order'')::bigint)
             >= (h.handler, ''-9223372036854775808'')
           and (q.headers ->> ''handler'') collate "C" <= h.handler
         order by (q.headers ->> ''handler'') collate "C", (q.headers ->> ''claim_order'')::bigint
         limit $1 + 1) m
       order by m.claim_rank offset $1 limit 1',
      'q_' || lower(tasker.worker_queue(v_namespace)))
      into v_last using greatest(v_permits - 1, 0), v_handlers;

    with offers as (
      select s.workflow_step_uuid, s.task_uuid, s.handoffs,
             coalesce(nt.unserved_seconds, p_unserved_seconds) as unserved_seconds,
             case
               when not n.handler_key = any (v_handlers) then 'unserved'
               when v_permits > 0
                 and (v_last is null
                      or tasker.calculate_claim_rank(t.claim_order, s.attempts) <= v_last)
                 and exists (
                   select from tasker.get_available_workers(v_namespace, v_now) w
                   where w.running < w.capacity
                     and tasker.has_handler(w.handlers, w.resolvers, w.unable, n.handler_callable,
                                            n.handler_resolver, n.handler_key)) then 'unclaimed' end
               as why
      from tasker.tasks t
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      cross join lateral tasker.get_open_steps(t.task_uuid) s
      join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
      where t.task_uuid = any (p_task_uuids)
        and s.state = 'enqueued'
        and s.enqueued_at < v_now - interval '5 seconds'
        and ns.name = v_namespace),
    unwatched as (
      -- By keys: a join would read all rows where the statistics are of a time when the table was
      -- short.
      delete from tasker.unclaimed_offers w
      where w.task_uuid = any (array(select o.task_uuid from offers o where o.why is null))
        and w.workflow_step_uuid
          = any (array(select o.workflow_step_uuid from offers o where o.why is null)))
    insert into tasker.unclaimed_offers as w
      (task_uuid, workflow_step_uuid, handoff, why, since, due_at)
    select o.task_uuid, o.workflow_step_uuid, o.handoffs, o.why, v_now,
           v_now + l.seconds * interval '1 second'
    from offers o
    cross join lateral (select case o.why when 'unclaimed' then p_claim_seconds
                                    else nullif(o.unserved_seconds, 0) end as seconds) l
    where o.why is not null
    on conflict (task_uuid, workflow_step_uuid) do update
      set handoff = excluded.handoff, why = excluded.why,
          since = case when w.why = excluded.why and w.handoff = excluded.handoff then w.since
                       else excluded.since end,
          due_at = case when w.why = excluded.why and w.handoff = excluded.handoff then
                          w.since + (excluded.due_at - excluded.since)
                        else excluded.due_at end
    -- Most are watched already: their rows stay as they are.
    where (w.handoff, w.why, w.due_at - w.since)
        is distinct from (excluded.handoff, excluded.why, excluded.due_at - excluded.since);
  end loop;

  v_late := array(
    select s.workflow_step_uuid
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid and nt.has_queue_timeouts
    join lateral tasker.get_open_steps(t.task_uuid) s on s.state = 'enqueued'
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where t.task_uuid = any (p_task_uuids)
      and s.enqueued_at + n.queue_timeout_seconds * interval '1 second' <= v_now);
  with overdue as (
    select s.workflow_step_uuid, s.handoffs, s.attempts, s.enqueued_at, n.handler_key,
           n.queue_timeout_seconds, l.since,
           case l.why when 'unserved' then 'worker_unavailable' else l.why end as reason,
           case when l.why = 'unclaimed'
                  and tasker.may_be_retried(s)
                  and n.on_worker_lost = 'reschedule' then 'pending'
                else 'error' end::tasker.step_state as to_state
    from (select w.workflow_step_uuid, w.why, w.since, w.handoff
          from tasker.unclaimed_offers w
          where w.task_uuid = any (p_task_uuids)
            and w.due_at <= v_now
            and w.workflow_step_uuid <> all (v_late)
          union all
          select q.workflow_step_uuid, 'queue_timeout', q.enqueued_at, q.handoffs
          from tasker.workflow_steps q
          where q.workflow_step_uuid = any (v_late)) l
    join tasker.workflow_steps s on s.workflow_step_uuid = l.workflow_step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.state = 'enqueued' and s.handoffs = l.handoff
    order by s.workflow_step_uuid
    for update of s skip locked)
  select array_agg((o.workflow_step_uuid, o.handoffs, 'enqueued', o.to_state, 'recovery',
                    jsonb_build_object('reason', o.reason, 'since', o.since),
                    case when o.to_state = 'pending' then null
                         when o.reason = 'queue_timeout' then 'permanent_failure'
                         else 'retryable_failure' end, null,
                    case when o.to_state = 'error' then jsonb_build_object(
                           'type', o.reason,
                           'message', case o.reason
                             when 'queue_timeout' then
                               format('attempt %s was offered at %s and no worker claimed it '
                                      'within the %s seconds of queue_timeout_seconds',
                                      o.attempts, o.enqueued_at, o.queue_timeout_seconds)
                             when 'unclaimed' then
                               format('attempt %s was offered and no worker claimed it', o.attempts)
                             else format('attempt %s was offered since %s and no live worker had '
                                         'handler %s', o.attempts, o.enqueued_at, o.handler_key)
                             end) end,
                    null, null)::tasker.step_move) into v_moves
  from overdue o;
  -- Counted at once: the caller evaluates the tasks next.
  select m.o_moved into v_moved
  from tasker.apply_step_moves(v_moves, p_server_uuid, v_now, true) m;
  if v_moved <> '{}' then
    delete from tasker.unclaimed_offers w
    where w.task_uuid = any (p_task_uuids) and w.workflow_step_uuid = any (v_moved);
  end if;
  v_withdrawn := array(
    select m.step_uuid
    from unnest(v_moves) m
    where m.step_uuid = any (v_moved) and m.metadata ->> 'reason' <> 'unclaimed');
  if v_withdrawn <> '{}' then
    perform tasker.withdraw_messages(v_withdrawn);
  end if;
  return cardinality(v_moved);
end
$$;
comment on function tasker.recover_unclaimed_offers(uuid[], uuid, int, int, timestamptz) is
  'Withdraws offers that no worker claims although one could, and fails those that no live worker '
  'serves or that have exceeded their queue time-out.';
