-- Approves or rejects, in the caller's transaction, and completes the step that waits for it. A
-- task that is paused or blocked takes the decision, and carries it out when it goes on. The same
-- decision of the same caller again answers the first and changes nothing.
-- p_values: an object, the values of the form, at most 64 KiB; a rejection needs none.
-- p_values_checked declares that the caller has validated them against the form; without it values
-- of a form are refused. p_comment: at most 1000 characters. p_rights: as resolve_approver takes
-- them.
-- Returns {outcome: done | duplicate | refused, code?, field?, message?, approval?, queued, ended};
-- codes as begin_approval_action, invalid-request, payload-too-large and payload-not-checked.
-- Locks: as begin_approval_action. Source: ADR 0044.
create or replace function tasker.decide_approval(
  p_approval_uuid uuid, p_by text, p_approved boolean, p_values jsonb default null,
  p_comment text default null, p_values_checked boolean default false,
  p_rights jsonb default '{}', p_server_uuid uuid default null, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_action  record;
  v_values  jsonb := coalesce(p_values, '{}');
  v_state   tasker.approval_state := case when p_approved then 'approved' else 'rejected' end;
  v_form    jsonb;
  v_sealed  jsonb;
  v_refusal jsonb;
  v_outcome text := 'done';
begin
  v_action := tasker.begin_approval_action(
    p_approval_uuid, p_by, p_rights, true, p_server_uuid, p_now);
  if v_action.o_refusal ->> 'code' = 'approval-decided'
     and lower((v_action.o_approval).decided_by) = v_action.o_approver ->> 'name'
     and (v_action.o_approval).state = v_state
     and tasker.mask_sealed((v_action.o_approval).form_values) = tasker.mask_sealed(v_values)
     and (v_action.o_approval).decision_comment is not distinct from p_comment then
    v_outcome := 'duplicate';
  elsif v_action.o_refusal is not null then
    return v_action.o_refusal || v_action.o_moved;
  else
    select n.wait_for -> 'form', n.sealed into v_form, v_sealed
    from tasker.workflow_steps s
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    where s.workflow_step_uuid = (v_action.o_approval).workflow_step_uuid;
    v_refusal := case
      when p_approved is null then jsonb_build_object(
        'code', 'invalid-request', 'field', 'approved', 'message', 'must be true or false')
      when jsonb_typeof(v_values) <> 'object' then jsonb_build_object(
        'code', 'invalid-request', 'field', 'values', 'message', 'must be an object')
      when v_form is null and v_values <> '{}' then
        jsonb_build_object('code', 'invalid-request', 'field', 'values',
                           'message', 'must be empty: the approval has no form')
      when octet_length(v_values::text) > 65536 then
        jsonb_build_object('code', 'payload-too-large', 'field', 'values',
                           'message', format('must have at most 65536 bytes, but has %s; keep '
                                             'large data elsewhere and give its address',
                                             octet_length(v_values::text)))
      when tasker.check_document(v_values) is not null then jsonb_build_object(
        'code', 'invalid-request', 'field', 'values', 'message', tasker.check_document(v_values))
      when length(p_comment) > 1000 then
        jsonb_build_object('code', 'invalid-request', 'field', 'comment',
                           'message', 'must have at most 1000 characters')
      when v_form is not null
        and (p_approved or v_values <> '{}')
        and not coalesce(p_values_checked, false) then jsonb_build_object(
        'code', 'payload-not-checked', 'field', 'values',
        'message', 'the approval has a form: decide over REST, where a server validates the '
                   'values, or validate them and set p_values_checked')
      when v_values <> '{}' then tasker.refuse_unsealed(v_values, v_sealed, 'values') end;
    if v_refusal is not null then
      return v_refusal || '{"outcome": "refused"}' || v_action.o_moved;
    end if;
    update tasker.approvals a
    set state = v_state, ended_at = v_action.o_now, decided_by = p_by,
        form_values = v_values, decision_comment = p_comment
    where a.approval_uuid = p_approval_uuid and a.state = 'open';
    if not found then
      raise exception 'approval % has ended although its task is locked', p_approval_uuid;
    end if;
    update tasker.approvals a set document_hash = tasker.hash_approval(a)
    where a.approval_uuid = p_approval_uuid;
    perform tasker.record_approval_event(
      p_approval_uuid, v_state::text::tasker.approval_event, p_by, v_action.o_now);
    v_action.o_moved := tasker.merge_replies(
      v_action.o_moved,
      tasker.evaluate_tasks(array[(v_action.o_approval).task_uuid], p_server_uuid, 0, 60,
                            v_action.o_now) - 'claimed_steps');
  end if;
  return jsonb_build_object(
    'outcome', v_outcome,
    'approval', tasker.describe_approvals(
      array[p_approval_uuid], v_action.o_approver, true) -> 0) || v_action.o_moved;
end
$$;
comment on function tasker.decide_approval(
  uuid, text, boolean, jsonb, text, boolean, jsonb, uuid, timestamptz) is
  'Approves or rejects, in the caller''s transaction, and completes the step that waits for it.';
