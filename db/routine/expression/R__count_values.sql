-- How many values a path without filters gives, an array counted by its elements; then how often it
-- has .**, how many accessors, and how often its subscripts may choose the same value.
-- p_path: {at, path}: at is $, or @ for each of p_elements, which are paths from $. p_document
-- null: p_nodes for each path, as often as its subscripts say.
-- Locks: none. Source: ADR 0066.
create or replace function tasker.count_values(
  p_path jsonb, p_elements jsonb, p_document jsonb, p_nodes bigint)
returns double precision[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_counts double precision[] := '{0,0,0,1}';
  v_path   text;
  v_bare   text;
begin
  for v_path in
    select r.root || (p_path ->> 'path')
    from jsonb_array_elements_text(
      case p_path ->> 'at' when '$' then '["$"]' else p_elements end) as r(root)
  loop
    v_bare := regexp_replace(v_path, '"(?:[^"\\]|\\.)*"', '', 'g');
    v_counts[1] := v_counts[1] + case
      when p_document is null then p_nodes
      else jsonb_array_length(
        jsonb_path_query_array(p_document, ('lax ' || v_path || '[*].type()')::jsonpath, '{}',
                               true)) end;
    v_counts[2] := greatest(v_counts[2], regexp_count(v_bare, '[.][*][*]'));
    if v_bare like '%,%' then
      v_counts[4] := greatest(v_counts[4],
                              (select exp(sum(ln(regexp_count(m[1], ',') + 1.0)))
                               from regexp_matches(v_bare, '(\[[^]]*,[^]]*\])', 'g') m));
    end if;
    v_counts[3] := greatest(v_counts[3], regexp_count(v_bare, '[.[]'));
  end loop;
  return v_counts;
end
$$;
comment on function tasker.count_values(jsonb, jsonb, jsonb, bigint) is
  'How many values a path without filters gives, and how often it has what multiplies them.';
