-- The nodes of a graph that are on a cycle or behind one: what is left when nodes without incoming
-- edges are taken away until there is none (Kahn's algorithm). Nodes are numbered from 1 to
-- p_nodes; edge i leads from p_from[i] to p_to[i], in any order. Linear in nodes and edges: a graph
-- of ten thousand steps with paths of all lengths between them costs as much as a chain. Locks:
-- none.
create or replace function tasker.find_cyclic_nodes(p_nodes int, p_from int[], p_to int[])
returns int[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_incoming int[] := array_fill(0, array[p_nodes]);
  -- The edges of a node are a chain: its latest one, and of each edge the one before.
  v_latest   int[] := array_fill(0, array[p_nodes]);
  v_before   int[] := array_fill(0, array[greatest(cardinality(p_from), 1)]);
  v_free     int[] := array_fill(0, array[p_nodes]);
  v_freed    int := 0;
  v_node     int;
  v_edge     int;
begin
  for v_edge in 1 .. cardinality(p_from) loop
    v_incoming[p_to[v_edge]] := v_incoming[p_to[v_edge]] + 1;
    v_before[v_edge] := v_latest[p_from[v_edge]];
    v_latest[p_from[v_edge]] := v_edge;
  end loop;
  for v_node in 1 .. p_nodes loop
    if v_incoming[v_node] = 0 then
      v_freed := v_freed + 1;
      v_free[v_freed] := v_node;
    end if;
  end loop;
  for v_next in 1 .. p_nodes loop
    exit when v_next > v_freed;
    v_edge := v_latest[v_free[v_next]];
    while v_edge > 0 loop
      v_node := p_to[v_edge];
      v_incoming[v_node] := v_incoming[v_node] - 1;
      if v_incoming[v_node] = 0 then
        v_freed := v_freed + 1;
        v_free[v_freed] := v_node;
      end if;
      v_edge := v_before[v_edge];
    end loop;
  end loop;
  return array(select n.node::int
               from unnest(v_incoming) with ordinality as n(incoming, node)
               where n.incoming > 0);
end
$$;
comment on function tasker.find_cyclic_nodes(int, int[], int[]) is
  'The nodes of a graph that are on a cycle or behind one.';
