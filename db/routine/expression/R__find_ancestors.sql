-- The steps of a graph with all their ancestors: a row for each step with a number, counted from 0,
-- and a bit for each step, at its number, that is set for the ancestors. A step in a cycle, or
-- behind one, has all bits set: nothing is known of it.
-- p_graph: an object, the names of the steps with an array of the names of their parents; parents
-- that do not exist are ignored. Bits, because a chain of thousands of steps has millions of pairs
-- of a step and an ancestor.
-- Locks: none. Source: ADR 0033.
create or replace function tasker.find_ancestors(p_graph jsonb)
returns table (step text, number int, ancestors bit varying)
language plpgsql immutable
set search_path = '' set jit = off set enable_nestloop = off
as $$
declare
  v_names     text[];
  v_children  int[];
  v_first     int[];
  v_open      int[];
  v_queue     int[];
  v_ancestors bit varying[];
  v_total     int;
  v_next      int := 1;
  v_step      int;
  v_child     int;
begin
  -- The children of each step one after another; those of step n begin at v_first[n].
  with steps as materialized (
    select g.key as name, g.value as parents, row_number() over (order by g.key)::int as number
    from jsonb_each(p_graph) g),
  edges as materialized (
    select distinct p.number as parent, c.number as child
    from steps c
    cross join lateral jsonb_array_elements_text(c.parents) as d(name)
    join steps p on p.name = d.name),
  counts as (
    select s.number, s.name, coalesce(k.children, 0) as children, coalesce(u.parents, 0) as parents
    from steps s
    left join (select e.parent, count(*)::int as children from edges e group by e.parent) k
      on k.parent = s.number
    left join (select e.child, count(*)::int as parents from edges e group by e.child) u
      on u.child = s.number),
  places as (
    select c.*, 1 + sum(c.children) over (order by c.number) - c.children as first from counts c)
  select (select array_agg(e.child order by e.parent, e.child) from edges e),
         array_agg(p.name order by p.number),
         array_agg(p.first::int order by p.number) || (1 + sum(p.children))::int,
         array_agg(p.parents order by p.number),
         array_agg(p.number order by p.number) filter (where p.parents = 0), count(*)
    into v_children, v_names, v_first, v_open, v_queue, v_total
  from places p;
  if v_total = 0 then
    return;
  end if;
  v_ancestors := array_fill(repeat('0', v_total)::bit varying, array[v_total]);

  -- A step comes up when all of its parents have.
  while v_next <= cardinality(v_queue) loop
    v_step := v_queue[v_next];
    v_next := v_next + 1;
    for v_place in v_first[v_step] .. v_first[v_step + 1] - 1 loop
      v_child := v_children[v_place];
      v_ancestors[v_child] := set_bit(v_ancestors[v_child] | v_ancestors[v_step], v_step - 1, 1);
      v_open[v_child] := v_open[v_child] - 1;
      if v_open[v_child] = 0 then
        v_queue := v_queue || v_child;
      end if;
    end loop;
  end loop;
  for v_step in 1 .. v_total loop
    step := v_names[v_step];
    number := v_step - 1;
    ancestors := case when v_open[v_step] > 0 then repeat('1', v_total)::bit varying
                      else v_ancestors[v_step] end;
    return next;
  end loop;
end
$$;
comment on function tasker.find_ancestors(jsonb) is
  'The steps of a graph with all their ancestors, as bits.';
