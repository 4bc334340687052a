-- Domain events that do not follow from results, moves, approvals, dead letters and fire times as
-- the templates say, or those without their events: one row per finding. Without nested loops:
-- where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: ADR 0050, docs/reference/invariants.md.
create or replace function tasker.find_event_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with publishing as materialized (
    select n.named_step_uuid, e.ordinality::int as declaration, e.value ->> 'name' as name,
           e.value ->> 'condition' as condition,
           coalesce(e.value ->> 'delivery_mode', 'durable') as delivery_mode
    from tasker.named_tasks_named_steps n
    cross join lateral jsonb_array_elements(n.events) with ordinality as e
    where n.events is not null),
  tasks as materialized (
    select t.task_uuid, t.sla_breached_at,
           case when t.compensates_task_uuid is null then nt.published_lifecycle
                else nt.published_lifecycle - 'tasks' end as published_lifecycle
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    where t.created_at >= coalesce(p_since, '-infinity')),
  -- Of a fork's copies the source has published.
  expected as materialized (
    select r.task_uuid, r.workflow_step_uuid, r.sort_key, p.declaration, p.name, r.outcome,
           r.attempt, p.delivery_mode, r.recorded_at
    from tasker.workflow_step_result_audit r
    join tasks t on t.task_uuid = r.task_uuid
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    join publishing p on p.named_step_uuid = s.named_step_uuid
      and tasker.is_event_due(p.condition, r.outcome)
    where not (r.outcome = 'manual_completion' and r.may_publish is false)),
  events as materialized (
    select e.*
    from tasker.domain_events e
    where e.kind = 'step'
      and (p_since is null or e.task_uuid in (select t.task_uuid from tasks t))),
  caused as materialized (
    select t.task_uuid, t.task_uuid as cause_uuid, h.sort_key, null::timestamptz as fire_at,
           tasker.get_task_event_name(h.to_state) as name, 'task' as kind,
           h.created_at as happened_at
    from tasks t
    join tasker.task_transitions h on h.task_uuid = t.task_uuid
    where t.published_lifecycle ? 'tasks'
      and h.to_state in ('complete', 'error', 'cancelled', 'resolved_manually',
                         'blocked_by_failures')
    union all
    select t.task_uuid, t.task_uuid, 0, null, 'tasker.task.sla_breached', 'task', null
    from tasks t
    where t.published_lifecycle ? 'tasks' and t.sla_breached_at is not null
    union all
    select t.task_uuid, t.task_uuid, 0, null, 'tasker.task.compensated', 'task', null
    from tasks t
    join tasker.task_compensations c on c.task_uuid = t.task_uuid
    where t.published_lifecycle ? 'tasks' and c.state = 'compensated'
    union all
    select t.task_uuid, a.approval_uuid, a.number, null, tasker.get_approval_event_name(a.event),
           'approval', null
    from tasks t
    join tasker.approval_events a on a.task_uuid = t.task_uuid
    where t.published_lifecycle ? 'approvals'
    union all
    select t.task_uuid, d.dlq_entry_uuid, 0, null, 'tasker.dead_letter.opened', 'dead_letter', null
    from tasks t
    join tasker.tasks_dlq d on d.task_uuid = t.task_uuid
    where t.published_lifecycle ? 'dead_letters'
    union all
    select null, f.schedule_uuid, 0, f.fire_at, 'tasker.schedule.fire_failed', 'schedule', null
    from tasker.schedule_fires f
    where f.outcome = 'failed' and f.decided_at >= coalesce(p_since, '-infinity')),
  engine_events as materialized (
    select e.*
    from tasker.domain_events e
    where e.kind <> 'step'
      and (p_since is null
           or e.task_uuid in (select t.task_uuid from tasks t)
           or e.task_uuid is null and e.created_at >= p_since))
  select 'event_has_its_result',
         jsonb_build_object('event_uuid', e.event_uuid, 'name', e.name, 'outcome', e.outcome,
                            'step_uuid', e.workflow_step_uuid)
  from events e
  left join expected x on x.workflow_step_uuid = e.workflow_step_uuid
    and x.sort_key = e.sort_key
    and x.declaration = e.declaration
  where (x.task_uuid, x.name, x.outcome, x.attempt, x.delivery_mode)
      is distinct from (e.task_uuid, e.name::text, e.outcome, e.attempt, e.delivery_mode::text)
    or e.created_at not between x.recorded_at - interval '10 minutes' and x.recorded_at
      + interval '10 minutes'
  union all
  select 'result_has_its_events',
         jsonb_build_object('step_uuid', x.workflow_step_uuid, 'sort_key', x.sort_key,
                            'name', x.name, 'outcome', x.outcome)
  from expected x
  left join events e on e.workflow_step_uuid = x.workflow_step_uuid
    and e.sort_key = x.sort_key
    and e.declaration = x.declaration
  where e.event_uuid is null
  union all
  select 'events_of_a_step_are_in_order',
         jsonb_build_object('event_uuid', e.event_uuid, 'position', e.position,
                            'previous', e.previous)
  from (select e.event_uuid, e.position,
               max(e.position) over (partition by e.workflow_step_uuid order by e.sort_key,
                                     e.declaration rows between unbounded preceding and 1
                                       preceding) as previous,
               bool_or(e.position is null)
                 over (partition by e.workflow_step_uuid order by e.sort_key,
                       e.declaration rows between unbounded preceding and 1
                         preceding) as is_behind_none,
               -- Not yet placed, it would be placed by its number.
               e.event_number < max(
                 e.event_number) over (partition by e.workflow_step_uuid order by e.sort_key,
                                       e.declaration rows between unbounded preceding and 1
                                         preceding) as is_numbered_before
        from events e
        union all
        -- Those of one task or approval, in the order of its moves.
        select e.event_uuid, e.position, max(e.position) over w, bool_or(e.position is null) over w,
               e.event_number < max(e.event_number) over w
        from engine_events e
        where e.kind in ('task', 'approval') and e.sort_key > 0
        window w as (partition by e.cause_uuid order by e.sort_key rows between unbounded preceding
                     and 1 preceding)) e
  where e.position < e.previous
    or e.position is not null and e.is_behind_none
    or e.is_numbered_before
  union all
  -- Positions are given out by one sequence: whoever has read one that is still to come misses the
  -- events before it, and the feed stops at one that is taken.
  select 'feed_ends_at_its_last_position',
         jsonb_build_object('of', x.of, 'id', x.id, 'position', x.position, 'last', x.last)
  from (select p.of, p.id, p.position, q.last_value as last
        from tasker.domain_event_positions q
        cross join lateral (
          select 'event' as of, e.event_uuid::text as id, e.position
          from tasker.domain_events e
          where e.position > q.last_value
          union all
          select 'webhook', w.webhook_uuid::text, greatest(w.position, w.replayed_to)
          from tasker.webhooks w
          where greatest(w.position, w.replayed_to) > q.last_value
          union all
          select 'consumer', c.name, c.position
          from tasker.event_consumers c
          where c.position > q.last_value) p) x
  union all
  select 'event_of_the_engine_has_its_cause',
         jsonb_build_object('event_uuid', e.event_uuid, 'name', e.name, 'cause_uuid', e.cause_uuid)
  from engine_events e
  left join caused c on c.cause_uuid = e.cause_uuid
    and c.sort_key = e.sort_key
    and c.name = e.name
    and c.task_uuid = e.task_uuid
    and c.kind = e.kind
    and (c.happened_at is null
         or e.created_at between c.happened_at - interval '10 minutes' and c.happened_at
           + interval '10 minutes')
  -- A fire time that failed may have got its task since; the pause of a schedule follows from one
  -- that failed.
  left join tasker.schedule_fires f on f.schedule_uuid = e.cause_uuid and f.fire_at = e.fire_at
  where case when e.kind = 'schedule' then f.schedule_uuid is null else c.cause_uuid is null end
  union all
  select 'cause_has_its_event_of_the_engine',
         jsonb_build_object('name', c.name, 'cause_uuid', c.cause_uuid, 'sort_key', c.sort_key)
  from caused c
  left join engine_events e on e.cause_uuid = c.cause_uuid
    and e.sort_key = c.sort_key
    and e.name = c.name
    and e.fire_at is not distinct from c.fire_at
  where e.event_uuid is null
$$;
comment on function tasker.find_event_violations(timestamptz) is
  'Domain events without the cause that their template names, and causes without their event: '
  'one row per finding.';
