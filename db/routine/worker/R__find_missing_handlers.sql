-- The handlers of a template that no live worker of its namespace has: {servers, missing: [{step,
-- handler}], known: [handler]}, in the order of the steps. servers is the number of live workers;
-- one that declares no list of handlers counts as having all. Leaves out steps with a resolver:
-- only the server that resolves them knows. Null when there is no such template.
-- Locks: none.
create or replace function tasker.find_missing_handlers(
  p_namespace text, p_name text, p_version text)
returns jsonb
language sql stable
set search_path = ''
as $$
  with workers as materialized (
    select w.handlers from tasker.get_available_workers(p_namespace, clock_timestamp()) w)
  select jsonb_build_object(
           'servers', (select count(*) from workers),
           'missing', (
             select coalesce(jsonb_agg(jsonb_build_object(
                                         'step', s.name,
                                         'handler', d.handler_callable) order by d.step_position),
                             '[]')
             from tasker.named_tasks_named_steps d
             join tasker.named_steps s on s.named_step_uuid = d.named_step_uuid
             where d.named_task_uuid = nt.named_task_uuid
               and d.handler_callable is not null
               and d.handler_resolver is null
               and not exists (select from workers w
                               where w.handlers is null or d.handler_callable = any (w.handlers))),
           'known', (select coalesce(jsonb_agg(distinct h), '[]')
                     from workers w
                     cross join unnest(w.handlers) h))
  from tasker.task_namespaces ns
  join tasker.named_tasks nt on nt.task_namespace_uuid = ns.task_namespace_uuid
    and nt.name = p_name
    and nt.version = p_version
  where ns.name = p_namespace
$$;
comment on function tasker.find_missing_handlers(text, text, text) is
  'The handlers of a template that no live worker of its namespace has; null when there is no '
  'such template.';
