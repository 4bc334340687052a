-- Schedules whose fires do not match their tasks or their cursor: one row per finding.
-- Locks: none. Source: ADR 0045, docs/promises.md.
create or replace function tasker.find_schedule_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with fires as materialized (
    select f.* from tasker.schedule_fires f where f.decided_at >= coalesce(p_since, '-infinity')),
  tasks as (
    select t.*, nt.name as template_name, nt.version as template_version, nt.identity_strategy, ns.name as namespace_name
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where t.created_at >= coalesce(p_since, '-infinity'))
  -- A finished task may have been purged, and its record with it.
  select 'fire_has_its_task', jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at, 'task_uuid', f.task_uuid, 'requested_at', t.requested_at)
  from fires f
  join tasker.schedules s on s.schedule_uuid = f.schedule_uuid
  left join tasker.tasks t on t.task_uuid = f.task_uuid
  left join tasker.purged_tasks p on p.task_uuid = f.task_uuid
  where f.outcome = 'started'
    and (t.requested_at <> f.fire_at or not coalesce(t.is_keyed, true) or (t.task_uuid is null and p.task_uuid is null and f.is_open))
  union all
  select 'scheduled_task_has_its_fire', jsonb_build_object('task_uuid', t.task_uuid, 'schedule_uuid', s.schedule_uuid, 'fire_at', t.requested_at)
  from tasks t
  join tasker.schedules s on s.namespace_name = t.namespace_name and 'schedule:' || s.name = t.initiator
  left join tasker.schedule_fires f on f.schedule_uuid = s.schedule_uuid and f.task_uuid = t.task_uuid
  where t.is_keyed and f.task_uuid is null
    and t.created_at > clock_timestamp() - coalesce((select x.keep_days from tasker.expiring_tables x where x.table_name = 'schedule_fires'), 36500) * interval '1 day'
    and t.identity_hash = tasker.calculate_identity_hash(t.identity_strategy, t.namespace_name, t.template_name, t.template_version, null,
          'schedule:' || s.schedule_uuid || ':' || (to_jsonb(t.requested_at at time zone 'UTC') #>> '{}') || '+00:00')
  union all
  select 'fire_is_behind_the_cursor', jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at, 'next_fire_at', s.next_fire_at)
  from fires f join tasker.schedules s on s.schedule_uuid = f.schedule_uuid
  where f.origin = 'schedule' and f.fire_at >= s.next_fire_at
    -- Of the fire time at which servers have declined, none can calculate the next.
    and (f.fire_at, f.outcome, f.reason) is distinct from (s.next_fire_at, 'failed', 'unusable-timing')
  union all
  select 'queued_fire_is_that_of_its_schedule', jsonb_build_object('schedule_uuid', s.schedule_uuid, 'queued_fire_at', s.queued_fire_at, 'fire_at', f.fire_at)
  from tasker.schedules s
  full join (select q.* from tasker.schedule_fires q where q.outcome = 'queued') f on f.schedule_uuid = s.schedule_uuid and f.fire_at = s.queued_fire_at
  where (f.schedule_uuid is not null and s.schedule_uuid is null)
     or (s.queued_fire_at is not null and f.schedule_uuid is null and s.queued_fire_at >= coalesce(p_since, '-infinity'))
  union all
  select 'backfill_stays_in_its_period', jsonb_build_object('backfill_uuid', b.backfill_uuid, 'fire_at', f.fire_at, 'from', b.from_at, 'to', b.to_at)
  from fires f
  left join tasker.schedule_backfills b on b.backfill_uuid = f.backfill_uuid
  where (f.origin = 'backfill') <> (f.backfill_uuid is not null)
     or (f.backfill_uuid is not null and (b.backfill_uuid is null or b.schedule_uuid <> f.schedule_uuid or f.fire_at < b.from_at or f.fire_at >= b.to_at))
$$;
comment on function tasker.find_schedule_violations(timestamptz) is
  'Schedules whose fires do not match their tasks or their cursor: one row per finding.';
