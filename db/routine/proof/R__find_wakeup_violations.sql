-- Wake-ups that do not match their tasks: one row per finding. Without nested loops: where
-- statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_wakeup_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  select case when w.task_uuid is null then 'task_that_can_move_has_a_wakeup'
              else 'terminal_or_blocked_task_has_no_wakeup' end,
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'wake_at', w.wake_at)
  from tasker.tasks t
  left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
    and (t.completed_at is null and t.state <> 'blocked_by_failures') <> (w.task_uuid is not null)
  union all
  -- A task with a pending retry has a wake-up no later than the retry, unless no step of the task
  -- may start any more.
  select 'retry_is_due_no_later_than_its_wakeup',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'next_retry_at', s.next_retry_at,
                            'wake_at', w.wake_at)
  from tasker.task_wakeups w
  join tasker.tasks t on t.task_uuid = w.task_uuid
  join tasker.workflow_steps s on s.task_uuid = t.task_uuid and s.state = 'waiting_for_retry'
  where t.created_at >= coalesce(p_since, '-infinity')
    and t.cancel_requested_at is null
    and (t.failed_steps = 0 or t.continue_on_error)
    and t.named_task_uuid not in (select p.named_task_uuid from tasker.template_pauses p)
    and w.wake_at > greatest(s.next_retry_at, clock_timestamp())
    -- The release of a slot promotes a step that waits for one.
    and not (s.is_limited
             and exists (select from tasker.concurrency_slots c
                         where c.task_uuid = s.task_uuid and c.admitted_at is null))
    -- The end of another worker finds one that waits for a slot of its batch.
    and not exists (select from tasker.batches b
                    where b.workflow_step_uuid = s.batch_step_uuid
                      and b.in_flight_workers >= b.parallelism)
  union all
  -- A task with a time limit has a wake-up no later than the limit, unless its processing fails.
  select 'time_limit_is_no_later_than_its_wakeup',
         jsonb_build_object('task_uuid', t.task_uuid,
                            'times_out_at', greatest(t.start_at, t.created_at) + nt.max_duration,
                            'wake_at', w.wake_at)
  from tasker.named_tasks nt
  join tasker.tasks t on t.named_task_uuid = nt.named_task_uuid
  join tasker.task_wakeups w on w.task_uuid = t.task_uuid
  where nt.max_duration is not null
    and t.created_at >= coalesce(p_since, '-infinity')
    and t.timed_out_at is null
    and t.cancel_requested_at is null
    and t.compensation is null
    and w.wake_at
      > greatest(greatest(t.start_at, t.created_at) + nt.max_duration, clock_timestamp())
    and t.task_uuid not in (select f.task_uuid from tasker.task_faults f)
  union all
  -- A task with an offer that may wait for a worker only so long has a wake-up no later than that,
  -- unless its processing fails.
  select 'queue_timeout_is_no_later_than_its_wakeup',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'enqueued_at', s.enqueued_at,
                            'queue_timeout_seconds', n.queue_timeout_seconds, 'wake_at', w.wake_at)
  from tasker.named_tasks_named_steps n
  join tasker.workflow_steps s on s.named_step_uuid = n.named_step_uuid and s.state = 'enqueued'
  join tasker.tasks t on t.task_uuid = s.task_uuid
  join tasker.task_wakeups w on w.task_uuid = s.task_uuid
  where n.queue_timeout_seconds is not null
    and t.created_at >= coalesce(p_since, '-infinity')
    and w.wake_at
      > greatest(s.enqueued_at + n.queue_timeout_seconds * interval '1 second', clock_timestamp())
    and t.task_uuid not in (select f.task_uuid from tasker.task_faults f)
  union all
  select 'time_out_has_its_limit_and_its_reason',
         jsonb_build_object('task_uuid', t.task_uuid,
                            'times_out_at', greatest(t.start_at, t.created_at) + nt.max_duration,
                            'timed_out_at', t.timed_out_at)
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.timed_out_at is not null
    and t.created_at >= coalesce(p_since, '-infinity')
    and (coalesce(t.timed_out_at >= greatest(t.start_at, t.created_at) + nt.max_duration,
                  false) is false
         or (nt.on_timeout = 'fail'
             and t.task_uuid not in (
               select h.task_uuid
               from tasker.task_transitions h
               where h.to_state = 'error' and h.metadata ->> 'reason' = 'task_timed_out')))
  union all
  select 'step_of_a_finished_task_cannot_move',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'state', s.state,
                            'task_state', t.state)
  from tasker.tasks t
  join tasker.workflow_steps s on s.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
    and ((t.state in ('complete', 'cancelled')
          and s.completed_at is null
          and not (t.state = 'cancelled' and s.state = 'error'))
         or (t.completed_at is not null
             and s.state in ('enqueued', 'in_progress', 'enqueued_for_orchestration',
                             'enqueued_as_error_for_orchestration')))
$$;
comment on function tasker.find_wakeup_violations(timestamptz) is
  'Wake-ups that do not match their tasks: one row per finding.';
