-- Cancels the open waits, and their approvals, of tasks that end or are being cancelled, or of
-- p_step_uuids among their steps only: of steps that leave pending without their wait. p_by,
-- p_note: the operator that overrides the approvals, and why; null for the engine. Returns how
-- many. Child tasks that they waited for are told to cancel, as are those that failed a step that
-- ends otherwise now and are blocked: by a notice, because their own lock must not be taken here;
-- of a parent that is compensated with their compensation. One that compensates another goes on:
-- what is undone half-way helps no one.
-- Locks: the waits; the caller holds the tasks. Source: ADR 0038.
create or replace function tasker.cancel_waits(
  p_task_uuids uuid[], p_step_uuids uuid[] default null, p_now timestamptz default null,
  p_by text default null, p_note text default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_cancelled int;
  v_approvals uuid[];
begin
  insert into tasker.task_notices (task_uuid, sender_uuid, kind, sent_at, details)
  select distinct c.task_uuid, w.task_uuid, 'cancel'::tasker.notice_kind,
         coalesce(p_now, clock_timestamp()),
         jsonb_strip_nulls(
           jsonb_build_object(
             'by', coalesce(p.cancel_requested_by, 'the parent task'), 'policy', p.cancel_policy,
             'reason', coalesce(p.cancel_reason,
                                'the step of the parent task no longer waits for it'),
             'compensate', case
               when exists (select from tasker.task_compensations k where k.task_uuid = p.task_uuid)
                 and exists (select from tasker.named_tasks_named_steps n
                             where n.named_task_uuid = c.named_task_uuid
                               and n.step_type = 'compensation') then true end))
  from tasker.step_waits w
  join tasker.tasks p on p.task_uuid = w.task_uuid
  join tasker.tasks c on c.task_uuid = w.child_task_uuid
    and c.completed_at is null
    and c.cancel_requested_at is null
    and c.compensates_task_uuid is null
  where w.task_uuid = any (p_task_uuids)
    and (p_step_uuids is null or w.workflow_step_uuid = any (p_step_uuids))
    and w.kind = 'child';
  with cancelled as (
    update tasker.step_waits w
    set state = 'cancelled', ended_at = greatest(coalesce(p_now, clock_timestamp()), w.armed_at)
    where w.task_uuid = any (p_task_uuids)
      and (p_step_uuids is null or w.workflow_step_uuid = any (p_step_uuids))
      and w.state = 'open'
    returning w.wait_uuid, w.kind, w.ended_at),
  -- One that was decided while its task could not go on stays decided.
  approvals as (
    update tasker.approvals a set state = 'cancelled', ended_at = c.ended_at
    from cancelled c
    where c.kind = 'approval' and a.approval_uuid = c.wait_uuid and a.state = 'open'
    returning a.approval_uuid)
  select (select count(*) from cancelled), array(select a.approval_uuid from approvals a)
    into v_cancelled, v_approvals;
  perform tasker.record_approval_event(
           a.approval_uuid, 'cancelled', p_by, a.ended_at, null, left(p_note, 1000))
  from tasker.approvals a
  where a.approval_uuid = any (v_approvals);
  return v_cancelled;
end
$$;
comment on function tasker.cancel_waits(uuid[], uuid[], timestamptz, text, text) is
  'Cancels the open waits of tasks that end or are being cancelled, or of some of their steps.';
