-- Releases every slot of some holders, and their positions in the queues, by identity: a second
-- release finds nothing and changes nothing. Each slot that becomes free goes to the next waiter in
-- the same transaction; where another transaction has the gate, the function leaves a note and
-- notifies all servers.
-- It skips a row that is being given a slot at this moment: that row is due, and the server that
-- handles it finds that its holder no longer needs the slot.
-- Locks: the slots, skip locked; the gates, as promote_waiters. Source: ADR 0013.
create or replace function tasker.release_slots(p_holder_uuids uuid[])
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_gate record;
begin
  for v_gate in
    with held as (
      select s.holder_uuid, s.policy_uuid from tasker.concurrency_slots s
      where s.holder_uuid = any (p_holder_uuids)
      for update skip locked),
    freed as (
      delete from tasker.concurrency_slots s using held h
      where s.holder_uuid = h.holder_uuid and s.policy_uuid = h.policy_uuid
      returning s.policy_uuid, s.key, s.admitted_at)
    select distinct f.policy_uuid, f.key from freed f where f.admitted_at is not null order by 1, 2
  loop
    if tasker.promote_waiters(v_gate.policy_uuid, v_gate.key) is null then
      insert into tasker.concurrency_releases (policy_uuid, key)
      values (v_gate.policy_uuid, v_gate.key);
      perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
    end if;
  end loop;
end
$$;
comment on function tasker.release_slots(uuid[]) is
  'Releases every slot of some holders, and their positions in the queues, by identity.';
