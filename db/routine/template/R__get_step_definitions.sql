-- The definitions of steps in their templates, for workers to cache: a JSON array by
-- template_step_uuid with the names of all ancestors. It never changes, so a worker asks once.
create or replace function tasker.get_step_definitions(p_named_step_uuids uuid[])
returns jsonb
language sql stable
set search_path = ''
as $$
  with recursive ancestors(named_step_uuid, named_task_uuid, step_position) as (
    select n.named_step_uuid, n.named_task_uuid, p.position
    from tasker.named_tasks_named_steps n
    cross join lateral unnest(n.parent_positions) as p(position)
    where n.named_step_uuid = any (p_named_step_uuids)
    union
    select a.named_step_uuid, a.named_task_uuid, p.position
    from ancestors a
    join tasker.named_tasks_named_steps n on n.named_task_uuid = a.named_task_uuid
      and n.step_position = a.step_position
    cross join lateral unnest(n.parent_positions) as p(position))
  select coalesce(jsonb_agg(
                    jsonb_build_object(
                      'template_step_uuid', n.named_step_uuid, 'step', s.name,
                      'callable', n.handler_callable, 'method', n.handler_method,
                      'resolver', n.handler_resolver, 'initialization', n.initialization,
                      'result_schema', n.result_schema, 'timeout_seconds', n.timeout_seconds,
                      'handler_options', coalesce(n.handler_options, '{}'),
                      'sealing', case when nt.sealed is null then 'nothing'
                                      when nt.sealed -> 'errors' = 'true' then 'members_and_errors'
                                      else 'members' end,
                      'namespace', ns.name, 'name', nt.name, 'version', nt.version,
                      'ancestors', (
                        select coalesce(jsonb_agg(an.name order by a.step_position), '[]')
                        from ancestors a
                        join tasker.named_tasks_named_steps am
                          on am.named_task_uuid = a.named_task_uuid
                            and am.step_position = a.step_position
                        join tasker.named_steps an on an.named_step_uuid = am.named_step_uuid
                        where a.named_step_uuid = n.named_step_uuid))),
                  '[]')
  from tasker.named_tasks_named_steps n
  join tasker.named_steps s on s.named_step_uuid = n.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where n.named_step_uuid = any (p_named_step_uuids)
$$;
comment on function tasker.get_step_definitions(uuid[]) is
  'The definitions of steps in their templates, for workers to cache.';
