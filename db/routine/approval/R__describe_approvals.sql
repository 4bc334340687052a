-- Approvals as the REST interface shows them, in the order of p_approval_uuids. may is what the
-- caller of resolve_approver may do with each at present: claim, unclaim, delegate, decide.
-- p_is_whole: with description, form, shown, values, comment and events. Locks: none. Source: ADR
-- 0044.
create or replace function tasker.describe_approvals(
  p_approval_uuids uuid[], p_approver jsonb, p_is_whole boolean)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(
           jsonb_agg(
             jsonb_build_object(
               'approval_uuid', a.approval_uuid, 'task_uuid', a.task_uuid,
               'step_uuid', a.workflow_step_uuid, 'step', coalesce(s.name, n.name),
               'namespace', a.namespace_name, 'name', nt.name, 'version', nt.version,
               'title', a.title, 'state', a.state, 'created_at', a.created_at, 'due_at', a.due_at,
               'escalated_at', a.escalated_at, 'ended_at', a.ended_at, 'four_eyes', a.is_four_eyes,
               'candidates', jsonb_build_object(
                 'roles', a.candidate_roles, 'users', a.candidate_users),
               'claimed_by', a.claimed_by, 'claimed_at', a.claimed_at,
               'claim_ends_at', case when a.state = 'open' then a.claim_ends_at end,
               'assigned_by', a.assigned_by, 'decided_by', a.decided_by,
               'may', case
                 when a.state <> 'open' then '[]'
                 else to_jsonb(
                   array_remove(
                     array[case when j.takes_part and a.claimed_by is null then 'claim' end,
                           case
                             when a.claimed_by is not null and (j.is_mine or j.assigns) then
                               'unclaim' end,
                           case when j.assigns
                                  or (j.takes_part and (a.claimed_by is null or j.is_mine)) then
                                  'delegate' end,
                           case when j.takes_part
                                  and (a.claimed_by is null or j.is_mine or j.assigns) then
                                  'decide' end],
                     null)) end) || case
               when p_is_whole then jsonb_build_object(
                 'description', d.wait_for -> 'description', 'form', d.wait_for -> 'form',
                 'shown', a.shown, 'values', a.form_values, 'comment', a.decision_comment,
                 'events', (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                                                                 'at', e.happened_at,
                                                                 'event', e.event, 'by', e.acted_by,
                                                                 'to', e.given_to,
                                                                 'note', e.note)) order by e.number)
                            from tasker.approval_events e
                            where e.approval_uuid = a.approval_uuid))
               else '{}' end order by u.n),
           '[]')
  from unnest(p_approval_uuids) with ordinality as u(approval_uuid, n)
  join tasker.approvals a on a.approval_uuid = u.approval_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = a.workflow_step_uuid
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks_named_steps d on d.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = d.named_task_uuid
  cross join lateral (
    select coalesce(p_approver ->> 'name' = lower(a.claimed_by), false) as is_mine,
           p_approver -> 'assigns_in' ?| array['*', a.namespace_name::text]
             and not p_approver -> 'persons' ?| a.initiators as assigns,
           p_approver -> 'decides_in' ?| array['*', a.namespace_name::text]
             and not p_approver -> 'persons' ?| a.initiators
             and (coalesce(p_approver ->> 'name' = lower(a.claimed_by), false)
                  or tasker.is_approval_candidate(a, p_approver)) as takes_part) j
$$;
comment on function tasker.describe_approvals(uuid[], jsonb, boolean) is
  'Approvals as the REST interface shows them.';
