-- Sends the message of an offer again when it is no longer on its queue: same step, same handoff.
-- Compares offers and messages one by one, in one snapshot; recreates a queue that was dropped.
-- Shows a message that is hidden for more than 15 minutes.
-- Checks only offers older than 5 seconds. A surplus message is harmless: the claim compares state
-- and handoff.
-- Locks: the hidden messages, skip locked; the caller holds the tasks. Returns how many were sent.
create or replace function tasker.resend_lost_messages(
  p_task_uuids uuid[], p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_namespace record;
  v_handoffs  tasker.step_handoff[];
  v_sent      int := 0;
begin
  for v_namespace in
    select ns.name, array_agg(distinct t.task_uuid) as tasks
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    cross join lateral tasker.get_open_steps(t.task_uuid) s
    where t.task_uuid = any (p_task_uuids)
      and s.state = 'enqueued'
      and s.enqueued_at < v_now - interval '5 seconds'
    group by ns.name
  loop
    perform tasker.ensure_task_queue(tasker.worker_queue(v_namespace.name));
    execute format($q$
      with offers as materialized (
        select s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, t.claim_order,
               t.correlation_id,
               tasker.calculate_claim_rank(t.claim_order, s.attempts) as claim_rank,
               t.sla_breached_at is not null as is_late, n.handler_key
        from tasker.tasks t
        cross join lateral tasker.get_open_steps(t.task_uuid) s
        join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
        where t.task_uuid = any ($1)
          and s.state = 'enqueued'
          and s.enqueued_at < $2 - interval '5 seconds'),
      -- A message has the claim rank of its step, which is indexed. A message that was being
      -- claimed when its task breached its SLA, and was not claimed after all, has the earlier
      -- rank.
      messages as materialized (
        select q.msg_id, q.vt, q.message ->> 'step_uuid' as step, q.message ->> 'handoff' as handoff
        from pgmq.%1$I q
        where (q.headers ->> 'claim_order')::bigint
            = any (array(select o.claim_rank
                         from offers o
                         union
                         select o.claim_rank + 6000000 from offers o where o.is_late))),
      missing as (
        select o.workflow_step_uuid::text as step, o.handoffs::text as handoff
        from offers o
        except
        select m.step, m.handoff from messages m),
      -- A client of pgmq decides how long it hides the messages it reads. This shows an offer again
      -- that is hidden for longer than a claim may take, and skips a message that another
      -- transaction has locked.
      hidden as (
        select q.msg_id
        from pgmq.%1$I q
        where q.msg_id = any (array(select m.msg_id
                                    from messages m
                                    join offers o on o.workflow_step_uuid::text = m.step
                                      and o.handoffs::text = m.handoff
                                    where m.vt > $2 + interval '15 minutes'))
        for update skip locked),
      shown as (
        update pgmq.%1$I q set vt = clock_timestamp()
        where q.msg_id = any (array(select h.msg_id from hidden h)))
      select array_agg((o.workflow_step_uuid, o.task_uuid, o.handoffs, false, $3, o.claim_order,
                        o.correlation_id, o.handler_key, o.attempts, null)::tasker.step_handoff)
      from offers o
      where o.workflow_step_uuid in (select m.step::uuid from missing m) $q$,
      'q_' || lower(tasker.worker_queue(v_namespace.name)))
      into v_handoffs using v_namespace.tasks, v_now, v_namespace.name;
    if v_handoffs is not null then
      perform tasker.send_handoffs(v_handoffs);
      v_sent := v_sent + cardinality(v_handoffs);
    end if;
  end loop;
  return v_sent;
end
$$;
comment on function tasker.resend_lost_messages(uuid[], timestamptz) is
  'Sends the message of an offer again when it is no longer on its queue.';
