-- What has become of the approval of an open wait, and escalates or ends it if it is due:
--   decided    o_state satisfied, o_value the result: {approved, values, decided_by, decided_at,
--              comment, approval_uuid}; with on_reject: error a rejection gives o_error,
--              approval_rejected, instead;
--   due        the first time, with escalate_to: its candidates replace the others or are added to
--              them, a claim ends, and o_due_at is the new due time, counted from now, or null for
--              none. Otherwise o_state defaulted, o_value the value of on_due in the form of a
--              result with decided_by null; or timed_out, o_error approval_timed_out;
--   otherwise  o_state null. A claim whose time is over lapses.
-- p_approval: the approval of the template. Locks: the approval; the caller holds the task. Source:
-- ADR 0044.
create or replace function tasker.judge_approval(
  p_wait tasker.step_waits, p_approval jsonb, p_now timestamptz,
  out o_state tasker.wait_state, out o_value jsonb, out o_error jsonb, out o_due_at timestamptz)
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_approval tasker.approvals;
  v_replaces boolean := coalesce((p_approval #>> '{escalate_to,replace}')::boolean, false);
begin
  select a.* into strict v_approval
  from tasker.approvals a
  where a.approval_uuid = p_wait.wait_uuid;
  o_due_at := p_wait.due_at;
  perform tasker.lapse_claim(p_wait.wait_uuid, p_now);
  if v_approval.state in ('approved', 'rejected') then
    o_state := 'satisfied';
    o_value := jsonb_build_object(
      'approved', v_approval.state = 'approved', 'values', v_approval.form_values,
      'decided_by', v_approval.decided_by, 'decided_at', v_approval.ended_at,
      'comment', v_approval.decision_comment, 'approval_uuid', v_approval.approval_uuid);
    if v_approval.state = 'rejected' and p_approval ->> 'on_reject' = 'error' then
      o_error := jsonb_build_object(
        'type', 'approval_rejected', 'message', format('%s rejected it', v_approval.decided_by),
        'details', o_value);
    end if;
    return;
  end if;
  if o_due_at <= p_now and p_approval ? 'escalate_to' and v_approval.escalated_at is null then
    o_due_at := p_now + (p_approval #>> '{escalate_to,due}')::interval;
    update tasker.approvals a
    set escalated_at = greatest(p_now, a.created_at), due_at = o_due_at, claimed_by = null,
        claimed_at = null, assigned_by = null, claim_ends_at = null,
        candidate_roles = array(select unnest(a.escalation_roles)
                                union
                                select unnest(a.candidate_roles) where not v_replaces),
        candidate_users = array(select unnest(a.escalation_users)
                                union
                                select unnest(a.candidate_users) where not v_replaces)
    where a.approval_uuid = v_approval.approval_uuid;
    update tasker.approvals a set document_hash = tasker.hash_approval(a)
    where a.approval_uuid = v_approval.approval_uuid;
    update tasker.step_waits w set due_at = o_due_at where w.wait_uuid = p_wait.wait_uuid;
    perform tasker.record_approval_event(
      v_approval.approval_uuid, 'escalated', null, greatest(p_now, v_approval.created_at));
  end if;
  if o_due_at <= p_now then
    if jsonb_typeof(p_approval -> 'on_due') = 'object' then
      o_state := 'defaulted';
      o_value := jsonb_build_object(
        'approved', p_approval #> '{on_due,approved}',
        'values', coalesce(p_approval #> '{on_due,values}', '{}'), 'decided_by', null,
        'decided_at', p_now, 'comment', null, 'approval_uuid', v_approval.approval_uuid);
    else
      o_state := 'timed_out';
      o_error := jsonb_build_object(
        'type', 'approval_timed_out',
        'message', format('no decision was made by %s',
                          to_char(o_due_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        'details', jsonb_build_object('approval_uuid', v_approval.approval_uuid,
                                      'armed_at', p_wait.armed_at, 'due_at', o_due_at));
    end if;
    update tasker.approvals a set state = 'expired', ended_at = greatest(p_now, a.created_at)
    where a.approval_uuid = v_approval.approval_uuid;
    perform tasker.record_approval_event(
      v_approval.approval_uuid, 'expired', null, greatest(p_now, v_approval.created_at));
  end if;
end
$$;
comment on function tasker.judge_approval(tasker.step_waits, jsonb, timestamptz) is
  'The state of the approval of an open wait; escalates or ends the approval if it is due.';
