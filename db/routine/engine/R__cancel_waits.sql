-- Cancels the open waits of tasks that end or are being cancelled, or of p_step_uuids among their steps only: of steps that
-- leave pending without their wait. Returns how many.
-- Locks: the waits; the caller holds the tasks. Source: ADR 0038.
create or replace function tasker.cancel_waits(p_task_uuids uuid[], p_step_uuids uuid[] default null, p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_cancelled int;
begin
  update tasker.step_waits w
  set state = 'cancelled', ended_at = greatest(coalesce(p_now, clock_timestamp()), w.armed_at)
  where w.task_uuid = any (p_task_uuids) and (p_step_uuids is null or w.workflow_step_uuid = any (p_step_uuids)) and w.state = 'open';
  get diagnostics v_cancelled = row_count;
  return v_cancelled;
end
$$;
comment on function tasker.cancel_waits(uuid[], uuid[], timestamptz) is
  'Cancels the open waits of tasks that end or are being cancelled, or of some of their steps.';
