-- Takes messages off a queue permanently and keeps them in dead_messages with the cause. Skips
-- messages that no longer exist. Returns how many were parked. Locks: the message rows.
create or replace function tasker.park_messages(
  p_queue_name text, p_msg_ids bigint[], p_sqlstate text, p_cause text)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_parked int;
begin
  execute format($q$
    with gone as (
      delete from pgmq.%I q
      where q.msg_id = any ($1)
      returning q.msg_id, q.read_ct, q.enqueued_at, q.message, q.headers)
    insert into tasker.dead_messages
      (queue_name, msg_id, read_ct, enqueued_at, sqlstate, cause, message, headers)
    select $2, g.msg_id, g.read_ct, g.enqueued_at, $3, $4, g.message, g.headers
    from gone g $q$, 'q_' || lower(p_queue_name))
    using p_msg_ids, p_queue_name, p_sqlstate, p_cause;
  get diagnostics v_parked = row_count;
  return v_parked;
end
$$;
comment on function tasker.park_messages(text, bigint[], text, text) is
  'Takes messages off a queue permanently and keeps them in dead_messages with the cause.';
