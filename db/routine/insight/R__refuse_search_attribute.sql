-- The refusal of a filter by a search attribute that no template of the filter declares, as
-- list_tasks and count_tasks return it.
create or replace function tasker.refuse_search_attribute(p_name text)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'attributes',
                            'message', format(
                              'no template that this list covers has the search attribute %s',
                              p_name))
$$;
comment on function tasker.refuse_search_attribute(text) is
  'The refusal of a filter by a search attribute that no template of the filter declares.';
