-- Gives the free slots of one policy and key to the holders that are first in line: in the order of
-- the claim, which is by priority and age with the points of retries and of the SLA, and those of
-- the same rank in the order of their requests. A waiter whose row another transaction has locked
-- is about to end (cancelled, blocked), so the next one gets the slot. The promoted holders are
-- due: another transaction locks their task and hands them off.
-- Locks: the gate, an advisory lock that is only ever tried, so that no holder of task or step rows
-- waits for it; the transaction that gets it keeps it to its end, so that the next one sees its
-- changes. The waiting rows, skip locked. Null when the gate is busy: the caller leaves a note
-- (concurrency_releases, or is_due on its own row).
-- p_own: holders that the caller hands off itself; the function sends no notification for those.
-- A snapshot that is older than the gate would count wrong: outside of READ COMMITTED, which READ
-- UNCOMMITTED is another name for, the gate counts as busy.
-- Source: ADR 0013.
create or replace function tasker.promote_waiters(
  p_policy_uuid uuid, p_key text, p_own uuid[] default '{}')
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_limit    int;
  v_free     int;
  v_admitted uuid[];
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted')
     or not pg_try_advisory_xact_lock(hashtextextended(p_policy_uuid::text || p_key, 0)) then
    return null;
  end if;
  select coalesce(p.set_limit, p.template_limit) into v_limit
  from tasker.concurrency_policies p where p.policy_uuid = p_policy_uuid;
  select v_limit - count(*) into v_free
  from tasker.concurrency_slots s
  where s.policy_uuid = p_policy_uuid and s.key = p_key and s.admitted_at is not null;
  if v_free <= 0 then
    return 0;
  end if;
  with next as (
    select s.holder_uuid from tasker.concurrency_slots s
    where s.policy_uuid = p_policy_uuid and s.key = p_key and s.admitted_at is null
    order by s.claim_rank, s.waiting_position limit v_free
    for no key update skip locked),
  admitted as (
    update tasker.concurrency_slots s
    set admitted_at = clock_timestamp(), admitted_limit = v_limit, is_due = true
    from next n where s.holder_uuid = n.holder_uuid and s.policy_uuid = p_policy_uuid
    returning s.holder_uuid)
  select coalesce(array_agg(a.holder_uuid), '{}') into v_admitted from admitted a;
  if not v_admitted <@ p_own then
    perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
  end if;
  return cardinality(v_admitted);
end
$$;
comment on function tasker.promote_waiters(uuid, text, uuid[]) is
  'Gives the free slots of one policy and key to the holders that are first in line: by priority, '
  'then age.';
