-- Whether an edge from one step to another would close a cycle, including the edge from a step to
-- itself. UNION, not UNION ALL: every step is visited once, so the cost is linear in the edges
-- reached.
create or replace function tasker.detect_cycle(from_step_uuid uuid, to_step_uuid uuid)
returns boolean
language sql stable parallel safe
as $$
  with recursive reachable(step_uuid) as (
    select $2
    union
    select e.to_step_uuid
    from reachable r
    join tasker.workflow_step_edges e on e.from_step_uuid = r.step_uuid)
  select exists (select from reachable r where r.step_uuid = $1)
$$;
comment on function tasker.detect_cycle(uuid, uuid) is
  'Whether an edge from one step to another would close a cycle.';
