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
    select c.workflow_step_uuid
    from reachable r
    cross join lateral tasker.get_child_steps(r.step_uuid) c)
  select exists (select from reachable r where r.step_uuid = $1)
$$;
comment on function tasker.detect_cycle(uuid, uuid) is
  'Whether an edge from one step to another would close a cycle.';
