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
  v_queue   record;
  v_table   text;
  v_execute text;
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
    v_table := 'q_' || lower(tasker.worker_queue(v_queue.namespace));
    -- Many are quoted and read again in the text of execute, which takes longer than planning.
    if cardinality(v_queue.messages) <= 10 and tasker.prepares_queue_statements() then
      v_execute := format('execute tasker_send_%s(%L, %L)', md5(v_table), v_queue.messages,
                          v_queue.headers);
      begin
        execute v_execute;
      exception when invalid_sql_statement_name then
        perform tasker.prepare_queue_statement('send', v_table);
        execute v_execute;
      end;
    else
      execute tasker.get_queue_statement('send', v_table) using v_queue.messages, v_queue.headers;
    end if;
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
