-- What happened in the last p_hours, as GET /v1/analytics/performance returns it: the figures of
-- get_analytics_metrics under the names of the REST interface, and hourly rates.
create or replace function tasker.get_performance_document(p_hours int default 1)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select jsonb_build_object(
           'total_tasks', m.task_throughput, 'active_tasks', m.active_tasks_count,
           'completed_tasks', m.completion_count, 'failed_tasks', m.error_count,
           'completion_rate', m.completion_rate, 'error_rate', m.error_rate,
           'average_task_duration_seconds', m.avg_task_duration,
           'average_step_duration_seconds', m.avg_step_duration,
           'tasks_per_hour', round(m.completion_count::numeric / p_hours, 2),
           'steps_per_hour', round(m.step_throughput::numeric / p_hours, 2),
           'templates', m.unique_task_types_count, 'namespaces', m.total_namespaces_count,
           'system_health_score', m.system_health_score,
           'analysis_period_start', m.analysis_period_start, 'calculated_at', m.calculated_at)
  from tasker.get_analytics_metrics(clock_timestamp() - make_interval(hours => p_hours)) m
$$;
comment on function tasker.get_performance_document(int) is
  'What happened in the last hours, for GET /v1/analytics/performance.';
