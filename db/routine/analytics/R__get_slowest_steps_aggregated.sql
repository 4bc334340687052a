-- The steps of templates with the longest average execution time, of tasks that ended since a time
-- (default: a day ago), at least min_executions of them; slowest first. One attempt is one
-- execution.
create or replace function tasker.get_slowest_steps_aggregated(
  since_timestamp timestamptz default null, limit_count int default 10,
  min_executions int default 5,
  namespace_filter varchar default null, task_name_filter varchar default null,
  version_filter varchar default null)
returns table (named_step_uuid uuid, namespace_name varchar, task_name varchar, version varchar,
               step_name varchar,
               avg_duration_seconds numeric, max_duration_seconds numeric,
               min_duration_seconds numeric, execution_count bigint,
               error_count bigint, error_rate numeric, last_executed_at timestamptz)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select st.named_step_uuid, ns.name, nt.name, nt.version, st.name,
         round(g.seconds / g.executions, 6), g.most, g.least, g.executions, g.errors,
         round(g.errors::numeric / g.executions, 4), g.last_at
  from (
    select y.named_step_uuid, sum(y.executions)::bigint as executions,
           sum(y.errors)::bigint as errors, sum(y.seconds) as seconds, max(y.most_seconds) as most,
           min(y.least_seconds) as least, max(y.last_at) as last_at
    from tasker.get_step_tallies(coalesce(since_timestamp, clock_timestamp() - interval '1 day')) y
    group by y.named_step_uuid) g
  join tasker.named_steps st on st.named_step_uuid = g.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = st.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where g.executions >= min_executions
    and (namespace_filter is null or ns.name = namespace_filter)
    and (task_name_filter is null or nt.name = task_name_filter)
    and (version_filter is null or nt.version = version_filter)
  order by 6 desc, st.named_step_uuid
  limit limit_count;
end
$$;
comment on function tasker.get_slowest_steps_aggregated(
  timestamptz, int, int, varchar, varchar, varchar) is
  'The steps of templates with the longest average execution time.';
