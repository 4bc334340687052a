-- The registered workers, healthiest first, as get_servers lists the servers: health is the state
-- that the worker reports while its heartbeats arrive, and lost from four intervals after the last
-- one. Rank 1 is healthy, then degraded, paused, draining, lost, stopped. server_uuid is null for
-- an external worker. unable: the handler keys that it declined. claimed: the steps that an
-- external worker claimed over REST and still runs; registered_by: who registered it there.
-- Locks: none.
create or replace function tasker.get_workers(p_now timestamptz default null)
returns table (
  worker_uuid uuid, server_uuid uuid, name varchar, health text, rank int,
  reported_status tasker.worker_state, namespaces text[],
  handlers text[], resolvers text[], unable text[], capacity int, running int,
  registered_at timestamptz, heartbeat_at timestamptz,
  silent_seconds numeric, considered_lost_at timestamptz, claimed int, registered_by varchar)
language sql stable
set search_path = ''
as $$
  select w.worker_uuid, w.server_uuid, w.name, h.health,
         array_position(array['healthy', 'degraded', 'paused', 'draining', 'lost', 'stopped'],
                        h.health),
         w.state, w.namespaces, w.handlers, w.resolvers, w.unable, w.capacity, w.running,
         w.registered_at, w.heartbeat_at,
         round(extract(epoch from greatest(coalesce(p_now, clock_timestamp()) - w.heartbeat_at,
                                           interval '0')),
               1),
         w.lease_expires_at,
         (select count(*)::int
          from tasker.worker_claims c
          join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
            and s.state = 'in_progress'
            and s.handoffs = c.handoff
          where c.worker_uuid = w.worker_uuid),
         w.registered_by
  from tasker.workers w
  cross join lateral (
    select case when w.state = 'stopped' then 'stopped'
                when w.lease_expires_at <= coalesce(p_now, clock_timestamp()) then 'lost'
                else w.state::text end as health) h
  order by 5, w.running::numeric / greatest(w.capacity, 1), w.registered_at
$$;
comment on function tasker.get_workers(timestamptz) is
  'The registered workers, healthiest first, with the state that they report and whether they are '
  'lost.';
