-- Sends the messages of handoffs that were not claimed at once to the queues of their namespaces, with the claim rank and
-- the handler as headers. Locks: none but the new rows.
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
           array_agg(jsonb_build_object('task_uuid', h.task_uuid, 'step_uuid', h.step_uuid, 'handoff', h.handoff,
                                        'correlation_id', h.correlation_id) order by p.claim_rank, h.step_uuid) as messages,
           array_agg(jsonb_build_object('claim_order', p.claim_rank, 'handler', h.handler_key) order by p.claim_rank, h.step_uuid) as headers
    from unnest(p_handoffs) h
    cross join lateral (select tasker.calculate_claim_rank(h.claim_order, h.attempt) as claim_rank) p
    where not h.is_claimed
    group by h.namespace
  loop
    perform pgmq.send_batch(tasker.worker_queue(v_queue.namespace), v_queue.messages, v_queue.headers);
  end loop;
end
$$;
comment on function tasker.send_handoffs(tasker.step_handoff[]) is
  'Sends the messages of handoffs that were not claimed at once to the queues of their namespaces.';
