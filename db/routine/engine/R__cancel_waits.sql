-- Cancels the open waits, and their approvals, of tasks that end or are being cancelled, or of p_step_uuids among their steps only: of steps that
-- leave pending without their wait. Returns how many.
-- Locks: the waits; the caller holds the tasks. Source: ADR 0038.
create or replace function tasker.cancel_waits(p_task_uuids uuid[], p_step_uuids uuid[] default null, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_cancelled int;
  v_approvals uuid[];
begin
  with cancelled as (
    update tasker.step_waits w
    set state = 'cancelled', ended_at = greatest(coalesce(p_now, clock_timestamp()), w.armed_at)
    where w.task_uuid = any (p_task_uuids) and (p_step_uuids is null or w.workflow_step_uuid = any (p_step_uuids)) and w.state = 'open'
    returning w.wait_uuid, w.kind, w.ended_at),
  -- One that was decided while its task could not go on stays decided.
  approvals as (
    update tasker.approvals a set state = 'cancelled', ended_at = c.ended_at
    from cancelled c where c.kind = 'approval' and a.approval_uuid = c.wait_uuid and a.state = 'open'
    returning a.approval_uuid)
  select (select count(*) from cancelled), array(select a.approval_uuid from approvals a) into v_cancelled, v_approvals;
  perform tasker.record_approval_event(a.approval_uuid, 'cancelled', null, a.ended_at)
  from tasker.approvals a where a.approval_uuid = any (v_approvals);
  return v_cancelled;
end
$$;
comment on function tasker.cancel_waits(uuid[], uuid[], timestamptz) is
  'Cancels the open waits of tasks that end or are being cancelled, or of some of their steps.';
