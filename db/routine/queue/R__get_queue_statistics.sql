-- The length of a queue and the age of its oldest and newest messages in seconds; no row when there
-- is no such queue.
create or replace function tasker.get_queue_statistics(p_queue_name text)
returns table (queue_name text, queue_length bigint, oldest_msg_age_seconds int,
               newest_msg_age_seconds int)
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from pgmq.list_queues() q where q.queue_name = p_queue_name) then
    return;
  end if;
  return query
  select p_queue_name, m.queue_length, m.oldest_msg_age_sec, m.newest_msg_age_sec
  from pgmq.metrics(p_queue_name) m;
end
$$;
comment on function tasker.get_queue_statistics(text) is
  'The length of a queue and the age of its oldest and newest messages in seconds.';
