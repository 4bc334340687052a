-- The items of batch_config.items: all values that a path gives, in their order, where it leads to
-- elements of lists. In its lax mode a path wraps what is no list: rows[*] of an object gives the
-- object. Here [*] and every other subscript needs a list, and a path without any has to run into
-- one on its way ($.context.rows.id). A null, or a missing member, in place of a list gives
-- nothing. o_complaint: what the path leads to instead of a list; o_items is null then.
-- Errors: as evaluate_list. Immutable. Locks: none. Source: docs/batches.md.
create or replace function tasker.evaluate_items(
  p_path text, p_document jsonb, out o_items jsonb, out o_complaint text)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_path   text;
  v_depth  int := 0;
  v_quoted boolean := false;
  v_letter text;
  v_before text;
  v_types  jsonb;
  v_other  text;
  v_lists  boolean := false;
begin
  o_items := tasker.evaluate_list(p_path, p_document);
  if o_items = '[]' then
    return;
  end if;
  -- As PostgreSQL writes it, every member is quoted.
  v_path := p_path::jsonpath::text;
  -- One with an operator is a calculation, and descends to any depth where it says .**; neither has
  -- lists on its way.
  if v_path !~ '^(strict )?\$' or v_path ~ '\.\*\*' then
    return;
  end if;
  for i in 2 + position('$' in v_path) - 1 .. length(v_path) loop
    v_letter := substr(v_path, i, 1);
    if v_quoted then
      v_quoted := v_letter <> '"'
        or substr(v_path, i - 1, 1) = '\' and substr(v_path, i - 2, 1) <> '\';
    elsif v_letter = '"' then
      v_quoted := true;
    else
      if v_depth = 0 and v_letter in ('.', '[', '?') then
        v_before := left(v_path, i - 1);
        if v_letter = '.' and substr(v_path, i) ~ '^\.(\*|keyvalue\(\))' then
          v_lists := true;
        elsif v_letter = '[' or substr(v_path, i) !~ '^\.(type|size)\(\)' then
          v_types := tasker.evaluate_list(v_before || '.type()', p_document);
          v_lists := v_lists or v_types ? 'array';
          if v_letter = '[' then
            select t.type into v_other
            from jsonb_array_elements_text(v_types) as t(type)
            where t.type not in ('array', 'null') limit 1;
            if v_other is not null then
              o_complaint := format('the path has a value of type %s where a list is expected',
                                    v_other);
              o_items := null;
              return;
            end if;
          end if;
        end if;
      end if;
      v_depth := v_depth
        + case when v_letter in ('[', '(') then 1 when v_letter in (']', ')') then -1 else 0 end;
    end if;
  end loop;
  if v_types ? 'null' and v_path like '%[*]' then
    -- The last lists, without the nulls among them.
    select coalesce(jsonb_agg(e.value order by l.ordinality, e.ordinality), '[]') into o_items
    from jsonb_array_elements(
      tasker.evaluate_list(left(v_path, -3), p_document)) with ordinality as l
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(l.value) when 'array' then l.value end) with ordinality as e;
  elsif not v_lists then
    -- One value, which the path names.
    o_complaint := case jsonb_typeof(o_items -> 0)
      when 'null' then null
      when 'array' then 'the path gives a list as one item; end it with [*] for its elements'
      else format('the path gives a value of type %s where a list is expected',
                  jsonb_typeof(o_items -> 0)) end;
    o_items := case when o_complaint is null then '[]'::jsonb end;
  end if;
end
$$;
comment on function tasker.evaluate_items(text, jsonb) is
  'The items of batch_config.items: all values that a path gives, in their order, where it leads '
  'to elements of lists.';
