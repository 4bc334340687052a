-- The queues as the REST interface shows them, by name: {queues: [{queue_name, queue_length,
-- visible, invisible, oldest_msg_age_seconds, newest_msg_age_seconds, total_messages, parked,
-- parked_since}]}. Length and ages are those of get_queue_statistics. Invisible messages were read
-- by a client and not deleted yet, or sent with a delay; total counts all messages ever sent.
-- Parked messages are dead messages that were taken off the queue and not sent again, including
-- those of dropped queues.
-- Locks: none.
create or replace function tasker.get_queue_documents()
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with parked as (
    select d.queue_name, count(*) as messages, min(d.parked_at) as since
    from tasker.dead_messages d
    where d.replayed_at is null
    group by d.queue_name),
  queues as (
    -- As JSON, because older versions of the extension do not count the visible messages.
    select l.queue_name, to_jsonb(m) as metrics
    from pgmq.list_queues() l
    cross join lateral pgmq.metrics(l.queue_name) m)
  select jsonb_build_object(
           'next', null,
           'queues', coalesce(
             jsonb_agg(jsonb_build_object(
                         'queue_name', queue_name,
                         'queue_length', coalesce((q.metrics ->> 'queue_length')::bigint, 0),
                         'visible', (q.metrics ->> 'queue_visible_length')::bigint,
                         'invisible', (q.metrics ->> 'queue_length')::bigint
                           - (q.metrics ->> 'queue_visible_length')::bigint,
                         'oldest_msg_age_seconds', (q.metrics ->> 'oldest_msg_age_sec')::int,
                         'newest_msg_age_seconds', (q.metrics ->> 'newest_msg_age_sec')::int,
                         'total_messages', (q.metrics ->> 'total_messages')::bigint,
                         'parked', coalesce(p.messages, 0),
                         'parked_since', p.since) order by queue_name),
             '[]'))
  from queues q
  full join parked p using (queue_name)
$$;
comment on function tasker.get_queue_documents() is
  'The queues as the REST interface shows them: length, age, and parked messages.';
