-- Deletes a view of the caller, or of a namespace in which the caller may act on tasks.
-- p_namespaces: an array of those; null for all.
-- Returns {outcome: done, name}; any other view is refused as unknown. Locks: the row.
create or replace function tasker.delete_view(
  p_view_uuid uuid, p_owner text, p_namespaces jsonb default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_name text;
begin
  delete from tasker.saved_views v
  where v.view_uuid = p_view_uuid
    and (v.owner = p_owner
         or (v.namespace is not null and (p_namespaces is null or p_namespaces ? v.namespace)))
  returning v.name into v_name;
  if not found then
    return tasker.refuse_unknown('view', p_view_uuid::text);
  end if;
  return jsonb_build_object('outcome', 'done', 'name', v_name);
end
$$;
comment on function tasker.delete_view(uuid, text, jsonb) is
  'Deletes a view of the caller, or of a namespace in which the caller may act on tasks.';
