-- The handler keys whose steps a worker may claim, by namespace. Leaves out a namespace of which
-- the worker serves every handler; null means that it may claim everything, as when all workers run
-- the same application. Reads the distinct handlers that templates name.
create or replace function tasker.calculate_served_handlers(
  p_namespaces text[], p_handlers text[], p_resolvers text[], p_unable text[])
returns jsonb
language sql stable
set search_path = ''
as $$
  with known_handlers as (
    select ns.name as namespace, h.handler_key,
           (p_namespaces is null or ns.name = any (p_namespaces))
             and tasker.has_handler(p_handlers, p_resolvers, p_unable, h.handler_callable,
                                    h.handler_resolver, h.handler_key) as is_served
    from tasker.namespace_handlers h
    join tasker.task_namespaces ns on ns.task_namespace_uuid = h.task_namespace_uuid),
  narrowed as (
    select k.namespace,
           coalesce(jsonb_agg(k.handler_key order by k.handler_key) filter (where k.is_served),
                    '[]') as handler_keys
    from known_handlers k
    group by k.namespace
    having not bool_and(k.is_served))
  select jsonb_object_agg(n.namespace, n.handler_keys) from narrowed n
$$;
comment on function tasker.calculate_served_handlers(text[], text[], text[], text[]) is
  'The handler keys whose steps a worker may claim, by namespace.';
