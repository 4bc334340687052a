-- A mapping with each path in it replaced by its value, null where a member on the way is missing.
-- A string that begins with $ is a path, one that begins with a doubled $ is the text from its
-- second $ on; everything else stays as it is.
-- Errors: as evaluate_value; TK010 when all values together have more than 8 MiB. Locks: none.
-- Source: ADR 0033, ADR 0066.
create or replace function tasker.evaluate_mapping(p_mapping jsonb, p_document jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_path  text;
  v_bytes bigint := 0;
begin
  -- Each path takes ten bytes, and may give all of the document.
  if pg_column_size(p_mapping #> '{}')::bigint / 10 * pg_column_size(p_document #> '{}')
      > 8388608 then
    for v_path in
      select m.value #>> '{}'
      from jsonb_path_query(p_mapping, 'strict $.** ? (@.type() == "string")') as m(value)
      where m.value #>> '{}' ~ '^[$]([^$]|\Z)'
    loop
      v_bytes := v_bytes + coalesce(pg_column_size(tasker.evaluate_value(v_path, p_document)), 0);
      if v_bytes > 8388608 then
        raise exception 'gives more than 8388608 bytes' using errcode = 'TK010', detail = v_path;
      end if;
    end loop;
  end if;
  return tasker.fill_mapping(p_mapping, p_document);
end
$$;
comment on function tasker.evaluate_mapping(jsonb, jsonb) is
  'A mapping with each path in it replaced by its value.';
