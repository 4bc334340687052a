-- Orphaned rows, and graphs that differ from their template: one row per finding. Without nested loops: where statistics
-- are missing or old, one over the whole history would never end.
-- Locks: none. Source: design section 4, docs/promises.md.
create or replace function tasker.find_reference_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with recursive template_edges as materialized (
    select n.named_task_uuid, u.position as parent_position, n.step_position, n.named_step_uuid, nt.total_steps
    from tasker.named_tasks_named_steps n
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    cross join lateral unnest(n.parent_positions) as u(position)),
  -- Where each parent stands before its child the order itself proves that there is no cycle; only the other templates are walked.
  walked as materialized (
    select e.named_task_uuid from template_edges e where e.parent_position >= e.step_position group by e.named_task_uuid),
  levels(named_task_uuid, step_position, level) as (
    select n.named_task_uuid, n.step_position, 0
    from walked w
    join tasker.named_tasks_named_steps n on n.named_task_uuid = w.named_task_uuid
    where n.parent_positions = '{}'
    union
    -- The bound ends the walk on a cycle: no acyclic path is longer than the number of steps of the template.
    select e.named_task_uuid, e.step_position, l.level + 1
    from levels l
    join template_edges e on e.named_task_uuid = l.named_task_uuid and e.parent_position = l.step_position and l.level < e.total_steps),
  reached as (
    select l.named_task_uuid, l.step_position, max(l.level) as level from levels l group by l.named_task_uuid, l.step_position),
  added as materialized (
    select s.workflow_step_uuid, s.task_uuid from tasker.workflow_steps s where s.name is not null),
  -- The edges that were added with them, recorded in their first move.
  told_edges as (
    select p.value::uuid as from_step_uuid, a.workflow_step_uuid as to_step_uuid
    from added a
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = a.workflow_step_uuid and h.sort_key = 1
    cross join lateral jsonb_array_elements_text(h.metadata -> 'parents') as p
    union all
    select a.workflow_step_uuid, c.value::uuid
    from added a
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = a.workflow_step_uuid and h.sort_key = 1
    cross join lateral jsonb_array_elements_text(h.metadata -> 'children') as c),
  added_edges as (
    select e.from_step_uuid, e.to_step_uuid from added a join tasker.workflow_step_edges e on e.to_step_uuid = a.workflow_step_uuid
    union
    select e.from_step_uuid, e.to_step_uuid from added a join tasker.workflow_step_edges e on e.from_step_uuid = a.workflow_step_uuid),
  grown_tasks as (
    select t.task_uuid, t.total_steps from tasker.tasks t where t.task_uuid in (select a.task_uuid from added a)),
  grown_steps as materialized (
    select s.workflow_step_uuid, s.task_uuid, t.total_steps from grown_tasks t join tasker.workflow_steps s on s.task_uuid = t.task_uuid),
  grown_edges as materialized (
    select e.from_step_uuid, e.to_step_uuid, s.total_steps from grown_steps s join tasker.workflow_step_edges e on e.to_step_uuid = s.workflow_step_uuid),
  grown_levels(step_uuid, level) as (
    select s.workflow_step_uuid, 0 from grown_steps s left join grown_edges e on e.to_step_uuid = s.workflow_step_uuid where e.to_step_uuid is null
    union
    select e.to_step_uuid, l.level + 1 from grown_levels l join grown_edges e on e.from_step_uuid = l.step_uuid and l.level < e.total_steps),
  grown_reached as (
    select l.step_uuid, max(l.level) as level from grown_levels l group by l.step_uuid)
  select 'template_has_no_cycle', jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position)
  from walked w
  join tasker.named_tasks_named_steps n on n.named_task_uuid = w.named_task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  left join reached r on r.named_task_uuid = n.named_task_uuid and r.step_position = n.step_position
  where r.level is null or r.level >= nt.total_steps
  union all
  select 'edge_is_one_of_the_template', jsonb_build_object('from_step_uuid', e.from_step_uuid, 'to_step_uuid', e.to_step_uuid)
  from tasker.workflow_step_edges e
  left join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid and p.task_uuid = e.task_uuid
  left join tasker.workflow_steps c on c.workflow_step_uuid = e.to_step_uuid and c.task_uuid = e.task_uuid
  left join template_edges t on t.named_step_uuid = c.named_step_uuid and t.parent_position = p.step_position
  -- For the edges of an added step it suffices here that both ends are in the task.
  -- Those of a step that a decision created are find_growth_violations's.
  left join tasker.named_tasks_named_steps g on g.named_step_uuid = c.named_step_uuid
  where t.step_position is null and coalesce(p.name, c.name) is null and g.growth_rank is null or p.workflow_step_uuid is null or c.workflow_step_uuid is null
  union all
  select 'added_edge_is_in_the_history',
         jsonb_build_object('from_step_uuid', coalesce(e.from_step_uuid, k.from_step_uuid), 'to_step_uuid', coalesce(e.to_step_uuid, k.to_step_uuid),
                            'is_there', e.from_step_uuid is not null)
  from added_edges e
  full join told_edges k on k.from_step_uuid = e.from_step_uuid and k.to_step_uuid = e.to_step_uuid
  where e.from_step_uuid is null or k.from_step_uuid is null
  union all
  select 'grown_task_has_no_cycle', jsonb_build_object('task_uuid', s.task_uuid, 'step_uuid', s.workflow_step_uuid)
  from grown_steps s
  left join grown_reached r on r.step_uuid = s.workflow_step_uuid
  where r.level is null or r.level >= s.total_steps
  union all
  select 'history_belongs_to_a_task', jsonb_build_object('task_uuid', h.task_uuid, 'sort_key', h.sort_key)
  from tasker.task_transitions h
  left join tasker.tasks t on t.task_uuid = h.task_uuid
  left join tasker.purged_tasks g on g.task_uuid = h.task_uuid
  where h.created_at >= coalesce(p_since, '-infinity') and t.task_uuid is null and g.task_uuid is null
  union all
  select 'history_belongs_to_a_step', jsonb_build_object('step_uuid', h.workflow_step_uuid, 'sort_key', h.sort_key)
  from tasker.workflow_step_transitions h
  left join tasker.workflow_steps s on s.workflow_step_uuid = h.workflow_step_uuid and s.task_uuid = h.task_uuid
  left join tasker.purged_tasks g on g.task_uuid = h.task_uuid
  where h.created_at >= coalesce(p_since, '-infinity') and s.workflow_step_uuid is null and g.task_uuid is null
  union all
  select 'result_belongs_to_a_step', jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key)
  from tasker.workflow_step_result_audit r
  left join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid and s.task_uuid = r.task_uuid
  where r.recorded_at >= coalesce(p_since, '-infinity') and s.workflow_step_uuid is null
  union all
  select 'purged_task_is_gone', jsonb_build_object('task_uuid', g.task_uuid, 'purged_at', g.purged_at)
  from tasker.purged_tasks g
  join tasker.tasks t on t.task_uuid = g.task_uuid
  union all
  select 'task_belongs_to_a_template', jsonb_build_object('task_uuid', t.task_uuid, 'named_task_uuid', t.named_task_uuid)
  from tasker.tasks t
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.created_at >= coalesce(p_since, '-infinity') and nt.named_task_uuid is null
  union all
  select 'step_belongs_to_a_task', jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid)
  from tasker.workflow_steps s
  left join tasker.tasks t on t.task_uuid = s.task_uuid
  where s.created_at >= coalesce(p_since, '-infinity') and t.task_uuid is null
  union all
  select 'task_has_its_steps', jsonb_build_object('task_uuid', t.task_uuid, 'steps', count(s.task_uuid), 'total_steps', t.total_steps)
  from tasker.tasks t
  left join tasker.workflow_steps s on s.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
  group by t.task_uuid, t.total_steps having count(s.task_uuid) <> t.total_steps
  union all
  select 'context_belongs_to_a_task', jsonb_build_object('task_uuid', coalesce(t.task_uuid, c.task_uuid))
  from tasker.tasks t
  full join tasker.task_contexts c on c.task_uuid = t.task_uuid
  where (t.task_uuid is null and p_since is null) or (c.task_uuid is null and t.created_at >= coalesce(p_since, '-infinity'))
  union all
  select 'wakeup_belongs_to_a_task', jsonb_build_object('task_uuid', w.task_uuid)
  from tasker.task_wakeups w
  left join tasker.tasks t on t.task_uuid = w.task_uuid
  where t.task_uuid is null
  union all
  select 'document_belongs_to_a_step', jsonb_build_object('step_uuid', d.workflow_step_uuid)
  from tasker.workflow_step_documents d
  left join tasker.workflow_steps s on s.workflow_step_uuid = d.workflow_step_uuid and s.task_uuid = d.task_uuid
  where s.workflow_step_uuid is null
  union all
  -- These tables have foreign keys, but a restore without them, or a program that disables them, can still leave orphans.
  select 'dead_letter_belongs_to_a_task', jsonb_build_object('dlq_entry_uuid', d.dlq_entry_uuid, 'task_uuid', d.task_uuid)
  from tasker.tasks_dlq d
  left join tasker.tasks t on t.task_uuid = d.task_uuid
  where t.task_uuid is null
  union all
  select 'slot_belongs_to_its_task', jsonb_build_object('holder_uuid', c.holder_uuid, 'policy_uuid', c.policy_uuid, 'task_uuid', c.task_uuid)
  from tasker.concurrency_slots c
  left join tasker.tasks t on t.task_uuid = c.task_uuid
  left join tasker.concurrency_policies p on p.policy_uuid = c.policy_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = c.holder_uuid and s.task_uuid = c.task_uuid
  where t.task_uuid is null or p.policy_uuid is null
     or case p.counts when 'tasks' then c.holder_uuid <> c.task_uuid else s.workflow_step_uuid is null end
  union all
  select 'recovery_record_belongs_to_a_task', jsonb_build_object('task_uuid', r.task_uuid, 'table', r.name)
  from (select w.task_uuid, 'unclaimed_offers' as name from tasker.unclaimed_offers w
        union all select f.task_uuid, 'task_faults' from tasker.task_faults f) r
  left join tasker.tasks t on t.task_uuid = r.task_uuid
  where t.task_uuid is null
  union all
  select 'unclaimed_offer_is_one_of_its_task', jsonb_build_object('task_uuid', o.task_uuid, 'step_uuid', o.workflow_step_uuid, 'handoff', o.handoff)
  from tasker.unclaimed_offers o
  join tasker.tasks t on t.task_uuid = o.task_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid and s.task_uuid = o.task_uuid
  where s.workflow_step_uuid is null or o.handoff > s.handoffs
  union all
  -- A claim of a former handoff is allowed, until its worker calls again.
  select 'worker_claim_is_one_of_its_worker', jsonb_build_object('worker_uuid', c.worker_uuid, 'step_uuid', c.workflow_step_uuid, 'handoff', c.handoff)
  from tasker.worker_claims c
  left join tasker.workers w on w.worker_uuid = c.worker_uuid and w.server_uuid is null
  left join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid and s.task_uuid = c.task_uuid
  where w.worker_uuid is null or s.workflow_step_uuid is null or c.handoff > s.handoffs
     or c.handoff = s.handoffs and s.state = 'in_progress' and s.leased_by is distinct from c.worker_uuid
  union all
  -- A worker with only some of the handlers can never claim a step whose handler is not in it.
  select 'handler_is_in_the_catalog', jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position, 'handler', n.handler_key)
  from tasker.named_tasks_named_steps n
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  left join tasker.namespace_handlers h on h.task_namespace_uuid = nt.task_namespace_uuid and h.handler_key = n.handler_key
  where h.handler_key is null and n.handler_key is not null
$$;
comment on function tasker.find_reference_violations(timestamptz) is
  'Orphaned rows, and graphs that differ from their template: one row per finding.';
