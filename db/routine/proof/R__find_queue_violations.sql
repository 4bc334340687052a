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
  v_messages text;
begin
  return query
  select 'queue_is_there', jsonb_build_object('queue', q.name)
  from (select tasker.worker_queue(ns.name) as name
        from tasker.task_namespaces ns
        where ns.created_at < clock_timestamp() - p_older_than
        union all
        select * from unnest(array['orchestration_step_results', 'orchestration_task_requests'])) q
  where to_regclass('pgmq.' || quote_ident('q_' || lower(q.name))) is null;

  -- One statement about the messages of all queues, so that it is planned once and not for each
  -- queue.
  select string_agg(
           format('select %L::uuid, %L, q.msg_id, q.enqueued_at, q.vt, q.message from pgmq.%I q',
                  t.task_namespace_uuid, t.table_name, t.table_name),
           ' union all ') into v_messages
  from (select ns.task_namespace_uuid, 'q_' || lower(tasker.worker_queue(ns.name)) as table_name
        from tasker.task_namespaces ns) t
  where to_regclass('pgmq.' || quote_ident(t.table_name)) is not null;

  -- Compared as text, so that a value that is not a uuid or number is a finding and not an error.
  return query execute format(
    $q$
    with messages as materialized (
      select m.namespace, m.queue, m.msg_id, m.enqueued_at, m.vt, m.message ->> 'step_uuid' as step,
             m.message ->> 'handoff' as handoff, m.message ->> 'task_uuid' as task
      from (%s) m(namespace, queue, msg_id, enqueued_at, vt, message))
    select 'offer_has_a_message',
           jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoff', s.handoffs,
                              'enqueued_at', s.enqueued_at)
    from tasker.task_wakeups w
    join tasker.tasks t on t.task_uuid = w.task_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.workflow_steps s on s.task_uuid = t.task_uuid and s.state = 'enqueued'
    left join messages q on q.namespace = nt.task_namespace_uuid
      and q.step = s.workflow_step_uuid::text
      and q.handoff = s.handoffs::text
    where s.enqueued_at < clock_timestamp() - $1 and q.msg_id is null
    union all
    select 'message_is_about_an_unfinished_step',
           jsonb_build_object('queue', q.queue, 'msg_id', q.msg_id,
                              'step_uuid', s.workflow_step_uuid, 'state', s.state)
    from messages q
    join tasker.workflow_steps s on s.workflow_step_uuid::text = q.step
    where s.completed_at < clock_timestamp() - $1 and q.enqueued_at < clock_timestamp() - $1
    union all
    select 'message_is_about_a_step',
           jsonb_build_object('queue', q.queue, 'msg_id', q.msg_id, 'step_uuid', q.step,
                              'task_uuid', q.task)
    from messages q
    left join tasker.workflow_steps s on s.workflow_step_uuid::text = q.step
    left join tasker.tasks t on t.task_uuid = s.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    where q.enqueued_at < clock_timestamp() - $1
      and (s.workflow_step_uuid is null
           or q.task is distinct from s.task_uuid::text
           or nt.task_namespace_uuid is distinct from q.namespace)
    union all
    select 'message_is_sent_once',
           jsonb_build_object('queue', q.queue, 'msg_ids', array_agg(q.msg_id order by q.msg_id),
                              'step_uuid', q.step, 'handoff', q.handoff)
    from messages q
    where q.enqueued_at < clock_timestamp() - $1
    group by q.queue, q.step, q.handoff
    having count(*) > 1
    union all
    select 'message_can_be_seen',
           jsonb_build_object('queue', q.queue, 'msg_id', q.msg_id, 'step_uuid', q.step,
                              'visible_at', q.vt)
    from messages q
    where q.enqueued_at < clock_timestamp() - $1
      and q.vt > clock_timestamp() + greatest($1, interval '15 minutes') $q$,
    -- No queue is there: then there is no message either.
    coalesce(
      v_messages,
      $q$select null::uuid, null, null::bigint, null::timestamptz, null::timestamptz, null::jsonb
         where false$q$))
    using p_older_than;
end
$$;
comment on function tasker.find_queue_violations(interval) is
  'Offers without a message, messages that are invisible or superfluous, and missing queues: one '
  'row per finding.';
