-- The positions of the steps downstream of a decision, in an order in which each comes after its
-- parents: every step that a task of the template does not begin with.
-- p_steps: the steps of a template in its normal form. Locks: none.
create or replace function tasker.rank_grown_steps(p_steps jsonb)
returns int[]
language plpgsql immutable
set search_path = ''
as $$
declare
  v_total    int := jsonb_array_length(p_steps);
  v_children int[];
  v_first    int[];
  v_open     int[];
  v_decision boolean[];
  v_grown    boolean[] := array_fill(false, array[v_total]);
  v_queue    int[];
  v_next     int := 1;
  v_step     int;
  v_child    int;
  v_ranked   int[] := '{}';
begin
  -- The children of each step one after another; those of step n begin at v_first[n].
  with steps as materialized (
    select s.ordinality::int as position, s.value ->> 'name' as name,
           coalesce(s.value -> 'dependencies', '[]') as parents,
           s.value ->> 'type' = 'decision' as is_decision
    from jsonb_array_elements(p_steps) with ordinality as s),
  edges as materialized (
    select p.position as parent, c.position as child
    from steps c
    cross join lateral jsonb_array_elements_text(c.parents) as d(name)
    join steps p on p.name = d.name),
  counts as (
    select s.position, s.is_decision, coalesce(k.children, 0) as children,
           coalesce(u.parents, 0) as parents
    from steps s
    left join (select e.parent, count(*)::int as children from edges e group by e.parent) k
      on k.parent = s.position
    left join (select e.child, count(*)::int as parents from edges e group by e.child) u
      on u.child = s.position),
  places as (
    select c.*, 1 + sum(c.children) over (order by c.position) - c.children as first from counts c)
  select (select array_agg(e.child order by e.parent, e.child) from edges e),
         array_agg(p.first::int order by p.position) || (1 + sum(p.children))::int,
         array_agg(p.parents order by p.position),
         array_agg(coalesce(p.is_decision, false) order by p.position),
         array_agg(p.position order by p.position) filter (where p.parents = 0)
    into v_children, v_first, v_open, v_decision, v_queue
  from places p;

  -- A step comes up when all of its parents have.
  while v_next <= cardinality(v_queue) loop
    v_step := v_queue[v_next];
    v_next := v_next + 1;
    if v_grown[v_step] then
      v_ranked := v_ranked || v_step;
    end if;
    for v_place in v_first[v_step] .. v_first[v_step + 1] - 1 loop
      v_child := v_children[v_place];
      v_grown[v_child] := v_grown[v_child] or v_grown[v_step] or v_decision[v_step];
      v_open[v_child] := v_open[v_child] - 1;
      if v_open[v_child] = 0 then
        v_queue := v_queue || v_child;
      end if;
    end loop;
  end loop;
  return v_ranked;
end
$$;
comment on function tasker.rank_grown_steps(jsonb) is
  'The positions of the steps downstream of a decision, in an order in which each comes after its '
  'parents.';
