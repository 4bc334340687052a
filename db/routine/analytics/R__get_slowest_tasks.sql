-- The tasks that took longest from creation to end, of those that ended since a time (default: a
-- day ago); slowest first. Reads every task that ended since then: give it a short period on a busy
-- system, or take the aggregated form.
create or replace function tasker.get_slowest_tasks(
  since_timestamp timestamptz default null, limit_count int default 10,
  namespace_filter varchar default null, task_name_filter varchar default null,
  version_filter varchar default null)
returns table (task_uuid uuid, task_name varchar, namespace_name varchar, version varchar,
               duration_seconds numeric, step_count int,
               completed_steps bigint, error_steps bigint, created_at timestamptz,
               completed_at timestamptz, initiator varchar, source_system varchar)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  with slowest as (
    select t.task_uuid, nt.name as task_name, ns.name as namespace_name, nt.version, t.total_steps,
           t.created_at, t.completed_at, t.initiator, t.source_system,
           t.completed_at - t.created_at as duration
    from tasker.task_moves h
    join tasker.tasks t on t.task_uuid = h.task_uuid and t.transition_count = h.sort_key
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where h.created_at >= coalesce(since_timestamp, clock_timestamp() - interval '1 day')
      and t.completed_at is not null
      and (namespace_filter is null or ns.name = namespace_filter)
      and (task_name_filter is null or nt.name = task_name_filter)
      and (version_filter is null or nt.version = version_filter)
    order by t.completed_at - t.created_at desc, t.task_uuid
    limit limit_count)
  select l.task_uuid, l.task_name, l.namespace_name, l.version,
         round(extract(epoch from l.duration), 6), l.total_steps,
         (select count(*)
          from tasker.workflow_steps s
          where s.task_uuid = l.task_uuid and tasker.step_ended_well(s.state)),
         (select count(*)
          from tasker.workflow_steps s
          where s.task_uuid = l.task_uuid and s.state = 'error'),
         l.created_at, l.completed_at, l.initiator, l.source_system
  from slowest l
  order by l.duration desc, l.task_uuid;
end
$$;
comment on function tasker.get_slowest_tasks(timestamptz, int, varchar, varchar, varchar) is
  'The slowest of the tasks that ended since a given time.';
