-- The version that a request means which names none: the highest release of the template, or its
-- highest prerelease as long as there is no release. Null when there is no such template.
-- In PL/pgSQL, which keeps its plans, and with numbers where they are enough: every such request
-- asks, and a template may have many versions.
create or replace function tasker.get_latest_version(p_namespace text, p_name text)
returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
declare
  v_versions text[];
  v_releases text[];
begin
  select array_agg(nt.version), array_agg(nt.version) filter (where strpos(nt.version, '-') = 0)
    into v_versions, v_releases
  from tasker.task_namespaces ns
  join tasker.named_tasks nt on nt.task_namespace_uuid = ns.task_namespace_uuid and nt.name = p_name
  where ns.name = p_namespace;
  v_versions := coalesce(v_releases, v_versions);
  if cardinality(v_versions) = 1 then
    return v_versions[1];
  end if;
  if not exists (select from unnest(v_versions) as v(version)
                 where v.version !~ '^[0-9]+\.[0-9]+\.[0-9]+$') then
    return (select v.version
            from unnest(v_versions) as v(version)
            order by string_to_array(v.version, '.')::bigint[] desc
            limit 1);
  end if;
  return (select v.version
          from unnest(v_versions) as v(version)
          order by tasker.calculate_version_order(v.version) collate "C" desc
          limit 1);
end
$$;
comment on function tasker.get_latest_version(text, text) is
  'The version for requests that name none: the highest release of the template; null when there '
  'is no such template.';
