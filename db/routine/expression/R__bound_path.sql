-- Refuses a path that would read too much of a document, before it is evaluated: more than 1 000
-- 000 values, which take PostgreSQL about a quarter of a second and 50 MB, or results of more than
-- 8 MiB. Returns how many it reads, at most.
-- Errors: TK010, also for a path that check_path refuses for the same reason: one that was
-- registered before. Locks: none. Source: ADR 0066.
create or replace function tasker.bound_path(p_path text, p_document jsonb)
returns double precision
language plpgsql immutable
set search_path = ''
as $$
declare
  v_limit   constant double precision := 1000000;
  -- An array takes four bytes for each value, and those of its own.
  v_nodes   bigint := pg_column_size(p_document #> '{}') / 4;
  v_normal  text := p_path::jsonpath::text;
  v_measure record;
  v_value   jsonb;
  v_bytes   bigint := 0;
begin
  v_measure := tasker.measure_path(v_normal, null, v_nodes, v_limit);
  if v_measure.o_problem is null and v_measure.o_reads > v_limit then
    v_measure := tasker.measure_path(v_normal, p_document, v_nodes, v_limit);
  end if;
  if v_measure.o_problem is not null then
    raise exception '%', v_measure.o_problem using errcode = 'TK010', detail = p_path;
  end if;
  if v_measure.o_reads > v_limit then
    raise exception 'would read more than % values: a list in a filter or a comparison is read '
                    'again for each element of another', v_limit
      using errcode = 'TK010', detail = p_path;
  end if;
  -- What is chosen several times is written several times.
  if v_normal ~ '[*][*]|,|keyvalue' then
    for v_value in select jsonb_path_query(p_document, p_path::jsonpath) loop
      v_bytes := v_bytes + pg_column_size(v_value);
      if v_bytes > 8388608 then
        raise exception 'gives more than 8388608 bytes' using errcode = 'TK010', detail = p_path;
      end if;
    end loop;
  end if;
  return v_measure.o_reads;
end
$$;
comment on function tasker.bound_path(text, jsonb) is
  'Refuses a path that would read too much of a document, before it is evaluated, and returns how '
  'many values it reads, at most.';
