-- Checks an expression: one row for each problem, none for a valid one. pointer is the place in the
-- expression as a JSON pointer, empty for all of it; unknown_step is as in check_path, which also
-- explains p_steps and p_ancestors.
-- p_kind: predicate, value and list are a path, a JSON string; mapping is an object. In a mapping,
-- each string at any depth that begins with $ is a path, and one that begins with a doubled $ is
-- the text from its second $ on.
-- Locks: none. Errors: TK007 for another kind. Source: ADR 0033.
create or replace function tasker.check_expression(
  p_expression jsonb, p_kind text, p_steps jsonb default null, p_ancestors bit varying default null)
returns table (pointer text, message text, unknown_step text)
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_kind is null or p_kind not in ('predicate', 'value', 'list', 'mapping') then
    raise exception 'kind must be predicate, value, list or mapping, not %',
      coalesce(p_kind, 'null')
      using errcode = 'TK007';
  end if;
  if p_kind = 'mapping' then
    if jsonb_typeof(p_expression) is distinct from 'object' then
      return query select '', 'must be an object', null::text;
      return;
    end if;
    return query
    with recursive places(pointer, value, n) as (
      select '', p_expression, array[0]::bigint[]
      union all
      select p.pointer || '/' || replace(replace(m.name, '~', '~0'), '/', '~1'), m.value, p.n || m.n
      from places p
      cross join lateral (
        select o.key as name, o.value, o.ordinality as n
        from jsonb_each(case when jsonb_typeof(p.value) = 'object' then p.value
                             else '{}' end) with ordinality as o
        union all
        select (a.ordinality - 1)::text, a.value, a.ordinality
        from jsonb_array_elements(case when jsonb_typeof(p.value) = 'array' then p.value
                                       else '[]' end) with ordinality as a) m)
    select p.pointer, c.message, c.unknown_step
    from places p
    cross join lateral tasker.check_path(p.value #>> '{}', p_steps, p_ancestors) c
    where jsonb_typeof(p.value) = 'string' and p.value #>> '{}' ~ '^[$]([^$]|\Z)'
    order by p.n;
  elsif jsonb_typeof(p_expression) is distinct from 'string' then
    return query select '', 'must be a text, a path', null::text;
  else
    return query
    select '', c.message, c.unknown_step
    from tasker.check_path(p_expression #>> '{}', p_steps, p_ancestors) c;
  end if;
end
$$;
comment on function tasker.check_expression(jsonb, text, jsonb, bit varying) is
  'Checks an expression: one row for each problem, none for a valid one.';
