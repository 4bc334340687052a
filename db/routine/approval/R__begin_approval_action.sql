-- The first part of every action on an approval: locks its task, applies due times that have
-- passed, and checks what the caller may do.
-- o_refusal: null, or {outcome: refused, code, ...}: approval-not-found, also where the caller may
-- not see it; approval-decided or approval-ended with who or what ended it; and when p_needs_part:
-- not-permitted without approvals:decide; four-eyes for an initiator; approval-taken where another
-- has claimed it; not-a-candidate. A caller with approvals:assign is not held up by the claim of
-- another.
-- o_moved: {queued, ended} of what the clock did. Locks: the task until the caller's transaction
-- ends; then as evaluate_tasks. Source: ADR 0044.
create or replace function tasker.begin_approval_action(
  p_approval_uuid uuid, p_by text, p_rights jsonb, p_needs_part boolean, p_server_uuid uuid,
  p_now timestamptz,
  out o_refusal jsonb, out o_approval tasker.approvals, out o_approver jsonb, out o_moved jsonb,
  out o_now timestamptz)
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO'
as $$
declare
  v_refused constant jsonb := '{"outcome": "refused"}';
begin
  o_moved := '{"queued": [], "ended": []}';
  if coalesce(btrim(p_by), '') = '' or length(p_by) > 160 then
    o_refusal := v_refused ||
      '{"code": "invalid-request", "field": "by", "message": "must have 1 to 160 characters"}';
    return;
  end if;
  o_approver := tasker.resolve_approver(p_by, p_rights);
  select a.* into o_approval from tasker.approvals a where a.approval_uuid = p_approval_uuid;
  if found then
    perform tasker.lock_tasks(array[o_approval.task_uuid]);
    o_now := coalesce(p_now, clock_timestamp());
    if exists (
        select from tasker.approvals a
        where a.approval_uuid = p_approval_uuid and a.state = 'open' and a.due_at <= o_now) then
      o_moved := tasker.evaluate_tasks(array[o_approval.task_uuid], p_server_uuid, 0, 60, o_now)
        - 'claimed_steps';
    end if;
    perform tasker.lapse_claim(p_approval_uuid, o_now);
    select a.* into o_approval from tasker.approvals a where a.approval_uuid = p_approval_uuid;
    o_now := greatest(o_now, o_approval.created_at);
  end if;
  o_refusal := case
    when o_approval.approval_uuid is null
      or not tasker.may_see_approval(o_approval, o_approver) then
      tasker.refuse_unknown('approval', p_approval_uuid::text)
    when o_approval.decided_by is not null then
      v_refused || jsonb_build_object('code', 'approval-decided',
                                      'message', format('%s %s it at %s', o_approval.decided_by,
                                                        o_approval.state, o_approval.ended_at))
    when o_approval.state <> 'open' then v_refused || jsonb_build_object(
      'code', 'approval-ended',
      'message', format('it %s at %s without a decision',
                        case o_approval.state when 'expired' then 'expired'
                             else 'was cancelled' end,
                        o_approval.ended_at))
    -- The task is paused or blocked: the clock ends it when the task goes on.
    when o_approval.due_at <= o_now
      and (o_approval.escalated_at is not null
           or not exists (
             select from tasker.workflow_steps s
             join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
             where s.workflow_step_uuid = o_approval.workflow_step_uuid
               and n.wait_for ? 'escalate_to')) then v_refused || jsonb_build_object(
      'code', 'approval-ended', 'message', format('it was due at %s', o_approval.due_at))
    when not p_needs_part then null
    when not o_approver -> 'decides_in' ?| array['*', o_approval.namespace_name::text] then
      v_refused || '{"code": "not-permitted", "message": "this needs the permission '
      'approvals:decide in the namespace of the approval"}'
    when o_approver -> 'persons' ?| o_approval.initiators then
      v_refused || '{"code": "four-eyes", "message": "the task was submitted on behalf of the '
      'caller, and needs the decision of another person"}'
    when lower(o_approval.claimed_by) <> o_approver ->> 'name'
      and not o_approver -> 'assigns_in' ?| array['*', o_approval.namespace_name::text] then
      v_refused || jsonb_build_object(
        'code', 'approval-taken',
        'message', format('%s has claimed it at %s', o_approval.claimed_by, o_approval.claimed_at))
    when not coalesce(lower(o_approval.claimed_by) = o_approver ->> 'name', false)
      and not tasker.is_approval_candidate(o_approval, o_approver) then
      v_refused || '{"code": "not-a-candidate", "message": "the caller is none of the '
      'candidates of the approval"}' end;
end
$$;
comment on function tasker.begin_approval_action(uuid, text, jsonb, boolean, uuid, timestamptz) is
  'The first part of every action on an approval: locks its task, applies due times that have '
  'passed, and checks what the caller may do.';
