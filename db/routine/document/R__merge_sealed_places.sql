-- What is sealed by one of two: places as of read_sealed_places, null for none, also below items.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.merge_sealed_places(p_one jsonb, p_other jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_properties jsonb;
  v_items      jsonb;
begin
  p_one := nullif(p_one, 'null');
  p_other := nullif(p_other, 'null');
  if p_one = 'true' or p_other = 'true' then
    return 'true';
  end if;
  if p_one is null and p_other is null then
    return null;
  end if;
  select jsonb_object_agg(coalesce(a.key, b.key),
                          tasker.merge_sealed_places(a.value, b.value)) into v_properties
  from jsonb_each(p_one -> 'properties') a
  full join jsonb_each(p_other -> 'properties') b on b.key = a.key;
  v_items := tasker.merge_sealed_places(p_one -> 'items', p_other -> 'items');
  return nullif(jsonb_strip_nulls(jsonb_build_object('properties', v_properties,
                                                     'items', v_items)),
                '{}');
end
$$;
comment on function tasker.merge_sealed_places(jsonb, jsonb) is
  'What is sealed by one of two schemas.';
