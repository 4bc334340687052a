-- Steps that started too early, too late or twice: one row per finding. Compares times of the
-- history, which are taken from the clock at the moment of writing, under the lock of the task. A
-- claim does not hold that lock, so a claim under way during a cancel request is allowed five
-- seconds. Without nested loops: where statistics are missing or old, one over the whole history
-- would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_order_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with edges as materialized (select e.* from tasker.list_edges() e),
  moves as (
    select h.*
    from tasker.workflow_step_transitions h
    join tasker.workflow_steps s on s.workflow_step_uuid = h.workflow_step_uuid
      and s.created_at >= coalesce(p_since, '-infinity')),
  first_starts as (
    select m.workflow_step_uuid, min(m.created_at) as started_at
    from moves m
    where m.to_state = 'enqueued'
    group by m.workflow_step_uuid),
  all_ends as (
    select m.workflow_step_uuid, m.created_at as ended_at
    from moves m
    where m.to_state in ('complete', 'resolved_manually')),
  ends as (
    select a.workflow_step_uuid, min(a.ended_at) as ended_at
    from all_ends a
    group by a.workflow_step_uuid),
  -- An operator had it run again: until it has ended again, no child may start.
  reruns as (
    select m.workflow_step_uuid, m.created_at as reset_at
    from moves m
    where m.from_state in ('complete', 'resolved_manually')),
  starts_after_a_rerun as (
    select r.workflow_step_uuid, r.reset_at, c.workflow_step_uuid as child_uuid,
           c.created_at as started_at
    from reruns r
    join edges e on e.from_step_uuid = r.workflow_step_uuid
    join moves c on c.workflow_step_uuid = e.to_step_uuid
      and c.to_state = 'enqueued'
      and c.created_at > r.reset_at)
  select 'step_starts_after_its_parents_ended',
         jsonb_build_object('step_uuid', c.workflow_step_uuid, 'started_at', c.started_at,
                            'parent_uuid', e.from_step_uuid, 'parent_ended_at', p.ended_at)
  from first_starts c
  join edges e on e.to_step_uuid = c.workflow_step_uuid
  left join ends p on p.workflow_step_uuid = e.from_step_uuid
  where p.ended_at is null or p.ended_at > c.started_at
  union all
  select 'step_starts_after_its_parents_ended',
         jsonb_build_object('step_uuid', c.child_uuid, 'started_at', c.started_at,
                            'parent_uuid', c.workflow_step_uuid, 'parent_reset_at', c.reset_at)
  from starts_after_a_rerun c
  left join all_ends p on p.workflow_step_uuid = c.workflow_step_uuid
    and p.ended_at > c.reset_at
    and p.ended_at <= c.started_at
  where p.ended_at is null
  union all
  select 'handoff_is_claimed_once',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'handoff', m.handoff,
                            'times', count(*))
  from moves m
  where m.to_state = 'in_progress'
  group by m.workflow_step_uuid, m.handoff
  having count(*) > 1
  union all
  select 'nothing_starts_after_a_cancel_request',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'to_state', m.to_state,
                            'at', m.created_at, 'cancel_requested_at', t.cancel_requested_at)
  from tasker.tasks t
  join moves m on m.task_uuid = t.task_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = m.workflow_step_uuid
  -- What compensates runs because of the request.
  where s.compensates_step_uuid is null
    and ((m.to_state = 'enqueued' and m.created_at > t.cancel_requested_at)
         or (m.to_state = 'in_progress'
             and m.created_at > t.cancel_requested_at + interval '5 seconds'))
$$;
comment on function tasker.find_order_violations(timestamptz) is
  'Steps that started too early, too late or twice: one row per finding.';
