-- The templates that a pause or resume applies to: of a namespace (p_name null) or of a name
-- (p_version null: all its versions). Returns the namespace, their uuids, an empty array for none,
-- and a refusal: template-not-found when there is no such namespace or template, invalid-request
-- for a version without a name. On a refusal the caller changes nothing and returns it.
-- Locks: the namespace, until the end of the transaction, so that registrations come before or
-- after the whole call. Source: ADR 0015.
create or replace function tasker.find_templates_to_pause(
  p_namespace text, p_name text, p_version text,
  out o_namespace tasker.task_namespaces, out o_templates uuid[], out o_refusal jsonb)
language plpgsql
set search_path = ''
as $$
begin
  select ns.* into o_namespace
  from tasker.task_namespaces ns
  where ns.name = p_namespace for no key update;
  select coalesce(array_agg(nt.named_task_uuid), '{}') into o_templates from tasker.named_tasks nt
  where nt.task_namespace_uuid = o_namespace.task_namespace_uuid
    and (p_name is null or nt.name = p_name) and (p_version is null or nt.version = p_version);
  if o_namespace.name is null then
    o_refusal := tasker.refuse_unknown('template', p_namespace, 'namespace');
  elsif p_name is null and p_version is not null then
    o_refusal := jsonb_build_object('outcome', 'refused', 'code', 'invalid-request',
                                    'field', 'name', 'message', 'is required with a version');
  elsif p_name is not null and o_templates = '{}' then
    o_refusal := tasker.refuse_unknown(
      'template', concat_ws(':', p_namespace || '/' || p_name, p_version));
  end if;
end
$$;
comment on function tasker.find_templates_to_pause(text, text, text) is
  'The templates that a pause or resume applies to, with their namespace locked, or a refusal.';
