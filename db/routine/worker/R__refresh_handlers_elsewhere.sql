-- Finds out anew which handlers a server lacks and others have, and keeps it with the server: it will leave the steps of
-- those to the others. p_missing: what it was given and could not run.
-- A server counts while its heartbeats come, whatever state it reports, and for p_grace_seconds after its last one: a
-- server that restarts must not find its steps failed by one that never had the handler.
-- The templates are read only while servers differ. Locks: the server's row. Returns whether anything changed.
create or replace function tasker.refresh_handlers_elsewhere(
  p_server_uuid uuid, p_missing text[] default '{}', p_now timestamptz default null, p_grace_seconds int default 60)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_server    tasker.servers;
  v_missing   text[];
  v_elsewhere jsonb;
begin
  select v.* into v_server from tasker.servers v where v.server_uuid = p_server_uuid;
  if not found then
    return false;
  end if;
  v_missing := v_server.missing;
  if p_missing <> '{}' then
    -- Only what its beans and resolvers promise: the rest is known from their names.
    v_missing := array(
      select m from unnest(v_missing) m union
      select n.handler_key from tasker.named_tasks_named_steps n
      where n.handler_key = any (p_missing)
        and tasker.has_handler(v_server.handlers, v_server.resolvers, '{}', n.handler_callable, n.handler_resolver, n.handler_key)
      order by 1);
  end if;

  if exists (
    select from tasker.servers o
    where o.server_uuid <> p_server_uuid and (o.lease_expires_at > v_now or o.heartbeat_at > v_now - p_grace_seconds * interval '1 second')
      and (v_missing <> '{}' or (o.handlers, o.resolvers) is distinct from (v_server.handlers, v_server.resolvers)))
  then
    with others as materialized (
      select o.namespaces, o.handlers, o.resolvers, o.missing from tasker.servers o
      where o.server_uuid <> p_server_uuid
        and ((o.lease_expires_at > v_now and o.state <> 'stopped') or o.heartbeat_at > v_now - p_grace_seconds * interval '1 second')),
    lacked as materialized (
      select distinct ns.name as namespace, n.handler_callable, n.handler_resolver, n.handler_key
      from tasker.named_tasks_named_steps n
      join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
      join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
      where (v_server.namespaces is null or ns.name = any (v_server.namespaces))
        and not tasker.has_handler(v_server.handlers, v_server.resolvers, v_missing, n.handler_callable, n.handler_resolver, n.handler_key)),
    had_by_others as (
      select l.namespace, l.handler_key from lacked l
      where exists (select from others o
                    where (o.namespaces is null or l.namespace = any (o.namespaces))
                      and tasker.has_handler(o.handlers, o.resolvers, o.missing, l.handler_callable, l.handler_resolver, l.handler_key)))
    select jsonb_object_agg(k.namespace, k.handler_keys) into v_elsewhere
    from (select h.namespace, jsonb_agg(h.handler_key order by h.handler_key) as handler_keys from had_by_others h group by h.namespace) k;
  end if;

  update tasker.servers v set missing = v_missing, elsewhere = v_elsewhere
  where v.server_uuid = p_server_uuid and (v.missing, v.elsewhere) is distinct from (v_missing, v_elsewhere);
  return found;
end
$$;
comment on function tasker.refresh_handlers_elsewhere(uuid, text[], timestamptz, int) is
  'Finds out anew which handlers a server lacks and others have, and keeps it with the server.';
