-- The values that a context has under the paths of search attributes: one row for each path under
-- which there is something other than null.
-- p_attributes: {name: path}, as named_tasks.search_attributes; members of a path have dots between
-- them. value is a string without quotes, a number as JSON text, true or false. complaint is not
-- null where there is no such value, or it has more than 256 characters; value is null then. It
-- never repeats anything of the context.
-- Source: ADR 0029.
create or replace function tasker.extract_search_attributes(p_attributes jsonb, p_context jsonb)
returns table (name text, path text, value text, complaint text)
language sql immutable parallel safe
as $$
  select a.key, a.value, case when c.complaint is null then m.member #>> '{}' end, c.complaint
  from jsonb_each_text(p_attributes) as a(key, value)
  cross join lateral (select p_context #> string_to_array(a.value, '.') as member) m
  cross join lateral (
    select case
             when jsonb_typeof(m.member) in ('object', 'array') then
               format('must be a string, a number, true or false: it is the search attribute %s '
                      'of the template',
                      a.key)
             when length(m.member #>> '{}') > 256 then format(
               'must have at most 256 characters: it is the search attribute %s of the template',
               a.key) end as complaint) c
  where jsonb_typeof(m.member) <> 'null'
$$;
comment on function tasker.extract_search_attributes(jsonb, jsonb) is
  'The values that a context has under the paths of search attributes: one row for each path '
  'under which there is something other than null.';
