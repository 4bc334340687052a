-- One row about what happened since a time (default: an hour ago). Rates are shares of the tasks
-- that ended; durations are means in seconds, a task's from creation to end, a step's of its
-- handler, by tasks that ended. system_health_score is that of the period.
create or replace function tasker.get_analytics_metrics(since_timestamp timestamptz default null)
returns table (active_tasks_count bigint, total_namespaces_count bigint,
               unique_task_types_count bigint, system_health_score numeric,
               task_throughput bigint, completion_count bigint, error_count bigint,
               completion_rate numeric, error_rate numeric,
               avg_task_duration numeric, avg_step_duration numeric, step_throughput bigint,
               analysis_period_start timestamptz, calculated_at timestamptz)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
declare
  v_since timestamptz := coalesce(since_timestamp, clock_timestamp() - interval '1 hour');
begin
  return query
  with tasks as (
    select coalesce(sum(y.tasks) filter (where y.state = 'pending'), 0)::bigint as created,
           coalesce(sum(y.tasks) filter (where y.state <> 'pending'), 0)::bigint as ended,
           coalesce(sum(y.tasks) filter (where y.state = 'complete'), 0)::bigint as completed,
           coalesce(sum(y.tasks) filter (where y.state = 'error'), 0)::bigint as failed,
           sum(y.seconds) filter (where y.state <> 'pending') as seconds,
           count(distinct y.named_task_uuid) as types
    from tasker.get_task_tallies(v_since) y),
  steps as (
    select coalesce(sum(y.executions), 0)::bigint as executions, sum(y.seconds) as seconds
    from tasker.get_step_tallies(v_since) y),
  counts as (
    select h.total_tasks - h.complete_tasks - h.error_tasks - h.cancelled_tasks
             - h.resolved_manually_tasks as active,
           h.active_connections, h.max_connections
    from tasker.get_system_health_counts() h)
  select c.active, (select count(*) from tasker.task_namespaces), t.types,
         tasker.calculate_health_score(
           t.completed, t.failed, t.ended, t.created + t.ended + c.active, c.active_connections,
           c.max_connections),
         t.created, t.completed, t.failed,
         coalesce(round(t.completed::numeric / nullif(t.ended, 0), 4), 0),
         coalesce(round(t.failed::numeric / nullif(t.ended, 0), 4), 0),
         coalesce(round(t.seconds / nullif(t.ended, 0), 6), 0),
         coalesce(round(s.seconds / nullif(s.executions, 0), 6), 0), s.executions, v_since,
         clock_timestamp()
  from tasks t, steps s, counts c;
end
$$;
comment on function tasker.get_analytics_metrics(timestamptz) is
  'What happened since a time: throughput, ends, rates and durations.';
