-- Views for operators: dead letters by reason, the order in which to investigate them, and tasks
-- that become stale soon.
create or replace view tasker.v_dlq_dashboard as
select d.dlq_reason, count(*) as total_entries,
       count(*) filter (where d.resolution_status = 'pending') as pending,
       count(*) filter (where d.resolution_status = 'manually_resolved') as manually_resolved,
       count(*) filter (where d.resolution_status = 'permanently_failed') as permanent_failures,
       count(*) filter (where d.resolution_status = 'cancelled') as cancelled,
       min(d.dlq_timestamp) as oldest_entry, max(d.dlq_timestamp) as newest_entry,
       round((avg(extract(epoch from d.resolution_timestamp - d.dlq_timestamp)) / 60)::numeric,
             2) as avg_resolution_time_minutes
from tasker.tasks_dlq d group by d.dlq_reason;
comment on view tasker.v_dlq_dashboard is
  'Dead letters by reason: how many are open, how they were closed, how long it took.';

create or replace view tasker.v_dlq_investigation_queue as
select d.dlq_entry_uuid, d.task_uuid, d.original_state, d.dlq_reason, d.dlq_timestamp,
       round((extract(epoch from clock_timestamp() - d.dlq_timestamp) / 60)::numeric,
             2) as minutes_in_dlq,
       ns.name as namespace_name, nt.name as task_name, t.state as current_state,
       round((extract(epoch from clock_timestamp() - h.created_at) / 60)::numeric,
             2) as time_in_state_minutes,
       -- Same as calculate_investigation_rank, which a read-only role cannot call.
       (case d.dlq_reason when 'dependency_cycle_detected' then 1000
             when 'max_retries_exceeded' then 500
             when 'permanent_failure' then 500
             when 'staleness_timeout' then 100
             when 'worker_unavailable' then 50
             else 10 end
        + round((extract(epoch from clock_timestamp() - d.dlq_timestamp) / 60)::numeric,
                2)) as priority_score
from tasker.tasks_dlq d
join tasker.tasks t on t.task_uuid = d.task_uuid
join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
left join tasker.task_moves h on h.task_uuid = t.task_uuid and h.sort_key = t.transition_count
where d.resolution_status = 'pending';
comment on view tasker.v_dlq_investigation_queue is
  'Open dead letters with their score for investigation: the points of the reason and one per '
  'minute.';

create or replace view tasker.v_task_staleness_monitoring as
select s.task_uuid, ns.name
  as namespace_name, nt.name
  as task_name, s.state
  as current_state, s.should_have_moved_at,
       round((extract(epoch from clock_timestamp() - h.created_at) / 60)::numeric,
             2) as time_in_state_minutes,
       round((extract(epoch from clock_timestamp() - t.created_at) / 60)::numeric,
             2) as task_age_minutes,
       s.threshold_minutes as staleness_threshold_minutes, s.stale_at,
       case
  when s.stale_at <= clock_timestamp() then 'stale'
  when s.stale_at <= clock_timestamp() + s.threshold_minutes * interval '12 seconds' then 'warning'
  else 'healthy' end as health_status,
       t.priority
from tasker.get_task_staleness((select array_agg(w.task_uuid) from tasker.task_wakeups w)) s
join tasker.tasks t on t.task_uuid = s.task_uuid
join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
left join tasker.task_moves h
  on h.task_uuid = t.task_uuid and h.sort_key = t.transition_count;
comment on view tasker.v_task_staleness_monitoring is
  'Unfinished tasks that can become stale: warning when a fifth of their time is left. Reads all '
  'unfinished tasks.';
