-- Rows that belong to nothing, and graphs that are not those of their template: one row per finding.
-- Without nested loops: where statistics are missing or old, one over the whole history would never end.
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
  levels(named_task_uuid, step_position, level) as (
    select n.named_task_uuid, n.step_position, 0 from tasker.named_tasks_named_steps n where n.parent_positions = '{}'
    union
    -- The bound ends the walk on a cycle: no acyclic path is longer than the template has steps.
    select e.named_task_uuid, e.step_position, l.level + 1
    from levels l
    join template_edges e on e.named_task_uuid = l.named_task_uuid and e.parent_position = l.step_position and l.level < e.total_steps),
  reached as (
    select l.named_task_uuid, l.step_position, max(l.level) as level from levels l group by l.named_task_uuid, l.step_position)
  select 'template_has_no_cycle', jsonb_build_object('named_task_uuid', n.named_task_uuid, 'step_position', n.step_position)
  from tasker.named_tasks_named_steps n
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  left join reached r on r.named_task_uuid = n.named_task_uuid and r.step_position = n.step_position
  where r.level is null or r.level >= nt.total_steps
  union all
  select 'edge_is_one_of_the_template', jsonb_build_object('from_step_uuid', e.from_step_uuid, 'to_step_uuid', e.to_step_uuid)
  from tasker.workflow_step_edges e
  left join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid and p.task_uuid = e.task_uuid
  left join tasker.workflow_steps c on c.workflow_step_uuid = e.to_step_uuid and c.task_uuid = e.task_uuid
  left join template_edges t on t.named_step_uuid = c.named_step_uuid and t.parent_position = p.step_position
  where t.step_position is null
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
  -- These have foreign keys; a restore without them, or a program that switches them off, leaves orphans all the same.
  select 'document_belongs_to_a_step', jsonb_build_object('step_uuid', d.workflow_step_uuid)
  from tasker.workflow_step_documents d
  left join tasker.workflow_steps s on s.workflow_step_uuid = d.workflow_step_uuid and s.task_uuid = d.task_uuid
  where s.workflow_step_uuid is null
  union all
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
$$;
comment on function tasker.find_reference_violations(timestamptz) is
  'Rows that belong to nothing, and graphs that are not those of their template: one row per finding.';
