-- Promotes waiters for every key of a policy whose limit has changed. When a gate is busy, records
-- a release for a later call.
-- Locks: gates, as promote_waiters. Source: ADR 0013.
create or replace function tasker.promote_policy(p_policy_uuid uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_key text;
begin
  for v_key in
    select distinct s.key
    from tasker.concurrency_slots s
    where s.policy_uuid = p_policy_uuid and s.admitted_at is null
    order by 1
  loop
    if tasker.promote_waiters(p_policy_uuid, v_key) is null then
      insert into tasker.concurrency_releases (policy_uuid, key) values (p_policy_uuid, v_key);
      perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
    end if;
  end loop;
end
$$;
comment on function tasker.promote_policy(uuid) is
  'Promotes waiters for every key of a policy whose limit has changed.';
