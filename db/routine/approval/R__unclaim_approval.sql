-- Gives an open approval that p_by has claimed, or that was delegated to it, back to all
-- candidates; a caller with approvals:assign gives back that of any other. One that is unclaimed
-- stays as it is.
-- p_rights: as resolve_approver takes them. Returns as claim_approval. Locks: as
-- begin_approval_action. Source: ADR 0044.
create or replace function tasker.unclaim_approval(
  p_approval_uuid uuid, p_by text, p_rights jsonb default '{}', p_server_uuid uuid default null,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO'
as $$
declare
  v_action  record;
  v_changed boolean := false;
begin
  v_action := tasker.begin_approval_action(
    p_approval_uuid, p_by, p_rights, false, p_server_uuid, p_now);
  if v_action.o_refusal is not null then
    return v_action.o_refusal || v_action.o_moved;
  end if;
  if lower((v_action.o_approval).claimed_by) <> v_action.o_approver ->> 'name'
     and not v_action.o_approver -> 'assigns_in'
       ?| array['*', (v_action.o_approval).namespace_name::text] then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'approval-taken',
      'message', format('%s has claimed it at %s', (v_action.o_approval).claimed_by,
                        (v_action.o_approval).claimed_at)) || v_action.o_moved;
  end if;
  if (v_action.o_approval).claimed_by is not null then
    update tasker.approvals a
    set claimed_by = null, claimed_at = null, assigned_by = null, claim_ends_at = null
    where a.approval_uuid = p_approval_uuid and a.claimed_by is not null and a.state = 'open';
    v_changed := found;
    perform tasker.record_approval_event(p_approval_uuid, 'unclaimed', p_by, v_action.o_now);
  end if;
  -- Who gave it back may not see it any more: it was delegated to a caller that is no candidate.
  return jsonb_build_object(
    'outcome', case when v_changed then 'done' else 'unchanged' end,
    'approval', tasker.describe_approvals(
      array[p_approval_uuid], v_action.o_approver, true) -> 0) || v_action.o_moved;
end
$$;
comment on function tasker.unclaim_approval(uuid, text, jsonb, uuid, timestamptz) is
  'Releases a claimed approval, so that every candidate may decide it again.';
