-- The canonical text of a JSON value: jsonb itself normalises key order, white space, duplicate
-- keys and escapes; this function also normalises the scale of numbers (1.0 and 1). Numbers keep
-- their full precision, which RFC 8785 would reduce to a double.
create or replace function tasker.canonical_json(p_value jsonb)
returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  -- Guard: almost every value has no number with trailing zeros, and then its text is canonical as
  -- it is.
  if p_value::text !~ '\.[0-9]*0([^0-9]|$)' then
    return p_value::text;
  end if;
  -- In one pass, because a search by element costs seconds for a long list: a string as it is, a
  -- fraction without its trailing zeros.
  return regexp_replace(
    p_value::text, '("(?:[^"\\]|\\.)*")|(\.[0-9]*[1-9])0+(?![0-9])|\.0+(?![0-9])', '\1\2', 'g');
end
$$;
comment on function tasker.canonical_json(jsonb) is 'The canonical text of a JSON value.';
