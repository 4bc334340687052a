-- Why steps and edges that are to be added to a task are not in the form of add_steps, whatever the
-- task: the first such {field, message}; null when they are.
-- Locks: none. Source: ADR 0031.
create or replace function tasker.check_additions(p_steps jsonb, p_edges jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('field', b.field, 'message', b.message)
    from (
      select 0, 'steps', 'must be an array of 1 to 10000 objects {name, step, inputs?}'
      where not coalesce(jsonb_typeof(p_steps) = 'array'
                           and jsonb_array_length(p_steps) between 1 and 10000,
                         false)
      union all
      select 1, 'edges', 'must be an array of at most 100000 objects {from, to}'
      where not coalesce(jsonb_typeof(p_edges) = 'array' and jsonb_array_length(p_edges) <= 100000,
                         false)
      union all
      select 1 + g.ordinality, format('steps[%s]', g.ordinality - 1),
             'must be an object with name and step, texts of 1 to 128 characters, and nothing else '
             'but inputs, an object'
      from jsonb_array_elements(
        case when jsonb_typeof(p_steps) = 'array' then p_steps else '[]' end) with ordinality as g
      where not coalesce(jsonb_typeof(g.value) = 'object'
                           and jsonb_typeof(g.value -> 'name') = 'string'
                           and jsonb_typeof(g.value -> 'step') = 'string'
                           and length(g.value ->> 'name') <= 128
                           and btrim(g.value ->> 'name') <> '',
                         false)
        or coalesce(jsonb_typeof(g.value -> 'inputs'), 'object') <> 'object'
        or jsonb_path_exists(
          g.value,
          'strict $.keyvalue() ? (@.key != "name" && @.key != "step" && @.key != "inputs")',
          silent => true)
      union all
      select 1 + g.ordinality, format('steps[%s].inputs', g.ordinality - 1),
             tasker.check_document(g.value -> 'inputs')
      from jsonb_array_elements(
        case when jsonb_typeof(p_steps) = 'array' then p_steps else '[]' end) with ordinality as g
      where tasker.check_document(g.value -> 'inputs') is not null
      union all
      select 100000 + g.ordinality, format('edges[%s]', g.ordinality - 1),
             'must be an object with from and to, the names of two steps, and nothing else'
      from jsonb_array_elements(
        case when jsonb_typeof(p_edges) = 'array' then p_edges else '[]' end) with ordinality as g
      where not coalesce(jsonb_typeof(g.value) = 'object'
                           and jsonb_typeof(g.value -> 'from') = 'string'
                           and jsonb_typeof(g.value -> 'to') = 'string',
                         false)
        or jsonb_path_exists(g.value, 'strict $.keyvalue() ? (@.key != "from" && @.key != "to")',
                             silent => true)) as b(sort_order, field, message)
    order by b.sort_order limit 1);
end
$$;
comment on function tasker.check_additions(jsonb, jsonb) is
  'Checks the form of steps and edges for add_steps: the refusal, or null.';
