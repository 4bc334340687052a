-- Offers without a message, and messages that nobody took although their step is finished: one row per finding.
-- Both happen for a while and repair themselves (resend_lost_messages, take_messages), so this is for a system that has
-- been quiet for longer than its offers wait.
-- Locks: none. Source: design section 3, "delete any queue row and the work still ends". Called by check_history.
create or replace function tasker.find_queue_violations(p_older_than interval default '10 minutes')
returns table (invariant text, example jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  v_queue record;
begin
  for v_queue in
    select ns.task_namespace_uuid, 'q_' || lower(tasker.worker_queue(ns.name)) as table_name from tasker.task_namespaces ns
    where to_regclass('pgmq.' || quote_ident('q_' || lower(tasker.worker_queue(ns.name)))) is not null
  loop
    return query execute format($q$
      select 'offer_has_a_message', jsonb_build_object('step_uuid', s.workflow_step_uuid, 'attempt', s.attempts, 'enqueued_at', s.enqueued_at)
      from tasker.task_wakeups w
      join tasker.tasks t on t.task_uuid = w.task_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid and nt.task_namespace_uuid = $1
      join tasker.workflow_steps s on s.task_uuid = t.task_uuid and s.state = 'enqueued'
      left join pgmq.%1$I q on (q.message ->> 'step_uuid')::uuid = s.workflow_step_uuid and (q.message ->> 'attempt')::int = s.attempts
      where s.enqueued_at < clock_timestamp() - $2 and q.msg_id is null
      union all
      select 'message_is_about_an_unfinished_step', jsonb_build_object('queue', %1$L, 'msg_id', q.msg_id, 'step_uuid', s.workflow_step_uuid, 'state', s.state)
      from pgmq.%1$I q
      join tasker.workflow_steps s on s.workflow_step_uuid = (q.message ->> 'step_uuid')::uuid
      where s.completed_at < clock_timestamp() - $2 and q.enqueued_at < clock_timestamp() - $2 $q$, v_queue.table_name)
      using v_queue.task_namespace_uuid, p_older_than;
  end loop;
end
$$;
comment on function tasker.find_queue_violations(interval) is
  'Offers without a message, and messages that nobody took although their step is finished: one row per finding.';
