-- The version that a request means which names none: the highest release of the template, or its
-- highest prerelease as long as there is no release. Null when there is no such template.
create or replace function tasker.get_latest_version(p_namespace text, p_name text)
returns text
language sql stable parallel safe
as $$
  select nt.version::text
  from tasker.task_namespaces ns
  join tasker.named_tasks nt on nt.task_namespace_uuid = ns.task_namespace_uuid and nt.name = p_name
  where ns.name = p_namespace
  order by strpos(nt.version, '-') > 0, tasker.calculate_version_order(nt.version) collate "C" desc
  limit 1
$$;
comment on function tasker.get_latest_version(text, text) is
  'The version for requests that name none: the highest release of the template; null when there '
  'is no such template.';
