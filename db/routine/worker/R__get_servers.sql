-- The registered servers, healthiest first: health is the state that the server reports while its
-- heartbeats arrive, and lost from four intervals after the last one. Rank 1 is healthy, then
-- degraded, draining, lost, stopped. namespaces, handlers, capacity and running are those of its
-- worker; a server that has none has a capacity of 0. heartbeat deletes a row a day after its last
-- heartbeat.
-- Locks: none.
create or replace function tasker.get_servers(p_now timestamptz default null)
returns table (
  server_uuid uuid, name varchar, health text, rank int, reported_status tasker.server_state,
  roles text[], namespaces text[], handlers text[],
  problems text[], capacity int, running int, registered_at timestamptz, heartbeat_at timestamptz,
  silent_seconds numeric,
  considered_lost_at timestamptz)
language sql stable
set search_path = ''
as $$
  select v.server_uuid, v.name, h.health,
         array_position(array['healthy', 'degraded', 'draining', 'lost', 'stopped'], h.health),
         v.state, v.roles, w.namespaces,
         case when w.worker_uuid is null then '{}' else w.handlers end, v.problems,
         coalesce(w.capacity, 0), coalesce(w.running, 0), v.registered_at, v.heartbeat_at,
         round(extract(epoch from greatest(coalesce(p_now, clock_timestamp()) - v.heartbeat_at,
                                           interval '0')),
               1),
         v.lease_expires_at
  from tasker.servers v
  left join tasker.workers w on w.server_uuid = v.server_uuid
  cross join lateral (
    select case when v.state = 'stopped' then 'stopped'
                when v.lease_expires_at <= coalesce(p_now, clock_timestamp()) then 'lost'
                else v.state::text end as health) h
  order by 4, coalesce(w.running::numeric / greatest(w.capacity, 1), 0), v.registered_at
$$;
comment on function tasker.get_servers(timestamptz) is
  'The registered servers, healthiest first, with the state that they report and whether they are '
  'lost.';
