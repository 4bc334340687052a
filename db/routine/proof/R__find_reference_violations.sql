-- Orphaned rows, and graphs that differ from their template: one row per finding. Without nested
-- loops: where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_reference_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with template_edges as materialized (
    select n.named_task_uuid, u.position as parent_position, n.step_position
    from tasker.named_tasks_named_steps n
    cross join lateral unnest(n.parent_positions) as u(position)),
  -- Where each parent stands before its child the order itself proves that there is no cycle; only
  -- the other templates are walked.
  walked as materialized (
    select e.named_task_uuid
    from template_edges e
    where e.parent_position >= e.step_position
    group by e.named_task_uuid),
  -- Numbered without gaps, whatever the positions are.
  template_nodes as materialized (
    select n.named_task_uuid, n.step_position,
           row_number() over (partition by n.named_task_uuid order by n.step_position)::int as node
    from walked w
    join tasker.named_tasks_named_steps n on n.named_task_uuid = w.named_task_uuid),
  added as materialized (
    select s.workflow_step_uuid, s.task_uuid from tasker.workflow_steps s where s.name is not null),
  -- The edges that were added with them, recorded in their first move.
  told_edges as (
    select p.value::uuid as from_step_uuid, a.workflow_step_uuid as to_step_uuid
    from added a
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = a.workflow_step_uuid
      and h.sort_key = 1
    cross join lateral jsonb_array_elements_text(h.metadata -> 'parents') as p
    union all
    select a.workflow_step_uuid, c.value::uuid
    from added a
    join tasker.workflow_step_transitions h on h.workflow_step_uuid = a.workflow_step_uuid
      and h.sort_key = 1
    cross join lateral jsonb_array_elements_text(h.metadata -> 'children') as c),
  stored_edges as materialized (
    select e.task_uuid, e.from_position, e.to_position, p.workflow_step_uuid as from_step_uuid,
           c.workflow_step_uuid as to_step_uuid, coalesce(p.name, c.name) is not null as is_added,
           n.growth_rank is not null as is_grown
    from tasker.added_step_edges e
    left join tasker.workflow_steps p on p.task_uuid = e.task_uuid
      and p.step_position = e.from_position
    left join tasker.workflow_steps c on c.task_uuid = e.task_uuid
      and c.step_position = e.to_position
    left join tasker.named_tasks_named_steps n on n.named_step_uuid = c.named_step_uuid),
  grown_nodes as materialized (
    select s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, s.step_position,
           row_number() over (partition by s.task_uuid order by s.step_position)::int as node
    from tasker.workflow_steps s
    where s.task_uuid in (select a.task_uuid from added a)),
  grown_task_edges as (
    select p.task_uuid, p.node as parent, c.node as child, p.step_position as from_position,
           c.step_position as to_position
    from grown_nodes c
    join tasker.named_step_edges e on e.to_named_step_uuid = c.named_step_uuid
      and e.to_position = c.step_position
    join grown_nodes p on p.task_uuid = c.task_uuid and p.step_position = e.from_position
    union all
    select p.task_uuid, p.node, c.node, e.from_position, e.to_position
    from tasker.added_step_edges e
    join grown_nodes p on p.task_uuid = e.task_uuid and p.step_position = e.from_position
    join grown_nodes c on c.task_uuid = e.task_uuid and c.step_position = e.to_position)
  -- Where each parent stands before its child the order itself proves that there is no cycle, as in
  -- templates.
  select 'template_has_no_cycle',
         jsonb_build_object('named_task_uuid', c.named_task_uuid, 'step_position', c.step_position)
  from (select g.named_task_uuid, g.positions[u.node] as step_position
        from (select n.named_task_uuid, array_agg(n.step_position order by n.node) as positions,
                     count(*)::int as nodes
              from template_nodes n
              group by n.named_task_uuid) g
        join (select e.named_task_uuid, array_agg(p.node) as parents, array_agg(c.node) as children
              from template_edges e
              join template_nodes p on p.named_task_uuid = e.named_task_uuid
                and p.step_position = e.parent_position
              join template_nodes c on c.named_task_uuid = e.named_task_uuid
                and c.step_position = e.step_position
              group by e.named_task_uuid) k on k.named_task_uuid = g.named_task_uuid
        cross join lateral unnest(
          tasker.find_cyclic_nodes(g.nodes, k.parents, k.children)) as u(node)) c
  union all
  -- One between steps that the task began with would be a copy of the template's, or none of it.
  select 'added_edge_is_of_an_added_step',
         jsonb_build_object('task_uuid', e.task_uuid, 'from_position', e.from_position,
                            'to_position', e.to_position)
  from stored_edges e
  where e.from_step_uuid is null
    or e.to_step_uuid is null
    or not (e.is_added or e.is_grown)
  union all
  select 'added_edge_is_in_the_history',
         jsonb_build_object('from_step_uuid', coalesce(e.from_step_uuid, k.from_step_uuid),
                            'to_step_uuid', coalesce(e.to_step_uuid, k.to_step_uuid),
                            'is_there', e.from_step_uuid is not null)
  -- Those of a step that a decision created are find_growth_violations's.
  from (select s.from_step_uuid, s.to_step_uuid from stored_edges s where s.is_added) e
  full join told_edges k on k.from_step_uuid = e.from_step_uuid and k.to_step_uuid = e.to_step_uuid
  where e.from_step_uuid is null or k.from_step_uuid is null
  union all
  select 'grown_task_has_no_cycle',
         jsonb_build_object('task_uuid', c.task_uuid, 'step_uuid', c.step_uuid)
  from (select g.task_uuid, s.step_uuid
        from (select n.task_uuid, array_agg(n.workflow_step_uuid order by n.node) as steps,
                     count(*)::int as nodes
              from grown_nodes n
              group by n.task_uuid) g
        join (select e.task_uuid, array_agg(e.parent) as parents, array_agg(e.child) as children
              from grown_task_edges e
              group by e.task_uuid
              having bool_or(e.from_position >= e.to_position)) k on k.task_uuid = g.task_uuid
        cross join lateral (select g.steps[u.node] as step_uuid
                            from unnest(tasker.find_cyclic_nodes(
                                          g.nodes, k.parents, k.children)) as u(node)) s) c
  union all
  select 'history_belongs_to_a_task',
         jsonb_build_object('task_uuid', h.task_uuid, 'sort_key', h.sort_key)
  from tasker.task_transitions h
  left join tasker.tasks t on t.task_uuid = h.task_uuid
  left join tasker.purged_tasks g on g.task_uuid = h.task_uuid
  where h.created_at >= coalesce(p_since, '-infinity')
    and t.task_uuid is null
    and g.task_uuid is null
  union all
  select 'history_belongs_to_a_step',
         jsonb_build_object('step_uuid', h.workflow_step_uuid, 'sort_key', h.sort_key)
  from tasker.workflow_step_transitions h
  left join tasker.workflow_steps s on s.workflow_step_uuid = h.workflow_step_uuid
    and s.task_uuid = h.task_uuid
  left join tasker.purged_tasks g on g.task_uuid = h.task_uuid
  where h.created_at >= coalesce(p_since, '-infinity')
    and s.workflow_step_uuid is null
    and g.task_uuid is null
  union all
  select 'result_belongs_to_a_step',
         jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key)
  from tasker.workflow_step_result_audit r
  left join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    and s.task_uuid = r.task_uuid
  where r.recorded_at >= coalesce(p_since, '-infinity') and s.workflow_step_uuid is null
  union all
  select 'purged_task_is_gone',
         jsonb_build_object('task_uuid', g.task_uuid, 'purged_at', g.purged_at)
  from tasker.purged_tasks g
  join tasker.tasks t on t.task_uuid = g.task_uuid
  union all
  select 'task_belongs_to_a_template',
         jsonb_build_object('task_uuid', t.task_uuid, 'named_task_uuid', t.named_task_uuid)
  from tasker.tasks t
  left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
  where t.created_at >= coalesce(p_since, '-infinity') and nt.named_task_uuid is null
  union all
  select 'step_belongs_to_a_task',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid)
  from tasker.workflow_steps s
  left join tasker.tasks t on t.task_uuid = s.task_uuid
  where s.created_at >= coalesce(p_since, '-infinity') and t.task_uuid is null
  union all
  select 'task_has_its_steps',
         jsonb_build_object('task_uuid', t.task_uuid, 'steps', count(s.task_uuid),
                            'total_steps', t.total_steps)
  from tasker.tasks t
  left join tasker.workflow_steps s on s.task_uuid = t.task_uuid
  where t.created_at >= coalesce(p_since, '-infinity')
  group by t.task_uuid, t.total_steps
  having count(s.task_uuid) <> t.total_steps
  union all
  select 'context_belongs_to_a_task',
         jsonb_build_object('task_uuid', coalesce(t.task_uuid, c.task_uuid))
  from tasker.tasks t
  full join tasker.task_contexts c on c.task_uuid = t.task_uuid
  where (t.task_uuid is null and p_since is null)
    or (c.task_uuid is null and t.created_at >= coalesce(p_since, '-infinity'))
  union all
  select 'wakeup_belongs_to_a_task', jsonb_build_object('task_uuid', w.task_uuid)
  from tasker.task_wakeups w
  left join tasker.tasks t on t.task_uuid = w.task_uuid
  where t.task_uuid is null
  union all
  select 'document_belongs_to_a_step', jsonb_build_object('step_uuid', d.workflow_step_uuid)
  from tasker.workflow_step_documents d
  left join tasker.workflow_steps s on s.workflow_step_uuid = d.workflow_step_uuid
    and s.task_uuid = d.task_uuid
  where s.workflow_step_uuid is null
  union all
  -- These tables have foreign keys, but a restore without them, or a program that disables them,
  -- can still leave orphans.
  select 'dead_letter_belongs_to_a_task',
         jsonb_build_object('dlq_entry_uuid', d.dlq_entry_uuid, 'task_uuid', d.task_uuid)
  from tasker.tasks_dlq d
  left join tasker.tasks t on t.task_uuid = d.task_uuid
  where t.task_uuid is null
  union all
  select 'slot_belongs_to_its_task',
         jsonb_build_object('holder_uuid', c.holder_uuid, 'policy_uuid', c.policy_uuid,
                            'task_uuid', c.task_uuid)
  from tasker.concurrency_slots c
  left join tasker.tasks t on t.task_uuid = c.task_uuid
  left join tasker.concurrency_policies p on p.policy_uuid = c.policy_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = c.holder_uuid
    and s.task_uuid = c.task_uuid
  where t.task_uuid is null
    or p.policy_uuid is null
    or case p.counts when 'tasks' then c.holder_uuid <> c.task_uuid
            else s.workflow_step_uuid is null end
  union all
  select 'recovery_record_belongs_to_a_task',
         jsonb_build_object('task_uuid', r.task_uuid, 'table', r.name)
  from (select w.task_uuid, 'unclaimed_offers' as name
        from tasker.unclaimed_offers w
        union all
        select f.task_uuid, 'task_faults' from tasker.task_faults f) r
  left join tasker.tasks t on t.task_uuid = r.task_uuid
  where t.task_uuid is null
  union all
  select 'unclaimed_offer_is_one_of_its_task',
         jsonb_build_object('task_uuid', o.task_uuid, 'step_uuid', o.workflow_step_uuid,
                            'handoff', o.handoff)
  from tasker.unclaimed_offers o
  join tasker.tasks t on t.task_uuid = o.task_uuid
  left join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
    and s.task_uuid = o.task_uuid
  where s.workflow_step_uuid is null or o.handoff > s.handoffs
  union all
  -- A claim of a former handoff is allowed, until its worker calls again.
  select 'worker_claim_is_one_of_its_worker',
         jsonb_build_object('worker_uuid', c.worker_uuid, 'step_uuid', c.workflow_step_uuid,
                            'handoff', c.handoff)
  from tasker.worker_claims c
  left join tasker.workers w on w.worker_uuid = c.worker_uuid and w.server_uuid is null
  left join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
    and s.task_uuid = c.task_uuid
  where w.worker_uuid is null
    or s.workflow_step_uuid is null
    or c.handoff > s.handoffs
    or c.handoff = s.handoffs
      and s.state = 'in_progress'
      and s.leased_by is distinct from c.worker_uuid
  union all
  -- A worker with only some of the handlers can never claim a step whose handler is not in it.
  select 'handler_is_in_the_catalog',
         jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position,
                            'handler', n.handler_key)
  from tasker.named_tasks_named_steps n
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  left join tasker.namespace_handlers h on h.task_namespace_uuid = nt.task_namespace_uuid
    and h.handler_key = n.handler_key
  where n.handler_key is not null
    and (h.handler_key is null
         or (h.handler_callable, h.handler_resolver)
           is distinct from (n.handler_callable::text, n.handler_resolver::text))
$$;
comment on function tasker.find_reference_violations(timestamptz) is
  'Orphaned rows, and graphs that differ from their template: one row per finding.';
