-- A hash of what an approval asks of whom, and of its decision: all that is not proved by its wait
-- and its events. Functions that change one of these write the hash anew (judge_approval,
-- decide_approval).
-- Source: docs/reference/invariants.md.
create or replace function tasker.hash_approval(p_approval tasker.approvals)
returns bigint
language sql stable parallel safe
set search_path = ''
as $$
  select tasker.hash_documents(
           jsonb_build_array(p_approval.is_four_eyes, p_approval.namespace_name, p_approval.title,
                             p_approval.candidate_roles, p_approval.candidate_users,
                             p_approval.escalation_roles, p_approval.escalation_users,
                             p_approval.initiators, p_approval.shown),
           case when p_approval.decided_by is not null then jsonb_build_array(
                  p_approval.decided_by, p_approval.form_values, p_approval.decision_comment) end)
$$;
comment on function tasker.hash_approval(tasker.approvals) is
  'A hash of what an approval asks of whom, and of its decision.';
