-- The metrics of the whole system for a monitoring system, cheap at any time: states, queues,
-- overdue tasks, dead letters, servers, and the amount of log that the database has written.
-- oldest_offer_seconds is the age of the oldest offer; unserved_steps counts the steps whose
-- handler no live worker serves; overdue counts the tasks whose wake-up passed more than a minute
-- ago without a server processing them.
create or replace function tasker.get_metrics_document(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  with clock as (select coalesce(p_now, clock_timestamp()) as now),
  queues as (
    select q.queue_name, q.queue_length, coalesce(q.oldest_msg_age_seconds, 0) as oldest
    from (select l.queue_name from pgmq.list_queues() l) l
    cross join lateral tasker.get_queue_statistics(l.queue_name) q),
  overdue as (
    select count(w.wake_at) as tasks,
           coalesce(extract(epoch from c.now - min(w.wake_at)), 0) as seconds
    from clock c
    left join tasker.task_wakeups w on w.wake_at < c.now - interval '1 minute'
    group by c.now)
  select jsonb_build_object(
           'health', tasker.get_health_document(),
           'queues', (select coalesce(jsonb_agg(
                                        jsonb_build_object(
                                          'queue', q.queue_name, 'length', q.queue_length,
                                          'oldest_seconds', q.oldest) order by q.queue_name),
                                      '[]')
                      from queues q),
           'oldest_offer_seconds', (select coalesce(max(q.oldest), 0)
                                    from queues q
                                    where q.queue_name like 'worker\_%\_queue'),
           'unserved_steps', (select coalesce(sum(u.steps), 0) from tasker.get_unserved_steps() u),
           'overdue_tasks', (select o.tasks from overdue o),
           -- Nothing to look for where no template has an SLA.
           'tasks_past_sla', case
             when exists (select from tasker.named_tasks n where n.sla_minutes is not null) then
               (select count(*)
                from (select w.task_uuid
                      from tasker.task_wakeups w
                      -- Of those that are blocked, whether their investigation is open or
                      -- closed.
                      union
                      select d.task_uuid from tasker.tasks_dlq d where d.sla_due_at is not null) u
                join tasker.tasks t on t.task_uuid = u.task_uuid
                where t.sla_breached_at is not null and t.completed_at is null)
             else 0 end,
           'overdue_seconds', (select round(o.seconds, 3) from overdue o),
           'dead_letters_pending', (
             select count(*) from tasker.tasks_dlq d where d.resolution_status = 'pending'),
           'schedules', tasker.get_schedule_figures(p_now),
           'event_consumers', tasker.get_consumer_figures(p_now),
           'webhooks', tasker.get_webhook_figures(p_now),
           'retention', tasker.get_retention_figures(p_now),
           'servers', tasker.count_servers((select c.now from clock c)),
           'database', (select jsonb_build_object(
                                 'commits', d.xact_commit, 'rollbacks', d.xact_rollback,
                                 'deadlocks', d.deadlocks,
                                 'wal_bytes', (select w.wal_bytes from pg_catalog.pg_stat_wal w))
                        from pg_catalog.pg_stat_database d
                        where d.datname = pg_catalog.current_database()))
$$;
comment on function tasker.get_metrics_document(timestamptz) is
  'The figures of the whole installation for monitoring, for GET /metrics.';
