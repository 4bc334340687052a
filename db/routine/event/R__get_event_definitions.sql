-- publishes_events of a step as the engine keeps it: an array of {name, condition, delivery_mode,
-- schema, payload} in the order of the template, null for none. An event without a schema has that
-- of domain_events of the same name.
-- Locks: none. Source: ADR 0050.
create or replace function tasker.get_event_definitions(p_declared jsonb, p_published jsonb)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_agg(
           jsonb_build_object(
             'name', p.value ->> 'name', 'condition', coalesce(p.value ->> 'condition', 'success'),
             'delivery_mode', coalesce(p.value ->> 'delivery_mode', 'durable'),
             'payload', nullif(p.value -> 'payload', 'null'),
             'schema', coalesce(
               nullif(p.value -> 'schema', 'null'),
               (select nullif(d.value -> 'schema', 'null')
                from jsonb_array_elements(
                  case when jsonb_typeof(p_declared) = 'array' then p_declared else '[]' end) as d
                where d.value ->> 'name' = p.value ->> 'name' limit 1))) order by p.ordinality)
  from jsonb_array_elements(case when jsonb_typeof(p_published) = 'array' then p_published
                                 else '[]' end) with ordinality as p
$$;
comment on function tasker.get_event_definitions(jsonb, jsonb) is
  'The events that a step publishes, in the form that the engine stores; null for none.';
