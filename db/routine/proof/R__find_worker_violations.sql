-- Workers that would not get the steps of the handlers that they have declared, or could never be
-- declared lost, and owners that are no caller: one row per finding. They are few, so p_since does
-- not restrict them.
-- Locks: none. Source: ADR 0032, ADR 0036, docs/reference/invariants.md.
create or replace function tasker.find_worker_violations()
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off
as $$
  -- What it may claim is what it has declared, as of the version of the catalog for which that was
  -- calculated.
  select 'worker_serves_what_it_declared',
         jsonb_build_object('worker_uuid', w.worker_uuid, 'name', w.name, 'served', w.served,
                            'served_version', w.served_version, 'catalog', c.version)
  from tasker.workers w
  left join tasker.handler_catalog c on true
  cross join lateral (select tasker.calculate_served_handlers(
                               w.namespaces, w.handlers, w.resolvers, w.unable) as handlers
                      where w.served_version = c.version
                      union all
                      select w.served where w.served_version is distinct from c.version) s
  where w.served is distinct from s.handlers or w.served_version > c.version or c.version is null
  union all
  select 'worker_is_of_its_owner',
         jsonb_build_object('worker_uuid', w.worker_uuid, 'name', w.name, 'owner', w.owner,
                            'registered_by', w.registered_by)
  from tasker.workers w
  left join tasker.access_users u on w.owner = 'user:' || u.user_uuid
  left join tasker.access_keys k on w.owner = 'key:' || k.key_uuid
  where (w.owner is null) <> (w.registered_by is null)
    or (w.server_uuid is not null and w.owner is not null)
    -- Callers of tokens and of other identity stores have no row of their own.
    or w.registered_by is distinct from case
      when w.owner ~ '^user:[0-9a-f-]{36}$' then u.name
      when w.owner ~ '^key:[0-9a-f-]{36}$' then 'key:' || k.name
      else w.registered_by end
  union all
  -- Four heartbeats after the last one.
  select 'lease_is_that_of_its_heartbeat',
         jsonb_build_object('uuid', h.uuid, 'name', h.name, 'heartbeat_at', h.heartbeat_at,
                            'lease_expires_at', h.lease_expires_at)
  from (select w.worker_uuid as uuid, w.name, w.heartbeat_at, w.lease_expires_at,
               w.heartbeat_seconds
        from tasker.workers w
        union all
        select s.server_uuid, s.name, s.heartbeat_at, s.lease_expires_at, s.heartbeat_seconds
        from tasker.servers s) h
  where h.lease_expires_at
      > h.heartbeat_at + 4 * h.heartbeat_seconds * interval '1 second' + interval '1 minute'
$$;
comment on function tasker.find_worker_violations() is
  'Workers that would not get their steps or could never be declared lost, and owners that are '
  'no caller: one row per finding.';
