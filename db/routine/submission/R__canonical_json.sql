-- The canonical text of a JSON value: jsonb itself normalises key order, white space, duplicate keys and escapes; this
-- function also normalises the scale of numbers (1.0 and 1). Numbers keep their full precision, which RFC 8785 would reduce
-- to a double.
create or replace function tasker.canonical_json(p_value jsonb)
returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  -- Guard: almost every value has no number with trailing zeros, and then its text is canonical as it is.
  if p_value::text !~ '\.[0-9]*0([^0-9]|$)' then
    return p_value::text;
  end if;
  return case jsonb_typeof(p_value)
    when 'number' then trim_scale((p_value #>> '{}')::numeric)::text
    when 'array' then (
      select '[' || coalesce(string_agg(tasker.canonical_json(e.value), ', ' order by e.ordinality), '') || ']'
      from jsonb_array_elements(p_value) with ordinality as e)
    when 'object' then (
      select '{' || coalesce(string_agg(to_jsonb(e.key)::text || ': ' || tasker.canonical_json(e.value), ', '
                                        order by length(convert_to(e.key, 'UTF8')), e.key collate "C"), '') || '}'
      from jsonb_each(p_value) as e)
    else p_value::text
  end;
end
$$;
comment on function tasker.canonical_json(jsonb) is 'The canonical text of a JSON value.';
