-- The places of a document that a JSON Schema marks with "x-sealed": true: itself, below properties
-- and items, and in the schemas of an allOf at these places. Registration has refused the keyword
-- everywhere else.
-- Returns true for the whole document, otherwise {properties?: {name: places}, items?: places};
-- null when nothing is marked. The class SealedPlaces answers the same; a test compares them.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.read_sealed_places(p_schema jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_places jsonb;
  v_schema jsonb;
begin
  if jsonb_typeof(p_schema) is distinct from 'object' then
    return null;
  end if;
  if p_schema -> 'x-sealed' = 'true' then
    return 'true';
  end if;
  if jsonb_typeof(p_schema -> 'properties') = 'object' then
    select jsonb_build_object('properties', jsonb_object_agg(p.name, p.places)) into v_places
    from (select e.key as name, tasker.read_sealed_places(e.value) as places
          from jsonb_each(p_schema -> 'properties') e) p
    where p.places is not null
    having count(*) > 0;
  end if;
  v_places := tasker.merge_sealed_places(
    v_places,
    jsonb_build_object('items', tasker.read_sealed_places(p_schema -> 'items')));
  if jsonb_typeof(p_schema -> 'allOf') = 'array' then
    for v_schema in select e.value from jsonb_array_elements(p_schema -> 'allOf') e loop
      v_places := tasker.merge_sealed_places(v_places, tasker.read_sealed_places(v_schema));
    end loop;
  end if;
  return v_places;
end
$$;
comment on function tasker.read_sealed_places(jsonb) is
  'The places of a document that a JSON Schema marks as sealed.';
