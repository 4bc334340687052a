-- Promotes waiters for every key of a policy whose limit has changed. When a gate is busy, and for
-- all keys after the first thousand, records a release for a later call: a transaction keeps its
-- gates, and the server has room for some thousand locks.
-- Locks: gates, as promote_waiters. Source: ADR 0013.
create or replace function tasker.promote_policy(p_policy_uuid uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_keys text[];
  v_most constant int := 1000;
  v_left text[];
begin
  v_keys := array(select distinct s.key
                  from tasker.concurrency_slots s
                  where s.policy_uuid = p_policy_uuid and s.admitted_at is null
                  order by 1);
  v_left := v_keys[v_most + 1:] || array(
    select k.key
    from unnest(v_keys[:v_most]) with ordinality as k(key, n)
    where tasker.promote_waiters(p_policy_uuid, k.key) is null
    order by k.n);
  if v_left <> '{}' then
    insert into tasker.concurrency_releases (policy_uuid, key)
    select p_policy_uuid, l from unnest(v_left) l;
    perform pg_catalog.pg_notify('tasker_wakeup', 'orchestration ');
  end if;
end
$$;
comment on function tasker.promote_policy(uuid) is
  'Promotes waiters for every key of a policy whose limit has changed.';
