-- Saves the filter of a list under a name, for its owner or for all who may list tasks in a
-- namespace; a view of the same name, page, namespace and owner is replaced. p_owner: the caller
-- over REST, as in bulk_actions.made_by. p_query: the query of the list's address.
-- Returns {outcome: done, view}; {outcome: refused, code: too-many-views} when the owner has p_most
-- already, with template-not-found when there is no such namespace.
-- Errors: TK007 for a text that is too long. Locks: the row. Two calls at once may exceed p_most by
-- one: it bounds the table and promises nothing.
create or replace function tasker.save_view(
  p_page text, p_name text, p_query text, p_namespace text, p_owner text, p_by text,
  p_most int default 100)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_view  tasker.saved_views;
  v_wrong text;
begin
  select format('%s must have at most %s characters', g.name, g.longest) into v_wrong
  from (values ('page', p_page, 64), ('name', p_name, 128), ('query', p_query, 2000),
               ('owner', p_owner, 300), ('saved_by', p_by, 160)) g(name, value, longest)
  where length(g.value) > g.longest
  order by g.name limit 1;
  if v_wrong is not null then
    raise exception '%', v_wrong using errcode = 'TK007';
  end if;
  if p_namespace is not null
     and not exists (select from tasker.task_namespaces n where n.name = p_namespace) then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'template-not-found', 'field', 'namespace',
      'message', format('there is no namespace %s', p_namespace));
  end if;
  if (select count(*) from tasker.saved_views v where v.owner = p_owner
        and (v.page, v.name) is distinct from (p_page, p_name)) >= p_most then
    return jsonb_build_object('outcome', 'refused', 'code', 'too-many-views', 'field', 'name',
                              'message', format('a caller may have %s views; delete one', p_most));
  end if;
  insert into tasker.saved_views as v (page, name, query, namespace, owner, saved_by)
  values (p_page, p_name, p_query, p_namespace, p_owner, p_by)
  on conflict on constraint one_view_per_name do update
    set query = excluded.query, saved_by = excluded.saved_by, saved_at = clock_timestamp()
  returning v.* into v_view;
  return jsonb_build_object(
    'outcome', 'done', 'view', to_jsonb(v_view) - 'owner' || jsonb_build_object('mine', true));
end
$$;
comment on function tasker.save_view(text, text, text, text, text, text, int) is
  'Saves the filter of a list under a name, for its owner or for a namespace.';
