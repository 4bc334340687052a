-- Gives an open approval to p_to, who alone may decide it until claim_for of the template is over,
-- a day by default: the claim lapses then, and the wake-up of the task is no later. p_assigned_by:
-- who delegated it; null when p_to claimed it. Returns whether the approval was open.
-- Locks: the approval and the wake-up; the caller holds the task. Source: ADR 0057.
create or replace function tasker.give_approval(
  p_approval_uuid uuid, p_to text, p_assigned_by text, p_now timestamptz)
returns boolean
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_given record;
begin
  update tasker.approvals a
  set claimed_by = p_to, claimed_at = p_now, assigned_by = p_assigned_by,
      claim_ends_at = p_now + coalesce(n.wait_for ->> 'claim_for', 'P1D')::interval
  from tasker.workflow_steps s
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where a.approval_uuid = p_approval_uuid
    and a.state = 'open'
    and s.workflow_step_uuid = a.workflow_step_uuid
  returning a.task_uuid, a.claim_ends_at into v_given;
  if not found then
    return false;
  end if;
  update tasker.task_wakeups w set wake_at = v_given.claim_ends_at
  where w.task_uuid = v_given.task_uuid and w.wake_at > v_given.claim_ends_at;
  return true;
end
$$;
comment on function tasker.give_approval(uuid, text, text, timestamptz) is
  'Assigns an open approval to a user; until the claim lapses only that user may decide it.';
