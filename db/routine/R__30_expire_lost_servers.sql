-- Ends the leases of servers whose heartbeats stopped coming: from three intervals after the last one, by the database's
-- clock, recovery may take their steps over at once instead of waiting for the leases. The attempt number makes that safe: a
-- server that was only cut off is STALE. Its steps that are not taken over yet it keeps with its next heartbeat.
-- p_present_since: since when the caller itself has been heard without a gap. It judges only who has been silent through
-- that time: after a fault of the database everybody seems lost to whoever comes back first.
-- Once per server that fell silent: whoever locks its row does it. Steps that are locked are left to their leases.
-- Locks: the servers' rows and the steps, skip locked; the wake-ups of their tasks, skip locked.
-- Source: attune.md E2, W6; ADR 0011. Called by heartbeat.
create or replace function tasker.expire_lost_servers(
  p_present_since timestamptz, p_now timestamptz default null, out o_servers uuid[], out o_steps int)
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz := coalesce(p_now, clock_timestamp());
begin
  with silent as (
    select v.server_uuid from tasker.servers v
    where v.lost_at is null and v.state <> 'stopped' and v.lease_expires_at <= v_now
      and p_present_since <= v_now - 3 * v.heartbeat_seconds * interval '1 second'
    for no key update skip locked),
  lost as (
    update tasker.servers v set lost_at = v_now from silent s where v.server_uuid = s.server_uuid and v.lost_at is null
    returning v.server_uuid)
  select coalesce(array_agg(l.server_uuid), '{}') into o_servers from lost l;
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
comment on function tasker.expire_lost_servers(timestamptz, timestamptz) is
  'Ends the leases of servers whose heartbeats stopped coming.';
