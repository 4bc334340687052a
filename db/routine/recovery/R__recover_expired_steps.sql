-- Recovers the steps of the given tasks whose lease has expired by the database's clock: cancelled
-- when a cancel was requested, pending again (the next handoff gets the next attempt) while
-- attempts are left and the template says reschedule, otherwise error. A step that is not retryable
-- moves to error, because its handler may have had effects. A step whose cancel grace period has
-- ended is cancelled too, even if its lease has not expired (forced).
-- Locks: the steps; the caller holds the tasks. Returns how many it recovered.
-- Source: design section 3, attune.md W3 to W7, H3, H6; ADR 0011 and 0012.
create or replace function tasker.recover_expired_steps(
  p_task_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_deltas tasker.task_delta[];
begin
  with expired as (
    select s.workflow_step_uuid, s.lease_expires_at > v_now as is_forced,
           case when t.cancel_requested_at is not null then 'cancelled'
                when s.retryable
                  and s.attempts - s.attempts_before_reset < s.max_attempts
                  and n.on_worker_lost = 'reschedule' then 'pending'
                else 'error' end::tasker.step_state as to_state
    from tasker.workflow_steps s
    join tasker.tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.workflow_step_uuid
        = any (array(select o.workflow_step_uuid
                     from tasker.tasks a
                     cross join lateral tasker.get_open_steps(a.task_uuid) o
                     where a.task_uuid = any (p_task_uuids)
                       and o.state = 'in_progress'
                       and (o.lease_expires_at <= v_now or a.cancel_force_at <= v_now)))
      and s.state = 'in_progress'
      and (s.lease_expires_at <= v_now or t.cancel_force_at <= v_now)
    order by s.workflow_step_uuid
    for update of s),
  moved as (
    update tasker.workflow_steps s
    set state = e.to_state, transition_count = s.transition_count + 1, lease_expires_at = null,
        last_failure_at = v_now, completed_at = case when e.to_state <> 'pending' then v_now end,
        result_sort_key
          = case when e.to_state = 'error' then s.transition_count + 1 else s.result_sort_key end
    from expired e
    where s.workflow_step_uuid = e.workflow_step_uuid and s.state = 'in_progress'
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              s.leased_by, e.to_state, e.is_forced),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome,
       error)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, m.leased_by, v_now, m.handoffs,
           m.attempts, 'retryable_failure',
           jsonb_build_object('type', 'worker_lost',
                              'message', format(
                                'the lease of attempt %s expired, and no further attempt follows',
                                m.attempts))
    from moved m
    where m.to_state = 'error'),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'in_progress', m.to_state,
           'recovery', m.handoffs, m.attempts, p_server_uuid,
           case when m.is_forced then jsonb_build_object(
                  'reason', 'cancel_grace_over', 'forced', true, 'server', m.leased_by)
                else jsonb_build_object('reason', 'lease_expired', 'server', m.leased_by) end
    from moved m)
  select array_agg((m.task_uuid, -1, 0, case m.to_state when 'error' then 1 else 0 end,
                    0)::tasker.task_delta) into v_deltas
  from moved m;

  if v_deltas is not null then
    -- The caller evaluates the tasks next and needs these counts.
    update tasker.tasks t
    set in_flight_steps = t.in_flight_steps + d.in_flight, failed_steps = t.failed_steps + d.failed
    from (select u.task_uuid, sum(u.in_flight)::int as in_flight, sum(u.failed)::int as failed
          from unnest(v_deltas) u
          group by u.task_uuid) d
    where t.task_uuid = d.task_uuid;
  end if;
  return coalesce(cardinality(v_deltas), 0);
end
$$;
comment on function tasker.recover_expired_steps(uuid[], uuid, timestamptz) is
  'Recovers the steps of the given tasks whose lease has expired by the database''s clock.';
