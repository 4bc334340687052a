-- Changes the limit of a policy at run time, for all versions of its template; null restores the
-- template's. A lower limit takes no slot from a holder: it admits fewer later. 0 lets nothing
-- start. A higher one promotes waiters in this transaction. Returns the policy as
-- list_concurrency_policies shows it, or {outcome: refused, code: concurrency-policy-not-found, …}.
-- Locks: the policy; gates, as promote_waiters. Errors: TK007 for an invalid limit. Source: ADR
-- 0013.
create or replace function tasker.set_concurrency_limit(
  p_policy_uuid uuid, p_limit int, p_by text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if p_limit < 0 then
    raise exception 'limit must be 0 or more, not %', p_limit using errcode = 'TK007';
  end if;
  update tasker.concurrency_policies p
  set set_limit = p_limit,
      set_by = case when p_limit is not null then coalesce(tasker.get_caller(), p_by) end,
      claimed_actor = case when p_limit is not null and tasker.get_caller() <> p_by then p_by end,
      updated_at = clock_timestamp()
  where p.policy_uuid = p_policy_uuid;
  if not found then
    return tasker.refuse_unknown('concurrency-policy', p_policy_uuid::text);
  end if;
  perform tasker.promote_policy(p_policy_uuid);
  return tasker.list_concurrency_policies(jsonb_build_object('policy_uuid', p_policy_uuid)) -> 0;
end
$$;
comment on function tasker.set_concurrency_limit(uuid, int, text) is
  'Changes the limit of a policy at run time; null restores the template''s.';
