-- Recovers the steps of the given tasks whose lease has expired by the database's clock: cancelled
-- when a cancel was requested, pending again (the next handoff gets the next attempt) while
-- attempts are left and the template says reschedule, otherwise error. A step that is not retryable
-- moves to error, because its handler may have had effects. A step whose cancel grace period has
-- ended is cancelled too, even if its lease has not expired (forced).
-- Locks: the steps; the caller holds the tasks. Returns how many it recovered.
-- Source: ADR 0011, ADR 0012.
create or replace function tasker.recover_expired_steps(
  p_task_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_moves tasker.step_move[];
begin
  with expired as (
    select s.workflow_step_uuid, s.handoffs, s.attempts, s.leased_by,
           s.lease_expires_at > v_now as is_forced,
           case when t.cancel_requested_at is not null then 'cancelled'
                when tasker.may_be_retried(s) and n.on_worker_lost = 'reschedule' then 'pending'
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
    for update of s)
  select array_agg((e.workflow_step_uuid, e.handoffs, 'in_progress', e.to_state, 'recovery',
                    jsonb_build_object('reason', 'lease_expired', 'server', e.leased_by)
                      || case when e.is_forced then
                                '{"reason": "cancel_grace_over", "forced": true}'
                              else '{}' end::jsonb,
                    case when e.to_state = 'error' then 'retryable_failure' end, null,
                    case when e.to_state = 'error' then jsonb_build_object(
                           'type', 'worker_lost',
                           'message', format(
                             'the lease of attempt %s expired, and no further attempt follows',
                             e.attempts)) end,
                    e.leased_by, null)::tasker.step_move) into v_moves
  from expired e;
  -- Counted at once: the caller evaluates the tasks next.
  return (select cardinality(m.o_moved)
          from tasker.apply_step_moves(v_moves, p_server_uuid, v_now, true) m);
end
$$;
comment on function tasker.recover_expired_steps(uuid[], uuid, timestamptz) is
  'Recovers the steps of the given tasks whose lease has expired by the database''s clock.';
