-- Tasks and steps by state, connections, the health score over all tasks that ended, and whether
-- the system is under heavy load (more than 80 % of the connections in use, or more than 20 % of
-- the tasks failed), as GET /v1/analytics/health tells it.
create or replace function tasker.get_health_document()
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'tasks', (select jsonb_object_agg(left(c.key, -length('_tasks')), c.value)
                     from jsonb_each(to_jsonb(h) - 'total_tasks') c
                     where c.key like '%\_tasks'),
           'total_tasks', h.total_tasks,
           'steps', (select jsonb_object_agg(left(c.key, -length('_steps')), c.value)
                     from jsonb_each(to_jsonb(h) - 'total_steps') c
                     where c.key like '%\_steps'),
           'total_steps', h.total_steps, 'active_connections', h.active_connections,
           'max_connections', h.max_connections,
           'health_score', tasker.calculate_health_score(
             h.complete_tasks, h.error_tasks,
             h.complete_tasks + h.error_tasks + h.cancelled_tasks + h.resolved_manually_tasks,
             h.total_tasks, h.active_connections, h.max_connections),
           'is_under_heavy_load', h.active_connections > 0.8 * h.max_connections
             or h.error_tasks > 0.2 * h.total_tasks)
  from tasker.get_system_health_counts() h
$$;
comment on function tasker.get_health_document() is
  'States, connections, health score and load, for GET /v1/analytics/health.';
