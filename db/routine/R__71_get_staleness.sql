-- Tasks that are stale or will be, the latest first, a JSON array. Reads all unfinished tasks: for people, not for a dashboard
-- that asks every second. Source: reference section 6.2. Called by DeadLetters.
create or replace function tasker.get_staleness(p_limit int default 50)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(to_jsonb(v) order by v.stale_at, v.task_uuid), '[]')
  from (select * from tasker.v_task_staleness_monitoring s order by s.stale_at, s.task_uuid limit p_limit) v
$$;
comment on function tasker.get_staleness(int) is 'Tasks that are stale or will be, the latest first.';
