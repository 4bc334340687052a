-- Where time is spent in the last p_hours: the slowest steps and templates by mean duration, the
-- queues and connections, and recommendations in words, as GET /v1/analytics/bottlenecks returns
-- them. blocked_tasks of a template are those that are blocked now: they have not ended, and no
-- other figure has them. recommendations is empty when nothing stands out. The percentiles are
-- those of get_duration_percentiles.
create or replace function tasker.get_bottleneck_document(
  p_hours int default 24, p_limit int default 10, p_min_executions int default 5,
  p_namespace text default null, p_name text default null, p_version text default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with period as (select clock_timestamp() - make_interval(hours => p_hours) as since),
  steps as (
    select s.*
    from period p
    cross join lateral tasker.get_slowest_steps_aggregated(
      p.since, p_limit, p_min_executions, p_namespace, p_name, p_version) s),
  tasks as (
    select t.*
    from period p
    cross join lateral tasker.get_slowest_tasks_aggregated(
      p.since, p_limit, p_min_executions, p_namespace, p_name, p_version) t),
  percentiles as (
    select d.*
    from period p
    cross join lateral tasker.get_duration_percentiles(
      array(select s.named_step_uuid from steps s union all select t.named_task_uuid from tasks t),
      p.since) d),
  blocked as (
    select t.named_task_uuid, count(distinct t.task_uuid) as tasks
    from tasker.tasks_dlq d
    join tasker.tasks t on t.task_uuid = d.task_uuid
    where t.state = 'blocked_by_failures'
    group by t.named_task_uuid),
  queues as (
    select q.queue_name, q.queue_length, q.oldest_msg_age_seconds
    from (select l.queue_name from pgmq.list_queues() l) l
    cross join lateral tasker.get_queue_statistics(l.queue_name) q
    where q.queue_length > 0),
  connections as (
    select (select count(*)
            from pg_catalog.pg_stat_activity a
            where a.backend_type = 'client backend') as active,
           pg_catalog.current_setting('max_connections')::bigint as most),
  advice as (
    select 1 as sort_order, s.error_rate as weight,
           format('Step %s of %s/%s:%s failed in %s %% of %s executions: check its errors.',
                  s.step_name, s.namespace_name, s.task_name, s.version,
                  round(100 * s.error_rate, 1), s.execution_count) as sentence
    from steps s
    where s.error_rate > 0.2
    union all
    select 2, q.oldest_msg_age_seconds,
           format('Queue %s has %s messages, the oldest for %s seconds: add workers for it, or '
                  'raise the capacity of each worker.',
                  q.queue_name, q.queue_length, q.oldest_msg_age_seconds)
    from queues q
    where q.oldest_msg_age_seconds > 60
    union all
    select 3, 0,
           format('%s of %s connections are in use: smaller pools, or a larger max_connections.',
                  c.active, c.most)
    from connections c
    where c.active > 0.8 * c.most)
  select jsonb_build_object(
           'slow_steps', (
             select coalesce(
                      jsonb_agg(
                        to_jsonb(s) - '{named_step_uuid,namespace_name,task_name,step_name}'::text[]
                          || jsonb_build_object(
                            'template_step_uuid', s.named_step_uuid, 'namespace', s.namespace_name,
                            'name', s.task_name, 'step', s.step_name, 'p50_seconds', d.p50_seconds,
                            'p95_seconds', d.p95_seconds,
                            'p99_seconds', d.p99_seconds) order by s.avg_duration_seconds desc,
                        s.named_step_uuid),
                      '[]')
             from steps s
             left join percentiles d on d.subject_uuid = s.named_step_uuid),
           'slow_tasks', (
             select coalesce(jsonb_agg(
                               to_jsonb(t) - '{named_task_uuid,namespace_name,task_name}'::text[] ||
                                 jsonb_build_object(
                                 'template_uuid', t.named_task_uuid, 'namespace', t.namespace_name,
                                 'name', t.task_name, 'blocked_tasks', coalesce(b.tasks, 0),
                                 'p50_seconds', d.p50_seconds,
                                 'p95_seconds', d.p95_seconds,
                                 'p99_seconds', d.p99_seconds) order by t.avg_duration_seconds desc,
                               t.named_task_uuid),
                             '[]')
             from tasks t
             left join percentiles d on d.subject_uuid = t.named_task_uuid
             left join blocked b on b.named_task_uuid = t.named_task_uuid),
           'resource_utilization', jsonb_build_object(
             'active_connections', (select c.active from connections c),
             'max_connections', (select c.most from connections c),
             'queues', (select coalesce(jsonb_agg(to_jsonb(q) order by q.queue_length desc,
                                                  q.queue_name),
                                        '[]')
                        from queues q)),
           'recommendations', (select coalesce(jsonb_agg(a.sentence order by a.sort_order,
                                                         a.weight desc, a.sentence),
                                               '[]')
                               from advice a),
           'analysis_period_start', (select p.since from period p))
$$;
comment on function tasker.get_bottleneck_document(int, int, int, text, text, text) is
  'Where time is spent, with recommendations, for GET /v1/analytics/bottlenecks.';
