-- Whether a caller of resolve_approver may see an approval: its candidates, who claimed it, who
-- decided it, and callers with approvals:assign in its namespace.
create or replace function tasker.may_see_approval(p_approval tasker.approvals, p_approver jsonb)
returns boolean
language sql stable
as $$
  select coalesce(p_approver -> 'assigns_in' ?| array['*', p_approval.namespace_name::text], false)
      or coalesce(p_approver ->> 'name' = lower(p_approval.claimed_by), false)
      or coalesce(p_approver ->> 'name' = lower(p_approval.decided_by), false)
      or tasker.is_approval_candidate(p_approval, p_approver)
$$;
comment on function tasker.may_see_approval(tasker.approvals, jsonb) is
  'Whether a caller may see an approval.';
