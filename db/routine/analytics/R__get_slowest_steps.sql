-- The steps that took longest from their last claim to their end, of tasks that ended since a time
-- (default: a day ago) or are still running; slowest first. Reads every such step: see
-- get_slowest_tasks.
create or replace function tasker.get_slowest_steps(
  since_timestamp timestamptz default null, limit_count int default 10,
  namespace_filter varchar default null, task_name_filter varchar default null,
  version_filter varchar default null)
returns table (workflow_step_uuid uuid, task_uuid uuid, step_name varchar, task_name varchar,
               namespace_name varchar, version varchar,
               duration_seconds numeric, attempts int, created_at timestamptz,
               completed_at timestamptz, retryable boolean, step_status text)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_since timestamptz := coalesce(since_timestamp, clock_timestamp() - interval '1 day');
begin
  return query
  with tasks as (
    select t.task_uuid, t.named_task_uuid
    from tasker.task_moves h
    join tasker.tasks t on t.task_uuid = h.task_uuid and t.transition_count = h.sort_key
    where h.created_at >= v_since and t.completed_at is not null
    union
    select t.task_uuid, t.named_task_uuid
    from tasker.task_wakeups w
    join tasker.tasks t on t.task_uuid = w.task_uuid)
  select s.workflow_step_uuid, s.task_uuid, coalesce(s.name, st.name), nt.name, ns.name, nt.version,
         round(extract(epoch from s.completed_at - s.last_attempted_at), 6), s.attempts::int,
         s.created_at, s.completed_at, s.retryable, s.state::text
  from tasks k
  join tasker.workflow_steps s on s.task_uuid = k.task_uuid
  join tasker.named_steps st on st.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = k.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where s.completed_at >= v_since
    and s.last_attempted_at is not null
    and (namespace_filter is null or ns.name = namespace_filter)
    and (task_name_filter is null or nt.name = task_name_filter)
    and (version_filter is null or nt.version = version_filter)
  order by s.completed_at - s.last_attempted_at desc, s.workflow_step_uuid
  limit limit_count;
end
$$;
comment on function tasker.get_slowest_steps(timestamptz, int, varchar, varchar, varchar) is
  'The slowest steps of tasks that ended since a given time or are still running.';
