-- evaluate_mapping without its bound: a mapping with each path in it replaced by its value, at any
-- depth.
-- Errors: as evaluate_value. Locks: none. Source: ADR 0033.
create or replace function tasker.fill_mapping(p_mapping jsonb, p_document jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return case jsonb_typeof(p_mapping)
    when 'object' then
      (select coalesce(jsonb_object_agg(m.key, tasker.fill_mapping(m.value, p_document)), '{}')
       from jsonb_each(p_mapping) m)
    when 'array' then
      (select coalesce(jsonb_agg(tasker.fill_mapping(a.value, p_document) order by a.ordinality),
                       '[]')
       from jsonb_array_elements(p_mapping) with ordinality as a)
    when 'string' then case
      when p_mapping #>> '{}' ~ '^[$]{2}' then to_jsonb(substr(p_mapping #>> '{}', 2))
      when p_mapping #>> '{}' ~ '^[$]' then
        coalesce(tasker.evaluate_value(p_mapping #>> '{}', p_document), 'null')
      else p_mapping end
    else p_mapping end;
end
$$;
comment on function tasker.fill_mapping(jsonb, jsonb) is
  'evaluate_mapping without its bound: each path replaced by its value, at any depth.';
