-- What happened in each of the last p_minutes, as GET /v1/analytics/timeline returns it: {minutes:
-- [{minute, created, completed, failed, cancelled, resolved, average_task_seconds, executions,
-- errors, average_step_seconds, most_step_seconds}], next: null}, the earliest first. The last
-- minute is the present one and not over. Step executions count in the minute in which their task
-- ended. A mean is null when there is nothing to take it of.
-- p_namespace: null for all. Reads a row per minute and template, and what is not counted yet
-- (get_task_tallies); writes nothing.
create or replace function tasker.get_timeline_document(
  p_minutes int default 60, p_namespace text default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
declare
  v_now   timestamptz := date_trunc('minute', clock_timestamp());
  v_since timestamptz := v_now - make_interval(mins => p_minutes - 1);
begin
  return (with templates as materialized (
            select nt.named_task_uuid
            from tasker.named_tasks nt
            join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
            where p_namespace is null or ns.name = p_namespace),
          tasks as (
            select y.minute,
                   sum(y.tasks) filter (where y.state = 'pending') as created,
                   sum(y.tasks) filter (where y.state = 'complete') as completed,
                   sum(y.tasks) filter (where y.state = 'error') as failed,
                   sum(y.tasks) filter (where y.state = 'cancelled') as cancelled,
                   sum(y.tasks) filter (where y.state = 'resolved_manually') as resolved,
                   round(sum(y.seconds) filter (
                           where y.state <>
                           'pending') / nullif(sum(y.tasks) filter (where y.state <> 'pending'), 0),
                         6) as seconds
            from tasker.get_task_tallies(v_since) y
            where y.named_task_uuid in (select t.named_task_uuid from templates t)
            group by y.minute),
          steps as (
            select y.minute, sum(y.executions) as executions, sum(y.errors) as errors,
                   round(sum(y.seconds) / nullif(sum(y.executions), 0), 6) as seconds,
                   max(y.most_seconds) as most_seconds
            from tasker.get_step_tallies(v_since) y
            join tasker.named_steps n on n.named_step_uuid = y.named_step_uuid
            where n.named_task_uuid in (select t.named_task_uuid from templates t)
            group by y.minute)
          select jsonb_build_object(
                   'minutes', jsonb_agg(
                     jsonb_build_object(
                       'minute', m.minute, 'created', coalesce(t.created, 0),
                       'completed', coalesce(t.completed, 0), 'failed', coalesce(t.failed, 0),
                       'cancelled', coalesce(t.cancelled, 0), 'resolved', coalesce(t.resolved, 0),
                       'average_task_seconds', t.seconds, 'executions', coalesce(s.executions, 0),
                       'errors', coalesce(s.errors, 0), 'average_step_seconds', s.seconds,
                       'most_step_seconds', s.most_seconds) order by m.minute),
                   'next', null)
          from generate_series(v_since, v_now, interval '1 minute') m(minute)
          left join tasks t on t.minute = m.minute
          left join steps s on s.minute = m.minute);
end
$$;
comment on function tasker.get_timeline_document(int, text) is
  'What happened in each of the last minutes, for GET /v1/analytics/timeline.';
