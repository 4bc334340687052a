-- Ends the leases of servers whose heartbeats stopped coming: from four intervals after the last one, by the database's
-- clock, recovery may take their steps over at once instead of waiting for the leases. The handoff makes that safe: a
-- server that was only cut off is STALE. Its steps that are not taken over yet it keeps with its next heartbeat.
-- p_present_since: since when the caller itself has been heard without a gap. After a fault of the database every server
-- seems lost to the first that comes back, so the caller judges only servers that it could have heard itself: for four of
-- their intervals after a gap of its own, or when the database was started after their last heartbeat. p_is_new: the caller
-- has had no gap since it registered; the heartbeats that it finds are evidence enough then, and one and a half intervals
-- are left in which a server that lives would be heard. So servers that restart often still notice one another's end.
-- Once per server that fell silent: whoever locks its row does it. Steps that are locked are left to their leases.
-- o_next_ms: in how many milliseconds the next server counts as lost unless it is heard before.
-- Locks: the servers' rows and the steps, skip locked; the wake-ups of their tasks, skip locked.
-- Source: attune.md E2, W6; ADR 0011.
create or replace function tasker.expire_lost_servers(
  p_present_since timestamptz, p_is_new boolean, p_now timestamptz default null,
  out o_servers uuid[], out o_steps int, out o_next_ms bigint)
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  with silent as (
    select v.server_uuid from tasker.servers v
    where v.lost_at is null and v.state <> 'stopped' and v.lease_expires_at <= v_now
      and p_present_since <= v_now - v.heartbeat_seconds * interval '1 second'
        * case when p_is_new and v.heartbeat_at > pg_postmaster_start_time() then 1.5 else 4 end
    for no key update skip locked),
  lost as (
    update tasker.servers v set lost_at = v_now from silent s where v.server_uuid = s.server_uuid and v.lost_at is null
    returning v.server_uuid)
  select coalesce(array_agg(l.server_uuid), '{}') into o_servers from lost l;
  select ceil(extract(epoch from min(v.lease_expires_at) - v_now) * 1000) into o_next_ms
  from tasker.servers v where v.lost_at is null and v.state <> 'stopped' and v.lease_expires_at > v_now;
  o_steps := 0;
  if o_servers = '{}' then
    return;
  end if;

  -- Only tasks that have a wake-up can have a step in progress: that, and no index on the holder, finds them.
  with held as materialized (
    select s.workflow_step_uuid, s.task_uuid
    from tasker.task_wakeups w
    join tasker.workflow_steps s on s.task_uuid = w.task_uuid
    where s.state = 'in_progress' and s.lease_expires_at > v_now and s.leased_by in (select unnest(o_servers))
    for no key update of s skip locked),
  expired as (
    update tasker.workflow_steps s set lease_expires_at = v_now
    from held h where s.workflow_step_uuid = h.workflow_step_uuid and s.state = 'in_progress'
    returning s.task_uuid),
  due as (
    select w.task_uuid from tasker.task_wakeups w
    where w.wake_at > v_now and w.task_uuid in (select e.task_uuid from expired e)
    for no key update skip locked),
  woken as (
    update tasker.task_wakeups w set wake_at = v_now from due d where w.task_uuid = d.task_uuid)
  select count(*)::int into o_steps from expired e;
end
$$;
comment on function tasker.expire_lost_servers(timestamptz, boolean, timestamptz) is
  'Ends the leases of servers whose heartbeats stopped coming.';
