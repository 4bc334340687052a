-- Checks a path (SQL/JSON path) over the document of get_expression_document: one row for each
-- problem, none for a valid path. PostgreSQL parses it. A member of the document that does not
-- exist is a problem, and so is $.results.x for a step x that is not in p_steps, an object of names
-- with a number each, or whose bit of that number, counted from 0, is not set in p_ancestors; null
-- for either leaves that check out. Members that are chosen at run time ($.results.*, a filter) are
-- not checked: the document has results of ancestors only.
-- A path that reads a list again for each of its elements, and whatever else measure_path refuses,
-- is a problem. unknown_step is the name that is not in p_steps, for a caller that suggests
-- another. Locks: none.
create or replace function tasker.check_path(
  p_path text, p_steps jsonb default null, p_ancestors bit varying default null)
returns table (message text, unknown_step text)
language plpgsql immutable
set search_path = ''
as $$
declare
  v_normal text;
begin
  if length(p_path) > 4000 then
    return query
    select format('must have at most 4000 characters, but has %s', length(p_path)), null::text;
    return;
  end if;
  begin
    v_normal := p_path::jsonpath::text;
  exception when others then
    return query select 'is not a valid path: ' || sqlerrm, null::text;
    return;
  end;
  -- PostgreSQL writes every name and text in quotes, a name behind a dot. What follows a $ is found
  -- token by token, so that no text is taken for a name.
  return query
  with tokens as materialized (
    select m.n, m.token[1] as token, lead(m.token[1]) over (order by m.n) as second,
           lead(m.token[1], 2) over (order by m.n) as third
    from regexp_matches(v_normal, '\.?"(?:[^"\\]|\\.)*"|\.\*+|.',
                        'g') with ordinality as m(token, n)),
  roots as (
    select t.n, t.second,
           case when t.second like '."%' then substr(t.second, 2)::jsonb #>> '{}' end as root,
           case when t.third like '."%' then substr(t.third, 2)::jsonb #>> '{}' end as member
    from tokens t
    where t.token = '$'),
  problems as (
    select r.n,
           format('there is no variable $%s: a path begins with $.context, $.results or $.task',
                  r.second::jsonb #>> '{}') as message,
           null as unknown_step
    from roots r
    where r.second like '"%'
    union all
    -- Most paths have neither lists nor patterns.
    select null, m.o_problem, null
    from (select where v_normal ~ '[?[*]|like_regex' or length(v_normal) > 64) p
    cross join lateral tasker.measure_path(v_normal, null, 0, 'Infinity') m
    where m.o_problem is not null
    union all
    select r.n,
           format('there is no member "%s" in the document: it has context, results and task',
                  r.root),
           null
    from roots r
    where r.root not in ('context', 'results', 'task')
    union all
    select r.n,
           format('there is no member "%s" in task: it has attempt, correlation_id, created_at, '
                  'name, namespace, priority, uuid and version',
                  r.member),
           null
    from roots r
    where r.root = 'task'
      and r.member not in ('attempt', 'correlation_id', 'created_at', 'name', 'namespace',
                           'priority', 'uuid', 'version')
    union all
    select r.n, format('there is no step "%s"', r.member), r.member
    from roots r
    where r.root = 'results' and not p_steps ? r.member
    union all
    select r.n,
           format('step "%s" is no ancestor of this step, so that its result is not there yet',
                  r.member),
           null
    from roots r
    where r.root = 'results'
      and p_steps ? r.member
      and get_bit(p_ancestors, (p_steps ->> r.member)::int) = 0)
  select p.message, p.unknown_step
  from problems p
  group by p.message, p.unknown_step
  order by min(p.n);
end
$$;
comment on function tasker.check_path(text, jsonb, bit varying) is
  'Checks a path (SQL/JSON path) over the document of get_expression_document: one row for each '
  'problem, none for a valid path.';
