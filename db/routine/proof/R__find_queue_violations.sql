-- Offers without a message, messages that are invisible or superfluous, and missing queues: one row
-- per finding. All of these occur briefly or are repaired (resend_lost_messages, take_messages), so
-- this is for a system that has been quiet for longer than its offers wait: reports nothing younger
-- than p_older_than.
-- Locks: none.
create or replace function tasker.find_queue_violations(p_older_than interval default '10 minutes')
returns table (invariant text, example jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  v_queue record;
begin
  return query
  select 'queue_is_there', jsonb_build_object('queue', q.name)
  from (select tasker.worker_queue(ns.name) as name
        from tasker.task_namespaces ns
        where ns.created_at < clock_timestamp() - p_older_than
        union all
        select * from unnest(array['orchestration_step_results', 'orchestration_task_requests'])) q
  where to_regclass('pgmq.' || quote_ident('q_' || lower(q.name))) is null;

  for v_queue in
    select ns.task_namespace_uuid, 'q_' || lower(tasker.worker_queue(ns.name)) as table_name
    from tasker.task_namespaces ns
  loop
    if to_regclass('pgmq.' || quote_ident(v_queue.table_name)) is null then
      return query
      select 'offer_has_a_message',
             jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoff', s.handoffs,
                                'enqueued_at', s.enqueued_at)
      from tasker.task_wakeups w
      join tasker.tasks t on t.task_uuid = w.task_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        and nt.task_namespace_uuid = v_queue.task_namespace_uuid
      join tasker.workflow_steps s on s.task_uuid = t.task_uuid and s.state = 'enqueued'
      where s.enqueued_at < clock_timestamp() - p_older_than;
      continue;
    end if;
    -- Compared as text, so that a value that is not a uuid or number is a finding and not an error.
    return query execute format($q$
      with messages as materialized (
        select q.msg_id, q.enqueued_at, q.vt, q.message ->> 'step_uuid' as step,
               q.message ->> 'handoff' as handoff, q.message ->> 'task_uuid' as task
        from pgmq.%1$I q)
      select 'offer_has_a_message',
             jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoff', s.handoffs,
                                'enqueued_at', s.enqueued_at)
      from tasker.task_wakeups w
      join tasker.tasks t on t.task_uuid = w.task_uuid
      join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
        and nt.task_namespace_uuid = $1
      join tasker.workflow_steps s on s.task_uuid = t.task_uuid and s.state = 'enqueued'
      left join messages q on q.step = s.workflow_step_uuid::text and q.handoff = s.handoffs::text
      where s.enqueued_at < clock_timestamp() - $2 and q.msg_id is null
      union all
      select 'message_is_about_an_unfinished_step',
             jsonb_build_object('queue', %1$L, 'msg_id', q.msg_id,
                                'step_uuid', s.workflow_step_uuid, 'state', s.state)
      from messages q
      join tasker.workflow_steps s on s.workflow_step_uuid::text = q.step
      where s.completed_at < clock_timestamp() - $2 and q.enqueued_at < clock_timestamp() - $2
      union all
      select 'message_is_about_a_step',
             jsonb_build_object('queue', %1$L, 'msg_id', q.msg_id, 'step_uuid', q.step,
                                'task_uuid', q.task)
      from messages q
      left join tasker.workflow_steps s on s.workflow_step_uuid::text = q.step
      left join tasker.tasks t on t.task_uuid = s.task_uuid
      left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
      where q.enqueued_at < clock_timestamp() - $2
        and (s.workflow_step_uuid is null
             or q.task is distinct from s.task_uuid::text
             or nt.task_namespace_uuid is distinct from $1)
      union all
      select 'message_is_sent_once',
             jsonb_build_object('queue', %1$L, 'msg_ids', array_agg(q.msg_id order by q.msg_id),
                                'step_uuid', q.step, 'handoff', q.handoff)
      from messages q
      where q.enqueued_at < clock_timestamp() - $2
      group by q.step, q.handoff
      having count(*) > 1
      union all
      select 'message_can_be_seen',
             jsonb_build_object('queue', %1$L, 'msg_id', q.msg_id, 'step_uuid', q.step,
                                'visible_at', q.vt)
      from messages q
      where q.enqueued_at < clock_timestamp() - $2
        and q.vt > clock_timestamp() + greatest($2, interval '15 minutes') $q$, v_queue.table_name)
      using v_queue.task_namespace_uuid, p_older_than;
  end loop;
end
$$;
comment on function tasker.find_queue_violations(interval) is
  'Offers without a message, messages that are invisible or superfluous, and missing queues: one '
  'row per finding.';
