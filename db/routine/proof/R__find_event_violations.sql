-- Domain events that do not follow from results as the templates say, or results without their events: one row per finding. Without nested loops: where
-- statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0050, docs/promises.md.
create or replace function tasker.find_event_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with publishing as materialized (
    select n.named_step_uuid, e.ordinality::int as declaration, e.value ->> 'name' as name, e.value ->> 'condition' as condition
    from tasker.named_tasks_named_steps n cross join lateral jsonb_array_elements(n.events) with ordinality as e
    where n.events is not null),
  tasks as materialized (
    select t.task_uuid from tasker.tasks t where t.created_at >= coalesce(p_since, '-infinity')),
  -- Of a fork's copies the source has published.
  expected as materialized (
    select r.task_uuid, r.workflow_step_uuid, r.sort_key, p.declaration, p.name, r.outcome, r.attempt
    from tasker.workflow_step_result_audit r
    join tasks t on t.task_uuid = r.task_uuid
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    join publishing p on p.named_step_uuid = s.named_step_uuid and tasker.is_event_due(p.condition, r.outcome)
    where not (r.outcome = 'manual_completion' and r.may_publish is false)),
  events as materialized (
    select e.* from tasker.domain_events e where p_since is null or e.task_uuid in (select t.task_uuid from tasks t))
  select 'event_has_its_result', jsonb_build_object('event_uuid', e.event_uuid, 'name', e.name, 'outcome', e.outcome, 'step_uuid', e.workflow_step_uuid)
  from events e
  left join expected x on x.workflow_step_uuid = e.workflow_step_uuid and x.sort_key = e.sort_key and x.declaration = e.declaration
  where (x.task_uuid, x.name, x.outcome, x.attempt) is distinct from (e.task_uuid, e.name::text, e.outcome, e.attempt)
  union all
  select 'result_has_its_events', jsonb_build_object('step_uuid', x.workflow_step_uuid, 'sort_key', x.sort_key, 'name', x.name, 'outcome', x.outcome)
  from expected x
  left join events e on e.workflow_step_uuid = x.workflow_step_uuid and e.sort_key = x.sort_key and e.declaration = x.declaration
  where e.event_uuid is null
  union all
  select 'events_of_a_step_are_in_order', jsonb_build_object('event_uuid', e.event_uuid, 'position', e.position, 'previous', e.previous)
  from (select e.event_uuid, e.position, max(e.position) over (partition by e.workflow_step_uuid order by e.sort_key, e.declaration
                                                               rows between unbounded preceding and 1 preceding) as previous,
               bool_or(e.position is null) over (partition by e.workflow_step_uuid order by e.sort_key, e.declaration
                                                 rows between unbounded preceding and 1 preceding) as is_behind_none
        from events e) e
  where e.position < e.previous or e.position is not null and e.is_behind_none
$$;
comment on function tasker.find_event_violations(timestamptz) is
  'Domain events that do not follow from results as the templates say, or results without their events: one row per finding.';
