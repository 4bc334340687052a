-- Dead letters by reason, a JSON array.
create or replace function tasker.get_dlq_statistics()
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(to_jsonb(v) order by v.dlq_reason), '[]') from tasker.v_dlq_dashboard v
$$;
comment on function tasker.get_dlq_statistics() is 'Dead letters by reason.';
