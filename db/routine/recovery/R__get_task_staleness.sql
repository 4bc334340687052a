-- When each of the given unfinished tasks becomes stale, or became so: counted from when it should
-- have moved, not from when it entered its state. waiting_for_retry: since its first retry was due,
-- so that a task that waits months for its retry is not stale. waiting_for_dependencies, pending:
-- since it entered that state, unless it is paused or delayed, or waits for a slot of a policy, a
-- time or a signal. steps_in_process: with a limit of the template since the first handoff that is
-- still unfinished; without one since the end of a lease, or since an offer that no live worker
-- serves, so that a long queue or a long run does not make a task stale. max_duration_minutes
-- counts from the creation, or from start_at, in any state; a blocked task waits for an operator
-- and is never stale. reason is that of its dead letter. Tasks that cannot become stale have no
-- row. One that is being compensated or cancelled is not failed, since what is left of it could not
-- be begun again: it is investigated instead.
-- Source: ADR 0016.
create or replace function tasker.get_task_staleness(
  p_task_uuids uuid[], p_now timestamptz default null)
returns table (task_uuid uuid, state tasker.task_state, should_have_moved_at timestamptz,
               threshold_minutes int, stale_at timestamptz,
               reason tasker.dlq_reason, is_to_fail boolean, is_to_be_investigated boolean)
language plpgsql stable
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
#variable_conflict use_column
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  return query
  with unfinished_tasks as materialized (
    select t.task_uuid, t.state, greatest(t.start_at, t.created_at) as created_at, nt.configuration,
           nt.max_duration_minutes, ns.name as namespace,
           coalesce(nt.configuration #>> '{lifecycle,staleness_action}', 'dlq') as action,
           t.compensation is not null or t.cancel_requested_at is not null as is_ending,
           nt.configuration #>> '{lifecycle,max_steps_in_process_minutes}' is not null as has_limit,
           exists (select from tasker.template_pauses p where p.named_task_uuid = t.named_task_uuid)
             or (t.is_limited
                 and exists (select from tasker.concurrency_slots c
                             where c.task_uuid = t.task_uuid and c.admitted_at is null offset 0))
             or t.is_delayed
             -- The offsets keep the planner from reading those of all tasks.
             or exists (select from tasker.step_waits w
                        where w.task_uuid = t.task_uuid
                          and w.state = 'open'
                          and (w.due_at is null or w.due_at > v_now) offset 0) as is_paused,
           (select h.created_at
            from tasker.task_moves h
            where h.task_uuid = t.task_uuid and h.sort_key = t.transition_count) as entered_at
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where t.task_uuid = any (p_task_uuids)
      and t.completed_at is null
      and t.state <> 'blocked_by_failures'),
  served as materialized (
    select n.namespace, tasker.is_served(n.namespace, v_now) as is_served
    from (select distinct l.namespace from unfinished_tasks l) n),
  measured as (
    select l.*, s.first_offer, v.is_served, s.claimed,
           case
             when l.state = 'waiting_for_retry' and not l.is_paused then s.first_retry
             when l.state in ('waiting_for_dependencies', 'pending') and not l.is_paused then
               l.entered_at
             when l.state = 'steps_in_process' and l.has_limit then s.first_out
             when l.state = 'steps_in_process' then
               least(s.first_lease_end, s.first_result,
                     case when not v.is_served then s.first_offer end) end as since,
           tasker.calculate_staleness_threshold(l.state::text, l.configuration) as threshold
    from unfinished_tasks l
    join served v on v.namespace = l.namespace
    cross join lateral (
      select min(w.next_retry_at) as first_retry,
             min(w.enqueued_at) filter (where w.state = 'enqueued') as first_offer,
             min(w.lease_expires_at) as first_lease_end,
             min(w.last_attempted_at) filter (
               where tasker.step_awaits_settlement(w.state)) as first_result,
             min(w.enqueued_at) filter (
               where tasker.step_is_in_flight(w.state)) as first_out,
             count(
               *) filter (where w.state in ('in_progress', 'enqueued_for_orchestration',
                                            'enqueued_as_error_for_orchestration')) as claimed
      from tasker.get_open_steps(l.task_uuid) w) s),
  limits as (
    select m.*,
           least(m.since + m.threshold * interval '1 minute',
                 m.created_at + m.max_duration_minutes * interval '1 minute') as stale_at
    from measured m)
  select l.task_uuid, l.state, l.since, l.threshold, l.stale_at,
         case
           when l.state = 'steps_in_process'
             and l.first_offer is not null
             and l.claimed = 0
             and not l.is_served then 'worker_unavailable'
           when l.state = 'waiting_for_dependencies'
             and l.stale_at <= v_now
             and exists (select from tasker.get_open_steps(l.task_uuid) x
                         cross join lateral tasker.get_parent_steps(x.workflow_step_uuid) p
                         where x.state = 'pending'
                           and tasker.detect_cycle(
                             p.workflow_step_uuid, x.workflow_step_uuid)) then
             'dependency_cycle_detected'
           else 'staleness_timeout' end::tasker.dlq_reason,
         f.is_failing and not l.is_ending,
         l.action = 'dlq'
           or coalesce((l.configuration #>> '{lifecycle,auto_dlq_on_timeout}')::boolean, false)
           or f.is_failing and l.is_ending
  from limits l
  cross join lateral (
    select l.action = 'error'
             or coalesce((l.configuration #>> '{lifecycle,auto_fail_on_timeout}')::boolean, false)
             as is_failing) f
  where l.stale_at is not null;
end
$$;
comment on function tasker.get_task_staleness(uuid[], timestamptz) is
  'When each of the given unfinished tasks becomes stale, or became so: counted from when it '
  'should have moved.';
