-- Claims an open approval for p_by, so that no other candidate decides it. Claiming one's own again
-- changes nothing; one that another has claimed is refused, whatever the rights: delegate_approval
-- takes it over.
-- p_rights: as resolve_approver takes them. Returns {outcome: done | unchanged | refused, code?,
-- field?, message?, approval?, queued, ended}; codes as begin_approval_action. Locks: as
-- begin_approval_action. Source: ADR 0044.
create or replace function tasker.claim_approval(
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
    p_approval_uuid, p_by, p_rights, true, p_server_uuid, p_now);
  if v_action.o_refusal is not null then
    return v_action.o_refusal || v_action.o_moved;
  end if;
  if lower((v_action.o_approval).claimed_by) <> v_action.o_approver ->> 'name' then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'approval-taken',
      'message', format('%s has claimed it at %s; delegate it to take it over',
                        (v_action.o_approval).claimed_by,
                        (v_action.o_approval).claimed_at)) || v_action.o_moved;
  end if;
  if (v_action.o_approval).claimed_by is null then
    v_changed := tasker.give_approval(p_approval_uuid, p_by, null, v_action.o_now);
    perform tasker.record_approval_event(p_approval_uuid, 'claimed', p_by, v_action.o_now);
  end if;
  return jsonb_build_object(
    'outcome', case when v_changed then 'done' else 'unchanged' end,
    'approval', tasker.describe_approvals(
      array[p_approval_uuid], v_action.o_approver, true) -> 0) || v_action.o_moved;
end
$$;
comment on function tasker.claim_approval(uuid, text, jsonb, uuid, timestamptz) is
  'Claims an open approval, so that no other candidate decides it.';
