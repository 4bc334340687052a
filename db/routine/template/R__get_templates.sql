-- Registered templates as a JSON array, by namespace, name and newest first; p_with_configuration
-- adds the normal form and the text as it came. Null arguments match everything.
create or replace function tasker.get_templates(
  p_namespace text default null, p_name text default null, p_version text default null,
  p_with_configuration boolean default false,
  p_template_uuid uuid default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'template_uuid', nt.named_task_uuid, 'namespace', ns.name,
                              'name', nt.name, 'version', nt.version, 'description', nt.description,
                              'identity_strategy', nt.identity_strategy, 'reuse', nt.identity_reuse,
                              'total_steps', nt.total_steps, 'content_hash', nt.content_hash,
                              'created_at', nt.created_at) || case
                              when p_with_configuration then jsonb_build_object(
                                'configuration', nt.configuration, 'source', nt.source_text)
                              else '{}' end order by ns.name,
                            nt.name, nt.created_at desc),
                  '[]')
  from tasker.named_tasks nt
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where (p_namespace is null or ns.name = p_namespace)
    and (p_name is null or nt.name = p_name)
    and (p_version is null or nt.version = p_version)
    and (p_template_uuid is null or nt.named_task_uuid = p_template_uuid)
$$;
comment on function tasker.get_templates(text, text, text, boolean, uuid) is
  'Registered templates as a JSON array.';
