-- Tasks that should have been evaluated, leases that should have been recovered, dead letters that
-- should have been closed, schedules that should have fired, signals that should have been
-- delivered and deliveries of webhooks that should have been sent long ago: one row per finding.
-- Every orchestrator polls for these, so call it for a system with at least one live orchestrator
-- that keeps up.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_overdue_violations(
  p_older_than interval default '10 minutes')
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off
as $$
  select 'due_task_is_processed',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'wake_at', w.wake_at)
  from tasker.task_wakeups w
  join tasker.tasks t on t.task_uuid = w.task_uuid
  where w.wake_at < clock_timestamp() - p_older_than
  union all
  select 'expired_lease_is_recovered',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'handoff', s.handoffs,
                            'lease_expires_at', s.lease_expires_at, 'leased_by', s.leased_by)
  from tasker.task_wakeups w
  join tasker.workflow_steps s on s.task_uuid = w.task_uuid and s.state = 'in_progress'
  where s.lease_expires_at < clock_timestamp() - p_older_than
  union all
  -- Operators close the ones that an operator opened.
  select 'settled_dead_letter_is_closed',
         jsonb_build_object('dlq_entry_uuid', d.dlq_entry_uuid, 'task_uuid', t.task_uuid,
                            'task_state', t.state)
  from tasker.tasks_dlq d
  join tasker.tasks t on t.task_uuid = d.task_uuid
  where d.resolution_status = 'pending'
    and d.dlq_reason <> 'manual_dlq'
    and t.state in ('complete', 'cancelled', 'resolved_manually')
    and t.completed_at < clock_timestamp() - p_older_than
  union all
  select 'due_schedule_is_processed',
         jsonb_build_object('schedule_uuid', s.schedule_uuid, 'next_fire_at', s.next_fire_at,
                            'wake_at', s.wake_at)
  from tasker.schedules s
  where s.wake_at < clock_timestamp() - p_older_than
  union all
  select 'due_schedule_is_processed',
         jsonb_build_object('backfill_uuid', b.backfill_uuid, 'schedule_uuid', b.schedule_uuid,
                            'wake_at', b.wake_at)
  from tasker.schedule_backfills b
  where b.wake_at < clock_timestamp() - p_older_than
  union all
  -- Later than the engine ever sets: who waits for it waits in vain. Half a minute for what waits
  -- for a task to end; a lease of a server or worker is of four heartbeats, that of a consumer of
  -- half a minute; a receiver may ask a webhook to wait for a day.
  select 'nothing_is_put_off', p.example || jsonb_build_object('until', p.until)
  from (select jsonb_build_object('schedule_uuid', s.schedule_uuid,
                                  'queued_fire_at', s.queued_fire_at) as example,
               s.recheck_at as until, interval '5 minutes' as bound
        from tasker.schedules s
        where s.paused_at is null and s.deleted_at is null
        union all
        select jsonb_build_object('backfill_uuid', b.backfill_uuid), b.wake_at, interval '5 minutes'
        from tasker.schedule_backfills b
        union all
        select jsonb_build_object('server_uuid', s.server_uuid), s.lease_expires_at,
               4 * s.heartbeat_seconds * interval '1 second' + interval '5 minutes'
        from tasker.servers s
        union all
        select jsonb_build_object('worker_uuid', w.worker_uuid), w.lease_expires_at,
               4 * w.heartbeat_seconds * interval '1 second' + interval '5 minutes'
        from tasker.workers w
        union all
        select jsonb_build_object('consumer', c.name), greatest(c.lease_until, c.retry_at),
               interval '1 hour'
        from tasker.event_consumers c
        union all
        select jsonb_build_object('webhook_uuid', w.webhook_uuid), w.wait_until, interval '27 hours'
        from tasker.webhooks w) p
  where p.until > clock_timestamp() + p.bound
  union all
  select 'queued_signal_is_delivered',
         jsonb_build_object('queued_uuid', q.queued_uuid, 'task_uuid', q.task_uuid, 'name', q.name,
                            'sent_at', q.sent_at)
  from tasker.queued_signals q
  where q.refused_at is null and q.sent_at < clock_timestamp() - p_older_than
  union all
  -- One that waits for an earlier event of its task, or for a webhook that is busy, is not overdue:
  -- something of the webhook was sent lately.
  select 'due_delivery_is_sent',
         jsonb_build_object('webhook_uuid', w.webhook_uuid, 'delivery_uuid', d.delivery_uuid,
                            'due_at', d.due_at)
  from tasker.webhooks w
  cross join lateral (
    select o.delivery_uuid, o.due_at
    from tasker.webhook_deliveries o
    where o.webhook_uuid = w.webhook_uuid
      and o.ended_at is null
      and o.due_at < clock_timestamp() - p_older_than
      and not exists (select from tasker.webhook_deliveries e
                      where e.webhook_uuid = w.webhook_uuid
                        and (e.task_uuid = o.task_uuid or e.schedule_uuid = o.schedule_uuid)
                        and e.ended_at is null
                        and e.position < o.position)
    order by o.due_at limit 1) d
  where w.deleted_at is null
    and w.paused_at is null
    and (w.wait_until is null or w.wait_until < clock_timestamp() - p_older_than)
    and not exists (select from tasker.webhook_deliveries o
                    where o.webhook_uuid = w.webhook_uuid
                      and o.last_attempt_at > clock_timestamp() - p_older_than)
$$;
comment on function tasker.find_overdue_violations(interval) is
  'Tasks that should have been evaluated, leases that should have been recovered and dead letters '
  'that should have been closed long ago.';
