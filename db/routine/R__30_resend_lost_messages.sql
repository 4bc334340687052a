-- Puts the message of an offer back on its queue when it is no longer there: same step, same attempt. Messages are taken
-- in the order of claim_order, so an offer whose place is before the first one left in its queue has lost its own.
-- Only offers older than 5 seconds are looked at. A message too many is harmless: the claim compares state and attempt.
-- Locks: none but the new rows; the caller holds the tasks. Returns how many were sent.
-- Source: design section 3, "delete any queue row and the work still ends". Called by advance_due_tasks.
create or replace function tasker.resend_lost_messages(p_task_uuids uuid[], p_now timestamptz default null)
returns int
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_offers   record;
  v_first    bigint;
  v_handoffs tasker.step_handoff[];
  v_sent     int := 0;
begin
  for v_offers in
    select ns.name as namespace,
           array_agg((s.workflow_step_uuid, s.task_uuid, s.attempts, false, ns.name, t.claim_order, t.correlation_id)::tasker.step_handoff) as handoffs
    from tasker.workflow_steps s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where s.task_uuid = any (p_task_uuids) and s.state = 'enqueued' and s.enqueued_at < v_now - interval '5 seconds'
    group by ns.name
  loop
    execute format('select min((q.headers ->> ''claim_order'')::bigint) from pgmq.%I q', 'q_' || lower(tasker.worker_queue(v_offers.namespace)))
      into v_first;
    select array_agg(h) into v_handoffs from unnest(v_offers.handoffs) h where v_first is null or h.claim_order < v_first;
    if v_handoffs is not null then
      perform tasker.send_handoffs(v_handoffs);
      v_sent := v_sent + cardinality(v_handoffs);
    end if;
  end loop;
  return v_sent;
end
$$;
comment on function tasker.resend_lost_messages(uuid[], timestamptz) is
  'Puts the message of an offer back on its queue when it is no longer there.';
