-- Whether a server or an external worker counts as lost for a caller whose own heartbeats have
-- arrived without a gap since
-- p_present_since: its lease has expired, and the caller has been present for four of its
-- intervals. A caller without a gap since its registration (p_is_new) waits for one and a half,
-- unless the database was started after the last heartbeat.
create or replace function tasker.is_silent(
  p_lease_expires_at timestamptz, p_heartbeat_at timestamptz, p_heartbeat_seconds int,
  p_present_since timestamptz, p_is_new boolean,
  p_now timestamptz)
returns boolean
language sql stable
as $$
  select p_lease_expires_at <= p_now
         and p_present_since <= p_now - p_heartbeat_seconds * interval '1 second' * case
           when p_is_new and p_heartbeat_at > pg_catalog.pg_postmaster_start_time() then 1.5
           else 4 end
$$;
comment on function tasker.is_silent(
  timestamptz, timestamptz, int, timestamptz, boolean, timestamptz) is
  'Whether a server or an external worker counts as lost.';
