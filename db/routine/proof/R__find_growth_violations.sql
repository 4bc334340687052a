-- Steps that no decision accounts for, and decisions that were not carried out: one row per
-- finding. The first move of a grown step names its decision and its parents. Without nested loops:
-- where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0033, docs/reference/invariants.md.
create or replace function tasker.find_growth_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with tasks as (
    select t.* from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  -- Every step that a decision has to account for, with what its first move says.
  grown as materialized (
    select s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, n.named_task_uuid, n.step_position,
           n.parent_positions, t.cancel_requested_at, h.created_at as created_at, h.metadata,
           nullif(h.metadata ->> 'decision', '')::uuid as decision_uuid
    from tasker.workflow_steps s
    join tasks t on t.task_uuid = s.task_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
      and n.growth_rank is not null
    left join tasker.workflow_step_transitions h on h.workflow_step_uuid = s.workflow_step_uuid
      and h.sort_key = 1
    where s.name is null),
  outcomes as materialized (
    select o.*, s.workflow_step_uuid is not null and s.is_decision as is_of_a_decision, s.state,
           r.handoff as result_handoff, r.outcome as result_outcome, r.recorded_at as result_at,
           r.result,
           n.rules is not null
             and n.handler_callable is null
             and t.erased_at is null as has_rules,
           count(*) over (partition by o.task_uuid) as decisions
    from tasker.decision_outcomes o
    left join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
      and s.task_uuid = o.task_uuid
    left join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
      and r.sort_key = s.result_sort_key
    left join tasker.tasks t on t.task_uuid = o.task_uuid
    where coalesce(t.created_at, 'infinity') >= coalesce(p_since, '-infinity')),
  created as (select g.decision_uuid, count(*) as steps from grown g group by g.decision_uuid),
  told_edges as (
    select p.value::uuid as from_step_uuid, g.workflow_step_uuid as to_step_uuid
    from grown g
    cross join lateral jsonb_array_elements_text(g.metadata -> 'parents') as p),
  grown_edges as (
    select p.workflow_step_uuid as from_step_uuid, g.workflow_step_uuid as to_step_uuid
    from grown g
    join tasker.added_step_edges e on e.task_uuid = g.task_uuid and e.to_position = g.step_position
    left join tasker.workflow_steps p on p.task_uuid = e.task_uuid
      and p.step_position = e.from_position
    -- Those of added steps are told by the added steps.
    where p.name is null),
  -- What the edges of a grown step must be: from each of its parents in the template that is there.
  template_edges as (
    select p.workflow_step_uuid as from_step_uuid, u.workflow_step_uuid as to_step_uuid
    from (select g.workflow_step_uuid, g.task_uuid, unnest(g.parent_positions) as position
          from grown g) u
    join tasker.workflow_steps p on p.task_uuid = u.task_uuid
      and p.step_position = u.position
      and p.name is null)
  select 'grown_step_has_its_decision',
         jsonb_build_object('step_uuid', g.workflow_step_uuid, 'task_uuid', g.task_uuid,
                            'decision_uuid', g.decision_uuid, 'decision_state', o.state)
  from grown g
  left join outcomes o on o.workflow_step_uuid = g.decision_uuid and o.task_uuid = g.task_uuid
  where o.created_steps is null
    or o.state is null
    or o.state not in ('complete', 'resolved_manually')
    or g.created_at > g.cancel_requested_at
  union all
  select 'grown_step_has_its_decision',
         jsonb_build_object('decision_uuid', o.workflow_step_uuid, 'task_uuid', o.task_uuid,
                            'created_steps', o.created_steps, 'counted', coalesce(c.steps, 0))
  from outcomes o
  left join created c on c.decision_uuid = o.workflow_step_uuid
  where coalesce(o.created_steps, 0) <> coalesce(c.steps, 0)
  union all
  -- Decisions that lead to each other count up; the first one does not follow from any. One that
  -- rules made says in its result what it chose.
  select 'decision_is_that_of_a_result',
         jsonb_build_object('decision_uuid', o.workflow_step_uuid, 'task_uuid', o.task_uuid,
                            'depth', o.depth, 'handoff', o.handoff,
                            'result_handoff', o.result_handoff, 'chosen', o.chosen)
  from outcomes o
  left join grown g on g.workflow_step_uuid = o.workflow_step_uuid
  left join outcomes p on p.workflow_step_uuid = g.decision_uuid
  where o.depth <= coalesce(p.depth, 0)
    or (g.workflow_step_uuid is null and o.depth <> 1)
    or o.depth > o.decisions
    or (o.state = 'complete' and o.handoff <> o.result_handoff)
    or (o.state = 'complete'
        and o.decided_at not between o.result_at - interval '10 minutes' and o.result_at
          + interval '10 minutes')
    or (o.state = 'complete'
        and o.result_outcome = 'success'
        and o.has_rules
        and (o.result -> 'chosen',
             o.result ->> 'reason') is distinct from (to_jsonb(o.chosen), o.reason::text))
  union all
  select 'grown_edge_has_its_decision',
         jsonb_build_object('from_step_uuid', coalesce(e.from_step_uuid, k.from_step_uuid),
                            'to_step_uuid', coalesce(e.to_step_uuid, k.to_step_uuid),
                            'is_there', e.from_step_uuid is not null)
  from grown_edges e
  full join told_edges k on k.from_step_uuid = e.from_step_uuid and k.to_step_uuid = e.to_step_uuid
  where e.from_step_uuid is null or k.from_step_uuid is null
  union all
  select 'grown_edge_has_its_decision',
         jsonb_build_object('from_step_uuid', coalesce(e.from_step_uuid, t.from_step_uuid),
                            'to_step_uuid', coalesce(e.to_step_uuid, t.to_step_uuid),
                            'in_template', t.from_step_uuid is not null)
  from grown_edges e
  full join template_edges t on t.from_step_uuid = e.from_step_uuid
    and t.to_step_uuid = e.to_step_uuid
  left join grown g on g.workflow_step_uuid = e.to_step_uuid
  -- Beside the parents of the template only the decision itself.
  where e.from_step_uuid is null
    or (t.from_step_uuid is null and e.from_step_uuid is distinct from g.decision_uuid)
  union all
  select 'decision_is_carried_out',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid,
                            'state', s.state, 'created_steps', o.created_steps)
  from tasker.workflow_steps s
  join tasks t on t.task_uuid = s.task_uuid
  left join outcomes o on o.workflow_step_uuid = s.workflow_step_uuid
  where s.is_decision and s.state in ('complete', 'resolved_manually') and o.created_steps is null
  union all
  select 'decision_is_carried_out',
         jsonb_build_object('step_uuid', o.workflow_step_uuid, 'task_uuid', o.task_uuid,
                            'state', o.state, 'created_steps', o.created_steps)
  from outcomes o
  where o.is_of_a_decision is not true
    or (o.created_steps is not null and o.state not in ('complete', 'resolved_manually'))
  union all
  -- While another decision above it is open, a chosen step may not be there yet.
  select 'decision_is_carried_out',
         jsonb_build_object('step_uuid', c.workflow_step_uuid, 'task_uuid', c.task_uuid,
                            'chosen', c.name)
  from (select o.workflow_step_uuid, o.task_uuid, unnest(o.chosen) as name from outcomes o) c
  join tasks t on t.task_uuid = c.task_uuid and t.state = 'complete'
  left join tasker.named_steps ns on ns.named_task_uuid = t.named_task_uuid and ns.name = c.name
  left join grown g on g.task_uuid = c.task_uuid and g.named_step_uuid = ns.named_step_uuid
  where g.workflow_step_uuid is null
$$;
comment on function tasker.find_growth_violations(timestamptz) is
  'Steps that no decision accounts for, and decisions that were not carried out: one row per '
  'finding.';
