-- Sends a message and, at the same commit, notifies the channels pgmq_message_ready and
-- pgmq_message_ready.{namespace}. For producers outside the engine: a NOTIFY makes commits wait for
-- each other, so the engine has its own way to notify its workers. Returns the message's id.
-- Errors: TK007 when the queue's name is invalid or there is no such queue.
create or replace function tasker.pgmq_send_with_notify(
  queue_name text, message jsonb, delay_seconds int default 0)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_namespace text := tasker.extract_queue_namespace(queue_name);
  v_msg_id    bigint;
  v_event     text;
begin
  if queue_name is null or queue_name !~ '^[a-zA-Z0-9_]{1,47}$' then
    raise exception 'queue name "%" must be 1 to 47 letters, digits or underscores', queue_name
      using errcode = 'TK007';
  end if;
  if to_regclass('pgmq.' || quote_ident('q_' || lower(queue_name))) is null then
    raise exception 'there is no queue %', queue_name using errcode = 'TK007';
  end if;
  select s into v_msg_id from pgmq.send(queue_name, message, coalesce(delay_seconds, 0)) s;
  v_event := json_build_object(
    'event_type', 'message_ready', 'msg_id', v_msg_id, 'queue_name', queue_name,
    'namespace', v_namespace, 'ready_at', now(), 'delay_seconds', coalesce(delay_seconds, 0));
  perform pg_notify('pgmq_message_ready.' || v_namespace, v_event);
  perform pg_notify('pgmq_message_ready', v_event);
  return v_msg_id;
end
$$;
comment on function tasker.pgmq_send_with_notify(text, jsonb, int) is
  'Sends a message and, at the same commit, notifies the channels pgmq_message_ready and '
  'pgmq_message_ready.{namespace}.';
