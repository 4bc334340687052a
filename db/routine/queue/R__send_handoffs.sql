-- Sends the messages of handoffs that were not claimed at once to the queues of their namespaces,
-- with the claim rank and the handler as headers. Where a step has a queue time-out, the wake-up of
-- its task is no later than that.
-- Locks: the new rows; the wake-ups of tasks with a queue time-out, which the caller holds.
create or replace function tasker.send_handoffs(p_handoffs tasker.step_handoff[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_queue record;
begin
  for v_queue in
    select h.namespace,
           array_agg(jsonb_build_object('task_uuid', h.task_uuid, 'step_uuid', h.step_uuid,
                                        'handoff', h.handoff,
                                        'correlation_id', h.correlation_id) order by p.claim_rank,
                     h.step_uuid) as messages,
           array_agg(jsonb_build_object('claim_order', p.claim_rank,
                                        'handler', h.handler_key) order by p.claim_rank,
                     h.step_uuid) as headers
    from unnest(p_handoffs) h
    cross join lateral (select tasker.calculate_claim_rank(
                                 h.claim_order, h.attempt) as claim_rank) p
    where not h.is_claimed
    group by h.namespace
  loop
    perform pgmq.send_batch(
      tasker.worker_queue(v_queue.namespace), v_queue.messages, v_queue.headers);
  end loop;
  if exists (select from unnest(p_handoffs) h
             where h.queue_seconds is not null and not h.is_claimed) then
    update tasker.task_wakeups w set wake_at = d.due_at
    from (select h.task_uuid, min(s.enqueued_at + h.queue_seconds * interval '1 second') as due_at
          from unnest(p_handoffs) h
          join tasker.workflow_steps s on s.workflow_step_uuid = h.step_uuid
          where h.queue_seconds is not null and not h.is_claimed
          group by h.task_uuid) d
    where w.task_uuid = d.task_uuid and w.wake_at > d.due_at;
  end if;
end
$$;
comment on function tasker.send_handoffs(tasker.step_handoff[]) is
  'Sends the messages of handoffs that were not claimed at once to the queues of their namespaces.';
