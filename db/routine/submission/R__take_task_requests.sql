-- Reads up to p_limit task requests that other programs put on the queue
-- orchestration_task_requests, a JSON array of {msg_id, read_ct, message}. They stay hidden for a
-- minute; finish_task_requests ends that in the same transaction.
create or replace function tasker.take_task_requests(p_limit int default 100)
returns jsonb
language sql
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('msg_id', m.msg_id, 'read_ct', m.read_ct,
                                               'message', m.message) order by m.msg_id),
                  '[]')
  from pgmq.read('orchestration_task_requests', 60, p_limit) m
$$;
comment on function tasker.take_task_requests(int) is
  'Reads task requests that other programs put on the queue orchestration_task_requests.';
