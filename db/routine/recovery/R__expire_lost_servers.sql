-- Ends the leases of servers and external workers whose heartbeats have stopped: four intervals
-- after the last one, by the database's clock, recovery may reschedule their steps at once instead
-- of waiting for the leases to expire. The handoff makes that safe: a server that was only
-- disconnected gets STALE. With its next heartbeat it renews the steps that were not rescheduled.
-- p_present_since: since when the caller's own heartbeats have arrived without a gap. After a
-- database fault every other server seems lost to the first that returns, so the caller waits for
-- four of their intervals after its own gap, or after a start of the database later than their last
-- heartbeat. p_is_new: the caller has had no gap since it registered. The heartbeats in the table
-- are then reliable, and one and a half intervals suffice for a live server to send one, so that
-- servers which restart often still detect lost ones.
-- Runs once per lost server: the session that locks its row ends its leases. Skips locked steps,
-- whose leases expire by themselves.
-- o_next_ms: in how many milliseconds the next server counts as lost unless its heartbeat arrives
-- before.
-- Locks: the servers' rows and the steps, skip locked; the wake-ups of their tasks, skip locked.
-- Source: ADR 0011.
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
    select v.server_uuid
    from tasker.servers v
    where v.lost_at is null
      and v.state <> 'stopped'
      and tasker.is_silent(v.lease_expires_at, v.heartbeat_at, v.heartbeat_seconds, p_present_since,
                           p_is_new, v_now)
    for no key update skip locked),
  lost as (
    update tasker.servers v set lost_at = v_now
    from silent s
    where v.server_uuid = s.server_uuid and v.lost_at is null
    returning v.server_uuid)
  select coalesce(array_agg(l.server_uuid), '{}') into o_servers from lost l;
  with silent as (
    select w.worker_uuid
    from tasker.workers w
    where w.server_uuid is null
      and w.lost_at is null
      and w.state <> 'stopped'
      and tasker.is_silent(w.lease_expires_at, w.heartbeat_at, w.heartbeat_seconds, p_present_since,
                           p_is_new, v_now)
    for no key update skip locked),
  lost as (
    update tasker.workers w set lost_at = v_now
    from silent s
    where w.worker_uuid = s.worker_uuid and w.lost_at is null
    returning w.worker_uuid)
  select o_servers || coalesce(array_agg(l.worker_uuid), '{}') into o_servers from lost l;
  select ceil(extract(epoch from min(u.lease_expires_at) - v_now) * 1000) into o_next_ms
  from (select v.lease_expires_at
        from tasker.servers v
        where v.lost_at is null and v.state <> 'stopped' and v.lease_expires_at > v_now
        union all
        select w.lease_expires_at
        from tasker.workers w
        where w.server_uuid is null
          and w.lost_at is null
          and w.state <> 'stopped'
          and w.lease_expires_at > v_now) u;
  o_steps := 0;
  if o_servers = '{}' then
    return;
  end if;

  -- Only tasks that have a wake-up can have a step in progress; this finds the steps without an
  -- index on the holder.
  with held as materialized (
    select s.workflow_step_uuid, s.task_uuid
    from tasker.task_wakeups w
    cross join lateral tasker.get_open_steps(w.task_uuid) o
    join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
    where o.state = 'in_progress'
      and o.leased_by in (select unnest(o_servers))
      and s.state = 'in_progress'
      and s.lease_expires_at > v_now
      and s.leased_by in (select unnest(o_servers))
    for no key update of s skip locked),
  expired as (
    update tasker.workflow_steps s set lease_expires_at = v_now
    from held h
    where s.workflow_step_uuid = h.workflow_step_uuid and s.state = 'in_progress'
    returning s.task_uuid),
  due as (
    select w.task_uuid
    from tasker.task_wakeups w
    where w.wake_at > v_now and w.task_uuid in (select e.task_uuid from expired e)
    for no key update skip locked),
  woken as (
    update tasker.task_wakeups w set wake_at = v_now from due d where w.task_uuid = d.task_uuid)
  select count(*)::int into o_steps from expired e;
end
$$;
comment on function tasker.expire_lost_servers(timestamptz, boolean, timestamptz) is
  'Ends the leases of servers and external workers whose heartbeats have stopped.';
