-- Tasks and steps whose state does not match their related rows: one row per finding. Without
-- nested loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_state_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with tasks as (
    select t.* from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  -- The move of a task or step into its present state.
  blocked as (
    select t.task_uuid, h.created_at as blocked_at
    from tasks t
    left join tasker.task_transitions h on h.task_uuid = t.task_uuid
      and h.sort_key = t.transition_count
      and h.to_state = 'blocked_by_failures'
    where t.state = 'blocked_by_failures'),
  under_way as (
    select s.workflow_step_uuid, s.task_uuid, s.state, s.leased_by, s.lease_expires_at,
           s.next_retry_at, s.backoff_request_seconds, h.processor_uuid, h.created_at as moved_at
    from tasker.workflow_steps s
    left join tasker.workflow_step_transitions h on h.workflow_step_uuid = s.workflow_step_uuid
      and h.sort_key = s.transition_count
      and h.to_state = s.state
    where s.state in ('in_progress', 'waiting_for_retry')
      and s.created_at >= coalesce(p_since, '-infinity')),
  retries as (
    select s.task_uuid, max(s.next_retry_at) as last_retry
    from tasker.workflow_steps s
    where s.state = 'waiting_for_retry'
    group by s.task_uuid)
  select 'task_state_fits_its_steps',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'failed', t.failed_steps,
                            'retrying', t.retrying_steps, 'in_flight', t.in_flight_steps)
  from tasks t
  where (t.state = 'blocked_by_failures' and (t.failed_steps = 0 or t.in_flight_steps > 0))
    or (t.state = 'waiting_for_retry' and (t.retrying_steps = 0 or t.in_flight_steps > 0))
    or (t.state = 'complete' and t.unfinished_steps > 0)
  union all
  select 'cancelled_means_asked_for', jsonb_build_object('task_uuid', t.task_uuid)
  from tasks t
  where t.state = 'cancelled' and t.cancel_requested_at is null
  union all
  select 'cancelled_means_asked_for',
         jsonb_build_object('task_uuid', t.task_uuid, 'step_uuid', s.workflow_step_uuid)
  from tasks t
  join tasker.workflow_steps s on s.task_uuid = t.task_uuid
  where s.state = 'cancelled'
    and t.cancel_requested_at is null
    and (t.compensation is null or s.compensates_step_uuid is not null)
  union all
  select 'cancel_request_is_recorded',
         jsonb_build_object('task_uuid', t.task_uuid, 'cancel_requested_at', t.cancel_requested_at)
  from tasks t
  left join (select a.task_uuid, (array_agg(a.acted_by order by a.acted_at))[1] as first_by,
                    array_agg(distinct a.details ->> 'policy') as policies
             from tasker.operator_actions a
             where a.action = 'cancel'
             group by a.task_uuid) a on a.task_uuid = t.task_uuid
  where t.cancel_requested_at is not null
    and (a.task_uuid is null
         or coalesce(nullif(btrim(coalesce(t.cancel_claimed_actor, t.cancel_requested_by)), ''),
                     'anonymous') is distinct from a.first_by
         -- A later request may turn allow_finish into cancel_running, and that is when running
         -- steps are made to stop.
         or t.cancel_policy::text <> all (a.policies)
         or (t.cancel_policy = 'allow_finish' and 'cancel_running' = any (a.policies))
         or (t.cancel_force_at is null) <> (t.cancel_policy = 'allow_finish'))
  union all
  select 'cancel_request_is_recorded',
         jsonb_build_object('task_uuid', t.task_uuid, 'cancel_force_at', t.cancel_force_at,
                            'cancel_requested_by', t.cancel_requested_by)
  from tasks t
  where t.cancel_requested_at is null
    and num_nonnulls(t.cancel_force_at, t.cancel_requested_by, t.cancel_claimed_actor,
                     t.cancel_reason) > 0
  union all
  -- Nobody evaluates a task whose context is still to be checked, so that one which runs would
  -- stop.
  select 'unchecked_task_has_not_started',
         jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state)
  from tasks t
  where not t.context_checked
    and t.state not in ('pending', 'cancelled', 'error', 'resolved_manually')
  union all
  select 'sla_breach_has_its_limit',
         jsonb_build_object('task_uuid', t.task_uuid, 'sla_breached_at', t.sla_breached_at,
                            'sla_minutes', nt.sla_minutes)
  from tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.sla_breached_at is not null
    and coalesce(t.sla_breached_at
                   < greatest(t.start_at, t.created_at) + nt.sla_minutes * interval '1 minute',
                 true)
  union all
  -- Moves by SQL (transition_step_state_atomic) name no action.
  select 'operator_move_is_recorded',
         jsonb_build_object('task_uuid', m.task_uuid, 'action', m.action)
  from (select distinct h.task_uuid, h.metadata ->> 'action' as action
        from tasker.task_transitions h
        where h.actor = 'operator'
        union
        select distinct h.task_uuid, h.metadata ->> 'action'
        from tasker.workflow_step_transitions h
        where h.actor = 'operator') m
  join tasks t on t.task_uuid = m.task_uuid
  left join (select distinct a.task_uuid, a.action from tasker.operator_actions a) a
    on a.task_uuid = m.task_uuid
      and a.action = m.action
  where m.action is not null and a.task_uuid is null
  union all
  -- Since it was blocked: an open one, or one that an operator has closed.
  select 'blocked_task_has_a_dead_letter',
         jsonb_build_object('task_uuid', b.task_uuid, 'blocked_at', b.blocked_at)
  from blocked b
  left join (select d.task_uuid, bool_or(d.resolution_status = 'pending') as is_open,
                    max(d.resolution_timestamp) filter (
                      where d.resolved_by is not null) as closed_at
             from tasker.tasks_dlq d
             group by d.task_uuid) d on d.task_uuid = b.task_uuid
  where not coalesce(d.is_open or d.closed_at >= b.blocked_at, false)
  union all
  select 'blocked_task_breaches_its_sla',
         jsonb_build_object('task_uuid', b.task_uuid, 'blocked_at', b.blocked_at)
  from blocked b
  join tasker.tasks t on t.task_uuid = b.task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    and nt.sla_minutes is not null
  left join (select d.task_uuid, min(d.sla_due_at) as due_at
             from tasker.tasks_dlq d
             group by d.task_uuid) d on d.task_uuid = b.task_uuid
  where t.sla_breached_at is null
    -- A minute more after an escalation that failed.
    and coalesce(d.due_at, 'infinity')
      > greatest(greatest(t.start_at, t.created_at) + nt.sla_minutes * interval '1 minute',
                 clock_timestamp() + interval '1 minute')
  union all
  select 'inputs_of_an_operator_are_kept', jsonb_build_object('step_uuid', a.workflow_step_uuid)
  from (select distinct a.workflow_step_uuid
        from tasker.operator_actions a
        where a.details ? 'inputs' and a.workflow_step_uuid is not null) a
  join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid
  left join tasker.workflow_step_documents d on d.workflow_step_uuid = a.workflow_step_uuid
  where s.created_at >= coalesce(p_since, '-infinity') and d.workflow_step_uuid is null
  union all
  select 'lease_belongs_to_its_claim',
         jsonb_build_object('step_uuid', u.workflow_step_uuid, 'leased_by', u.leased_by,
                            'claimed_by', u.processor_uuid)
  from under_way u
  where u.state = 'in_progress' and u.leased_by is distinct from u.processor_uuid
  union all
  -- Allows a minute for a claim that was under way when the worker declared its handlers.
  select 'claimed_step_is_of_a_worker_that_serves_it',
         jsonb_build_object('step_uuid', u.workflow_step_uuid, 'leased_by', u.leased_by,
                            'handler', n.handler_key, 'namespace', ns.name)
  from under_way u
  join tasker.workers w on w.worker_uuid = u.leased_by
  join tasker.workflow_steps s on s.workflow_step_uuid = u.workflow_step_uuid
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where u.state = 'in_progress'
    and u.moved_at > w.declared_at + interval '1 minute'
    and not ((w.namespaces is null or ns.name = any (w.namespaces))
             and tasker.has_handler(w.handlers, w.resolvers, '{}', n.handler_callable,
                                    n.handler_resolver, n.handler_key))
  union all
  select 'lease_ends_within_a_day',
         jsonb_build_object('step_uuid', u.workflow_step_uuid,
                            'lease_expires_at', u.lease_expires_at)
  from under_way u
  where u.state = 'in_progress' and u.lease_expires_at > clock_timestamp() + interval '25 hours'
  union all
  select 'retry_waits_as_long_as_was_decided',
         jsonb_build_object('step_uuid', u.workflow_step_uuid, 'next_retry_at', u.next_retry_at,
                            'since', u.moved_at, 'seconds', u.backoff_request_seconds)
  from under_way u
  where u.state = 'waiting_for_retry'
    and u.next_retry_at > u.moved_at + coalesce(u.backoff_request_seconds, 0) * interval '1 second'
      + interval '1 minute'
  union all
  select 'wakeup_is_within_reach',
         jsonb_build_object('task_uuid', w.task_uuid, 'wake_at', w.wake_at, 'start_at', t.start_at)
  from tasker.task_wakeups w
  join tasks t on t.task_uuid = w.task_uuid and t.is_delayed
  where w.wake_at > greatest(t.start_at, clock_timestamp())
    and t.cancel_requested_at is null
    and t.named_task_uuid not in (select p.named_task_uuid from tasker.template_pauses p)
    and t.task_uuid not in (select f.task_uuid from tasker.task_faults f)
  union all
  -- A task is looked at every ten minutes, or every hour at least where very many are in process, a
  -- parked one every hour, one that only waits every day; only a retry and a delayed start may be
  -- due later.
  select 'wakeup_is_within_reach',
         jsonb_build_object('task_uuid', w.task_uuid, 'wake_at', w.wake_at,
                            'last_retry', r.last_retry)
  from tasker.task_wakeups w
  join tasks t on t.task_uuid = w.task_uuid
  left join retries r on r.task_uuid = w.task_uuid
  where w.wake_at > clock_timestamp() + interval '65 minutes'
    and not coalesce(w.wake_at <= r.last_retry, false)
    and not (t.is_delayed and w.wake_at <= t.start_at)
    and not (w.wake_at < clock_timestamp() + interval '25 hours'
             and w.task_uuid in (
               select v.task_uuid from tasker.step_waits v where v.state = 'open'))
$$;
comment on function tasker.find_state_violations(timestamptz) is
  'Tasks and steps whose state does not match their related rows: one row per finding.';
