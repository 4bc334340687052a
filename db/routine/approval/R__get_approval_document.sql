-- An approval with its form, what it shows, its decision and its events, as p_by sees it; null when
-- there is none, or p_by may not see it.
-- p_rights: as resolve_approver takes them. Locks: none. Source: ADR 0044.
create or replace function tasker.get_approval_document(
  p_approval_uuid uuid, p_by text, p_rights jsonb default '{}')
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_approval tasker.approvals;
  v_approver jsonb := tasker.resolve_approver(p_by, p_rights);
begin
  select a.* into v_approval from tasker.approvals a where a.approval_uuid = p_approval_uuid;
  if not found or not tasker.may_see_approval(v_approval, v_approver) then
    return null;
  end if;
  return tasker.describe_approvals(array[p_approval_uuid], v_approver, true) -> 0;
end
$$;
comment on function tasker.get_approval_document(uuid, text, jsonb) is
  'An approval with its form, what it shows, its decision and its events, as a caller sees it.';
