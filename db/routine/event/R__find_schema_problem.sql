-- The first thing in which a value does not fit a schema, as a sentence that begins with its place;
-- null when it fits. For the keywords that the schema of an event may have (docs/events.md): type,
-- enum, const, required, properties, additionalProperties (true or false), items, minItems,
-- maxItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength and maxLength. Others
-- say nothing; the reader of templates refuses them. Here and not in a server, because the value
-- exists only in the transaction of the result.
-- Locks: none. Source: ADR 0050.
create or replace function tasker.find_schema_problem(
  p_schema jsonb, p_value jsonb, p_place text default '$')
returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  v_type    text := jsonb_typeof(p_value);
  v_text    text;
  v_member  record;
begin
  if p_schema = 'false' then
    return p_place || ' must not be there';
  elsif jsonb_typeof(p_schema) is distinct from 'object' then
    return null;
  end if;
  if p_schema ? 'type'
     and not exists (
       select from jsonb_array_elements_text(
         case jsonb_typeof(p_schema -> 'type') when 'array' then p_schema -> 'type'
              else jsonb_build_array(p_schema -> 'type') end) as t(name)
       where t.name = v_type
         or t.name = 'integer' and v_type = 'number' and (p_value #>> '{}')::numeric % 1 = 0) then
    return format('%s must be of type %s, but is %s', p_place,
                  translate(p_schema ->> 'type', '[]"', ''), v_type);
  end if;
  if p_schema ? 'enum'
     and not exists (select from jsonb_array_elements(p_schema -> 'enum') as e
                     where e.value = p_value) then
    return format('%s must be one of %s', p_place, p_schema ->> 'enum');
  end if;
  if p_schema ? 'const' and p_schema -> 'const' <> p_value then
    return format('%s must be %s', p_place, p_schema -> 'const');
  end if;
  if v_type = 'number' then
    v_text := case
      when (p_value #>> '{}')::numeric < (p_schema ->> 'minimum')::numeric then
        'be at least ' || (p_schema ->> 'minimum')
      when (p_value #>> '{}')::numeric > (p_schema ->> 'maximum')::numeric then
        'be at most ' || (p_schema ->> 'maximum')
      when (p_value #>> '{}')::numeric <= (p_schema ->> 'exclusiveMinimum')::numeric then
        'be more than ' || (p_schema ->> 'exclusiveMinimum')
      when (p_value #>> '{}')::numeric >= (p_schema ->> 'exclusiveMaximum')::numeric then
        'be less than ' || (p_schema ->> 'exclusiveMaximum') end;
  elsif v_type = 'string' then
    v_text := case
      when length(p_value #>> '{}') < (p_schema ->> 'minLength')::numeric then
        format('have at least %s characters', p_schema ->> 'minLength')
      when length(p_value #>> '{}') > (p_schema ->> 'maxLength')::numeric then
        format('have at most %s characters', p_schema ->> 'maxLength') end;
  elsif v_type = 'array' then
    v_text := case
      when jsonb_array_length(p_value) < (p_schema ->> 'minItems')::numeric then
        format('have at least %s elements', p_schema ->> 'minItems')
      when jsonb_array_length(p_value) > (p_schema ->> 'maxItems')::numeric then
        format('have at most %s elements', p_schema ->> 'maxItems') end;
  elsif v_type = 'object' and jsonb_typeof(p_schema -> 'required') = 'array' then
    select format('have the member %s', r.name) into v_text
    from jsonb_array_elements_text(p_schema -> 'required') with ordinality as r(name, n)
    where not p_value ? r.name
    order by r.n limit 1;
  end if;
  if v_text is not null then
    return format('%s must %s', p_place, v_text);
  end if;
  if v_type = 'object' then
    for v_member in
      select m.key, m.value,
             case when p_schema -> 'properties' ? m.key then p_schema -> 'properties' -> m.key
                  else p_schema -> 'additionalProperties' end as schema
      from jsonb_each(p_value) as m
      order by m.key
    loop
      v_text := tasker.find_schema_problem(
        v_member.schema, v_member.value, p_place || '.' || v_member.key);
      if v_text is not null then
        return v_text;
      end if;
    end loop;
  elsif v_type = 'array' and p_schema ? 'items' then
    for v_member in
      select a.value, a.ordinality - 1 as place
      from jsonb_array_elements(p_value) with ordinality as a
      order by a.ordinality
    loop
      v_text := tasker.find_schema_problem(
        p_schema -> 'items', v_member.value, format('%s[%s]', p_place, v_member.place));
      if v_text is not null then
        return v_text;
      end if;
    end loop;
  end if;
  return null;
end
$$;
comment on function tasker.find_schema_problem(jsonb, jsonb, text) is
  'The first violation of a schema by a value; null when the value fits.';
