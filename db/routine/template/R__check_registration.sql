-- What register_template would answer to a template, without registering it: {outcome: registered |
-- unchanged | conflict | namespace_taken, message}, the last where it refuses. p_content_hash is
-- that of the normal form.
-- Locks: none.
create or replace function tasker.check_registration(
  p_namespace text, p_name text, p_version text, p_content_hash text)
returns jsonb
language sql stable
set search_path = ''
as $$
  select case
           when o.name is not null then jsonb_build_object(
             'outcome', 'namespace_taken',
             'message', format(
               'namespace %s differs only in case from namespace %s, and both would have one queue',
               p_namespace, o.name))
           when n.content_hash is null then '{"outcome": "registered"}'
           when n.content_hash = p_content_hash then '{"outcome": "unchanged"}'
           else jsonb_build_object(
             'outcome', 'conflict',
             'message', format(
               'template %s/%s:%s is registered with other content; a change needs a new version',
               p_namespace, p_name, p_version)) end
  from (select) as one
  left join tasker.task_namespaces o on lower(o.name) = lower(p_namespace) and o.name <> p_namespace
  left join tasker.task_namespaces ns on ns.name = p_namespace
  left join tasker.named_tasks n on n.task_namespace_uuid = ns.task_namespace_uuid
    and n.name = p_name
    and n.version = p_version
$$;
comment on function tasker.check_registration(text, text, text, text) is
  'What register_template would answer to a template, without registering it.';
