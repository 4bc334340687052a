-- Opens a dead letter for each task that has just become blocked, with a snapshot of its steps; a
-- task that has an open one keeps it, and has from then on the time at which the task breaches its
-- SLA (breach_blocked_slas). Locks: none but the new rows.
create or replace function tasker.create_dlq_entries(
  p_task_uuids uuid[], p_now timestamptz default null)
returns void
language sql
set search_path = ''
as $$
  insert into tasker.tasks_dlq
    (task_uuid, original_state, dlq_reason, dlq_timestamp, task_snapshot, metadata, sla_due_at)
  select t.task_uuid, t.state,
         case when f.is_unserved then 'worker_unavailable'
              when f.exhausted then 'max_retries_exceeded'
              else 'permanent_failure' end::tasker.dlq_reason,
         coalesce(p_now, now()), tasker.get_task_snapshot(t.task_uuid),
         jsonb_build_object('failed_steps', f.failed),
         case when t.sla_breached_at is null then
                greatest(t.start_at, t.created_at) + nt.sla_minutes * interval '1 minute'
              else 'infinity' end
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  cross join lateral (
    select jsonb_agg(coalesce(s.name, n.name)) filter (where s.state = 'error') as failed,
           bool_or(r.error ->> 'type' in ('unclaimed', 'worker_unavailable', 'queue_timeout')
                   and r.worker_uuid is null) filter (where s.state = 'error') as is_unserved,
           bool_or(r.outcome = 'retryable_failure') filter (where s.state = 'error') as exhausted
    from tasker.workflow_steps s
    join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    where s.task_uuid = t.task_uuid) f
  where t.task_uuid = any (p_task_uuids)
  on conflict (task_uuid)
  where resolution_status = 'pending' do update
  set sla_due_at = excluded.sla_due_at
$$;
comment on function tasker.create_dlq_entries(uuid[], timestamptz) is
  'Opens a dead letter for each task that has just become blocked, with a snapshot of its steps.';
