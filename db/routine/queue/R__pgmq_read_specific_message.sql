-- Reads the one message that a notification named and hides it for vt_seconds. No row when another
-- session has locked it, when it is hidden, and when it no longer exists: the caller lost the race,
-- and that is an ordinary outcome.
-- Locks: the message, skip locked. Errors: TK007 when the queue's name is invalid or there is no
-- such queue.
create or replace function tasker.pgmq_read_specific_message(
  queue_name text, target_msg_id bigint, vt_seconds int default 30)
returns table (msg_id bigint, read_ct int, enqueued_at timestamptz, vt timestamptz, message jsonb)
language plpgsql
set search_path = ''
as $$
begin
  if queue_name is null or queue_name !~ '^[a-zA-Z0-9_]{1,47}$' then
    raise exception 'queue name "%" must be 1 to 47 letters, digits or underscores', queue_name
      using errcode = 'TK007';
  end if;
  if to_regclass('pgmq.' || quote_ident('q_' || lower(queue_name))) is null then
    raise exception 'there is no queue %', queue_name using errcode = 'TK007';
  end if;
  return query execute format($q$
    with readable as (
      select q.msg_id
      from pgmq.%1$I q
      where q.msg_id = $1 and q.vt <= clock_timestamp() for update skip locked)
    update pgmq.%1$I q
    set vt = clock_timestamp() + make_interval(secs => $2), read_ct = q.read_ct + 1
    from readable r
    where q.msg_id = r.msg_id
    returning q.msg_id, q.read_ct, q.enqueued_at, q.vt, q.message $q$, 'q_' || lower(queue_name))
    using target_msg_id, coalesce(vt_seconds, 30);
end
$$;
comment on function tasker.pgmq_read_specific_message(text, bigint, int) is
  'Reads the one message that a notification named and hides it for vt_seconds.';
