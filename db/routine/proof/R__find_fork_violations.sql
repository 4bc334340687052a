-- Forks that do not have what their source has: one row per finding. What was deleted with the
-- source is not compared. Without nested loops: where statistics are missing or old, one over the
-- whole history would never end.
-- Locks: none. Source: ADR 0048, docs/reference/invariants.md.
create or replace function tasker.find_fork_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with forks as materialized (
    select f.* from tasker.task_forks f where f.forked_at >= coalesce(p_since, '-infinity')),
  copies as materialized (
    select m.workflow_step_uuid, m.task_uuid, m.sort_key, m.to_state,
           (m.metadata -> 'metadata' ->> 'step_uuid')::uuid as source_step_uuid
    from tasker.workflow_step_transitions m
    join forks f on f.task_uuid = m.task_uuid
    where m.actor = 'operator'
      and m.metadata ->> 'action' = 'fork'
      and m.metadata #> '{metadata,step_uuid}' is not null)
  select 'fork_belongs_to_a_task',
         jsonb_build_object('task_uuid', f.task_uuid, 'source_task_uuid', f.source_task_uuid)
  from forks f
  left join tasker.tasks t on t.task_uuid = f.task_uuid
  left join tasker.tasks s on s.task_uuid = f.source_task_uuid
  where t.task_uuid is null or s.named_task_uuid <> t.named_task_uuid
  union all
  -- The action names steps as the request did: by name or by uuid.
  select 'fork_is_that_of_its_request',
         jsonb_build_object('task_uuid', coalesce(f.task_uuid, a.task_uuid),
                            'source_task_uuid', f.source_task_uuid, 'from', f.from_steps,
                            'requested', a.details)
  from forks f
  full join (select distinct on (o.task_uuid) o.task_uuid, o.acted_at, o.details
             from tasker.operator_actions o
             join tasker.tasks t on t.task_uuid = o.task_uuid
             where o.action = 'fork' and o.acted_at >= coalesce(p_since, '-infinity')
             order by o.task_uuid, o.acted_at desc) a on a.task_uuid = f.task_uuid
  where f.task_uuid is null
    or a.task_uuid is null
    or a.details ->> 'source_task_uuid' is distinct from f.source_task_uuid::text
    or a.acted_at <> f.forked_at
    or jsonb_array_length(a.details -> 'from') <> cardinality(f.from_steps)
    or exists (select from jsonb_array_elements_text(a.details -> 'from') with ordinality as r
               where r.value <> f.from_steps[r.ordinality]
                 and r.value !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
  union all
  select 'fork_is_that_of_its_request',
         jsonb_build_object('task_uuid', c.task_uuid, 'step_uuid', c.workflow_step_uuid,
                            'copied', coalesce(s.name, n.name))
  from copies c
  join forks f on f.task_uuid = c.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  where coalesce(s.name, n.name) = any (f.from_steps)
  union all
  select 'fork_has_what_it_copied',
         jsonb_build_object('task_uuid', f.task_uuid, 'copied_steps', f.copied_steps,
                            'moves', coalesce(c.moves, 0))
  from forks f
  left join (select c.task_uuid, count(*) as moves from copies c group by c.task_uuid) c
    on c.task_uuid = f.task_uuid
  where f.copied_steps <> coalesce(c.moves, 0)
  union all
  select 'fork_has_what_it_copied',
         jsonb_build_object('step_uuid', c.workflow_step_uuid,
                            'source_step_uuid', c.source_step_uuid, 'state', c.to_state,
                            'is_result_equal', r.document_hash = sr.document_hash)
  from copies c
  join forks f on f.task_uuid = c.task_uuid
  join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
  join tasker.workflow_steps o on o.workflow_step_uuid = c.source_step_uuid
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = c.workflow_step_uuid
    and r.sort_key = c.sort_key
  left join tasker.workflow_step_result_audit sr on sr.workflow_step_uuid = o.workflow_step_uuid
    and sr.sort_key = o.result_sort_key
  where o.task_uuid <> f.source_task_uuid
    or o.named_step_uuid <> s.named_step_uuid
    -- The source may have been made to run again since.
    or (o.state = c.to_state
        and o.completed_at <= f.forked_at
        and c.to_state = 'complete'
        and r.result is distinct from sr.result
        and not exists (select from tasker.tasks e
                        where e.task_uuid in (c.task_uuid, o.task_uuid)
                          and e.erased_at is not null))
$$;
comment on function tasker.find_fork_violations(timestamptz) is
  'Forks that do not have what their source has: one row per finding.';
