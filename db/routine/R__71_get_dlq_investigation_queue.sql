-- The open dead letters in the order in which to take them up, a JSON array. Source: reference section 6.2. Called by DeadLetters.
create or replace function tasker.get_dlq_investigation_queue(p_limit int default 50)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(to_jsonb(v) order by v.priority_score desc, v.dlq_entry_uuid), '[]')
  from (select * from tasker.v_dlq_investigation_queue q order by q.priority_score desc, q.dlq_entry_uuid limit p_limit) v
$$;
comment on function tasker.get_dlq_investigation_queue(int) is 'The open dead letters in the order in which to take them up.';
