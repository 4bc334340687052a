-- Tasks and steps by state, connections, the health score over all tasks that ended, and whether
-- the system is under heavy load (more than 80 % of the connections in use, or more than 20 % of
-- the tasks failed), as GET /v1/analytics/health tells it.
create or replace function tasker.get_health_document()
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'tasks', jsonb_build_object(
             'pending', h.pending_tasks, 'initializing', h.initializing_tasks,
             'enqueuing_steps', h.enqueuing_steps_tasks,
             'steps_in_process', h.steps_in_process_tasks,
             'evaluating_results', h.evaluating_results_tasks,
             'waiting_for_dependencies', h.waiting_for_dependencies_tasks,
             'waiting_for_retry', h.waiting_for_retry_tasks,
             'blocked_by_failures', h.blocked_by_failures_tasks, 'complete', h.complete_tasks,
             'error', h.error_tasks, 'cancelled', h.cancelled_tasks,
             'resolved_manually', h.resolved_manually_tasks),
           'total_tasks', h.total_tasks,
           'steps', jsonb_build_object(
             'pending', h.pending_steps, 'enqueued', h.enqueued_steps,
             'in_progress', h.in_progress_steps,
             'enqueued_for_orchestration', h.enqueued_for_orchestration_steps,
             'enqueued_as_error_for_orchestration', h.enqueued_as_error_for_orchestration_steps,
             'waiting_for_retry', h.waiting_for_retry_steps, 'complete', h.complete_steps,
             'error', h.error_steps, 'cancelled', h.cancelled_steps,
             'resolved_manually', h.resolved_manually_steps),
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
