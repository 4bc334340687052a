-- Whether a caller of resolve_approver is among the candidates of an approval: by name, or by a
-- role that it has in the approval's namespace.
create or replace function tasker.is_approval_candidate(
  p_approval tasker.approvals, p_approver jsonb)
returns boolean
language sql stable
as $$
  select coalesce(p_approver ->> 'name' = any (p_approval.candidate_users), false)
         or p_approver -> 'roles'
           ?| array(select r.prefix || c
                    from unnest(p_approval.candidate_roles) c
                    cross join (values ('/'), (p_approval.namespace_name || '/')) as r(prefix))
$$;
comment on function tasker.is_approval_candidate(tasker.approvals, jsonb) is
  'Whether a caller is among the candidates of an approval.';
