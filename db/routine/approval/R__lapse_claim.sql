-- Ends the claim of an open approval whose time is over, so that every candidate may decide again,
-- and tells of it in its history. Returns whether it did.
-- Locks: the approval; the caller holds the task. Source: ADR 0057.
create or replace function tasker.lapse_claim(p_approval_uuid uuid, p_now timestamptz)
returns boolean
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_lapsed record;
begin
  select a.claimed_by, a.claimed_at into v_lapsed
  from tasker.approvals a
  where a.approval_uuid = p_approval_uuid and a.state = 'open' and a.claim_ends_at <= p_now;
  if not found then
    return false;
  end if;
  update tasker.approvals a
  set claimed_by = null, claimed_at = null, assigned_by = null, claim_ends_at = null
  where a.approval_uuid = p_approval_uuid;
  perform tasker.record_approval_event(
    p_approval_uuid, 'lapsed', null, p_now, null,
    left(format('%s had it since %s', v_lapsed.claimed_by,
                to_char(v_lapsed.claimed_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
         1000));
  return true;
end
$$;
comment on function tasker.lapse_claim(uuid, timestamptz) is
  'Ends the claim of an open approval whose time is over.';
