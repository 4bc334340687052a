-- Reads up to p_limit task requests that other programs put on the queue
-- orchestration_task_requests, and none behind the first 4 MiB of them, because a server reads them
-- into its memory: a JSON array of {msg_id, read_ct, message}. They stay hidden for a minute;
-- finish_task_requests ends that in the same transaction.
create or replace function tasker.take_task_requests(p_limit int default 100)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_taken    jsonb[] := '{}';
  v_bytes    bigint := 0;
  v_message  record;
  -- As stored, which may be compressed. So few are read together, as most are; others one by one:
  -- what is read counts as delivered.
  v_are_few  boolean := coalesce((select sum(pg_column_size(q.message)) <= 65536
                                  from (select m.message
                                        from pgmq.q_orchestration_task_requests m
                                        where m.vt <= clock_timestamp()
                                        order by m.msg_id limit p_limit) q),
                                 true);
begin
  while cardinality(v_taken) < p_limit and v_bytes < 4194304 loop
    for v_message in
      select m.*
      from pgmq.read('orchestration_task_requests', 60,
                     case when v_are_few then p_limit else 1 end) m
      order by m.msg_id
    loop
      v_taken := v_taken || jsonb_build_object(
        'msg_id', v_message.msg_id, 'read_ct', v_message.read_ct, 'message', v_message.message);
      v_bytes := v_bytes + octet_length(v_message.message::text);
    end loop;
    exit when not found or v_are_few;
  end loop;
  return to_jsonb(v_taken);
end
$$;
comment on function tasker.take_task_requests(int) is
  'Reads task requests that other programs put on the queue orchestration_task_requests.';
