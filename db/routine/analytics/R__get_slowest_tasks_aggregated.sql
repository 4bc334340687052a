-- The templates whose tasks have the longest average duration, of tasks that ended since a time
-- (default:
-- a day ago), at least min_executions of them; slowest first. error_rate is the share that ended in
-- error.
create or replace function tasker.get_slowest_tasks_aggregated(
  since_timestamp timestamptz default null, limit_count int default 10,
  min_executions int default 5,
  namespace_filter varchar default null, task_name_filter varchar default null,
  version_filter varchar default null)
returns table (
  named_task_uuid uuid, namespace_name varchar, task_name varchar, version varchar,
  avg_duration_seconds numeric,
  max_duration_seconds numeric, min_duration_seconds numeric, execution_count bigint,
  avg_step_count numeric,
  error_count bigint, total_error_steps bigint, error_rate numeric, last_executed_at timestamptz)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select nt.named_task_uuid, ns.name, nt.name, nt.version, round(g.seconds / g.tasks, 6), g.most,
         g.least, g.tasks, round(g.steps / g.tasks, 2), g.errors, g.failed_steps,
         round(g.errors::numeric / g.tasks, 4), g.last_at
  from (
    select y.named_task_uuid, sum(y.tasks)::bigint as tasks, sum(y.seconds) as seconds,
           max(y.most_seconds) as most, min(y.least_seconds) as least, sum(y.steps) as steps,
           max(y.last_at) as last_at,
           coalesce(sum(y.tasks) filter (where y.state = 'error'), 0)::bigint as errors,
           sum(y.failed_steps)::bigint as failed_steps
    from tasker.get_task_tallies(coalesce(since_timestamp, clock_timestamp() - interval '1 day')) y
    where y.state <> 'pending'
    group by y.named_task_uuid) g
  join tasker.named_tasks nt on nt.named_task_uuid = g.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where g.tasks >= min_executions
    and (namespace_filter is null or ns.name = namespace_filter)
    and (task_name_filter is null or nt.name = task_name_filter)
    and (version_filter is null or nt.version = version_filter)
  order by 5 desc, nt.named_task_uuid
  limit limit_count;
end
$$;
comment on function tasker.get_slowest_tasks_aggregated(
  timestamptz, int, int, varchar, varchar, varchar) is
  'The templates whose tasks have the longest average duration.';
