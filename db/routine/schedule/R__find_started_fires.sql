-- Of the given fire times of a schedule, those that have a task, as a JSON array. p_times: array of
-- instants. Locks: none. Source: ADR 0045.
create or replace function tasker.find_started_fires(p_schedule_uuid uuid, p_times jsonb)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(f.fire_at order by f.fire_at), '[]')
  from tasker.schedule_fires f
  where f.schedule_uuid = p_schedule_uuid and not f.is_range and f.task_uuid is not null
    and f.fire_at in (select t::timestamptz from jsonb_array_elements_text(p_times) t)
$$;
comment on function tasker.find_started_fires(uuid, jsonb) is
  'Of the given fire times of a schedule, those that have a task.';
