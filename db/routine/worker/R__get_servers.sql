-- The servers that are known, best first: health is what the server says of itself while its heartbeats come, and lost from
-- four intervals after the last one, whatever it said. Rank 1 is healthy, then degraded, draining, lost, stopped.
-- A record goes a day after its last heartbeat.
-- Locks: none. Source: attune.md E2.
create or replace function tasker.get_servers(p_now timestamptz default null)
returns table (
  server_uuid uuid, name varchar, health text, rank int, reported_status tasker.server_state, roles text[], namespaces text[], handlers text[],
  problems text[], capacity int, running int, registered_at timestamptz, heartbeat_at timestamptz, silent_seconds numeric,
  considered_lost_at timestamptz)
language sql stable
set search_path = ''
as $$
  select v.server_uuid, v.name, h.health, array_position(array['healthy', 'degraded', 'draining', 'lost', 'stopped'], h.health),
         v.state, v.roles, v.namespaces, v.handlers, v.problems, v.capacity, v.running, v.registered_at, v.heartbeat_at,
         round(extract(epoch from greatest(coalesce(p_now, clock_timestamp()) - v.heartbeat_at, interval '0')), 1), v.lease_expires_at
  from tasker.servers v
  cross join lateral (
    select case when v.state = 'stopped' then 'stopped'
                when v.lease_expires_at <= coalesce(p_now, clock_timestamp()) then 'lost'
                else v.state::text end as health) h
  order by 4, v.running::numeric / greatest(v.capacity, 1), v.registered_at
$$;
comment on function tasker.get_servers(timestamptz) is
  'The servers that are known, best first, with what they say of themselves and whether they are still heard of.';
