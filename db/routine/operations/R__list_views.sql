-- The views that a caller may use, by page and name: its own, and those of the namespaces that it
-- may list. p_namespaces: an array of names; null for all. mine says whose may be deleted without
-- more. An own view of a namespace that the caller may no longer list is left out. Reads only.
create or replace function tasker.list_views(p_owner text, p_namespaces jsonb default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(to_jsonb(v) - 'owner' || jsonb_build_object(
                              'mine', v.owner = p_owner) order by v.page,
                            lower(v.name), v.view_uuid),
                  '[]')
  from tasker.saved_views v
  where case when v.namespace is null then v.owner = p_owner
             else p_namespaces is null or p_namespaces ? v.namespace end
$$;
comment on function tasker.list_views(text, jsonb) is
  'The views that a caller may use: its own, and those of the namespaces that it may list.';
