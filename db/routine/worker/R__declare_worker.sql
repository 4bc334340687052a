-- Stores what a worker declares at its registration or with a heartbeat. Recalculates what it may
-- claim when it names other namespaces, handlers or resolvers than before, or when templates have
-- named new handlers since.
-- p_is_new: the worker has just started; clears the list of handlers that it declined.
-- Locks: the worker's row. Returns whether it may claim other steps than before.
create or replace function tasker.declare_worker(
  p_worker_uuid uuid, p_server_uuid uuid, p_name text, p_state tasker.worker_state,
  p_namespaces text[], p_handlers text[],
  p_resolvers text[], p_capacity int, p_running int, p_heartbeat_seconds int, p_is_new boolean,
  p_now timestamptz)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_before  tasker.workers;
  v_known   boolean;
  v_unable  text[];
  v_served  jsonb;
  v_version bigint;
begin
  select w.* into v_before
  from tasker.workers w
  where w.worker_uuid = p_worker_uuid for no key update;
  v_known := found
    and not p_is_new
    and (v_before.namespaces, v_before.handlers,
         v_before.resolvers) is not distinct from (p_namespaces, p_handlers, p_resolvers);
  v_unable := case when v_known then v_before.unable else '{}' end;
  select c.version,
         case when v_known and v_before.served_version = c.version then v_before.served
              else tasker.calculate_served_handlers(
                p_namespaces, p_handlers, p_resolvers, v_unable) end into v_version, v_served
  from tasker.handler_catalog c;

  insert into tasker.workers as w
    (worker_uuid, server_uuid, name, state, namespaces, handlers, resolvers, unable, declared_at,
     served, served_version, capacity, running, registered_at, heartbeat_at, heartbeat_seconds,
     lease_expires_at, present_since)
  values (p_worker_uuid, p_server_uuid, p_name, p_state, p_namespaces, p_handlers, p_resolvers,
          v_unable, p_now, v_served, v_version, p_capacity, p_running, p_now, p_now,
          p_heartbeat_seconds, p_now + 4 * p_heartbeat_seconds * interval '1 second', p_now)
  on conflict (worker_uuid) do update
    set name = excluded.name, namespaces = excluded.namespaces, handlers = excluded.handlers,
        resolvers = excluded.resolvers,
        unable = excluded.unable, served = excluded.served,
        served_version = excluded.served_version,
        declared_at = case when v_known then w.declared_at else excluded.declared_at end,
        capacity = excluded.capacity, running = excluded.running,
        heartbeat_at = excluded.heartbeat_at,
        heartbeat_seconds = excluded.heartbeat_seconds,
        lease_expires_at = excluded.lease_expires_at, lost_at = null,
        present_since = case
          when p_is_new
            or w.heartbeat_at < p_now - 2 * p_heartbeat_seconds * interval '1 second' then p_now
          else w.present_since end,
        registered_at = case when p_is_new then p_now else w.registered_at end,
        state = case when w.state = 'stopped' and not p_is_new then w.state else excluded.state end;
  return v_before.worker_uuid is null or v_served is distinct from v_before.served;
end
$$;
comment on function tasker.declare_worker(
  uuid, uuid, text, tasker.worker_state, text[], text[], text[], int, int, int, boolean,
  timestamptz) is
  'Stores what a worker declares at its registration or with a heartbeat.';
