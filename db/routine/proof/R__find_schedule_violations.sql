-- Schedules whose fires do not match their tasks or their cursor: one row per finding.
-- Locks: none. Source: ADR 0045, docs/reference/invariants.md.
create or replace function tasker.find_schedule_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with fires as materialized (
    select f.* from tasker.schedule_fires f where f.decided_at >= coalesce(p_since, '-infinity')),
  tasks as (
    select t.*, nt.name as template_name, nt.version as template_version, nt.identity_strategy,
           ns.name as namespace_name
    from tasker.tasks t
    join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    where t.created_at >= coalesce(p_since, '-infinity'))
  -- A finished task may have been purged, and its record with it.
  select 'fire_has_its_task',
         jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at,
                            'task_uuid', f.task_uuid, 'requested_at', t.requested_at)
  from fires f
  join tasker.schedules s on s.schedule_uuid = f.schedule_uuid
  left join tasker.tasks t on t.task_uuid = f.task_uuid
  left join tasker.purged_tasks p on p.task_uuid = f.task_uuid
  where f.outcome = 'started'
    and (t.requested_at <> f.fire_at
         or not coalesce(t.is_keyed, true)
         or (t.task_uuid is null and p.task_uuid is null and f.is_open))
  union all
  select 'fire_has_its_task',
         jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at,
                            'outcome', f.outcome)
  from fires f
  left join tasker.schedules s on s.schedule_uuid = f.schedule_uuid
  where s.schedule_uuid is null
  union all
  -- What overlap goes by: a task that has not ended is open, unless an operator started it again
  -- after its end.
  select 'fire_has_its_task',
         jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at,
                            'task_uuid', f.task_uuid, 'is_open', f.is_open)
  from fires f
  join tasker.tasks t on t.task_uuid = f.task_uuid and t.completed_at is null
  left join tasker.task_transitions h on h.task_uuid = t.task_uuid and h.from_state = 'error'
  where f.outcome = 'started' and not f.is_open and h.task_uuid is null
  union all
  -- Fire times of an interval are known here; those of a cron expression are a server's to
  -- calculate, but one without an end always has a next one, and no later than its fields of days
  -- allow.
  select 'active_schedule_has_its_next_fire_time',
         jsonb_build_object('schedule_uuid', s.schedule_uuid, 'next_fire_at', s.next_fire_at,
                            'next_due_at', s.next_due_at, 'every_seconds', s.every_seconds)
  from tasker.schedules s
  -- The clock of a standby may be a little slow.
  cross join lateral (
    select case when s.every_seconds is not null then
                  s.anchor_at + s.every_seconds * interval '1 second' * (
                    1 + floor(extract(epoch from greatest(
                                        clock_timestamp() + interval '1 minute', s.starts_at,
                                        -- A clock may have been set back, and tests set it ahead:
                                        -- the next one follows the last one in any case.
                                        (select max(f.fire_at)
                                         from tasker.schedule_fires f
                                         where f.schedule_uuid = s.schedule_uuid),
                                        s.anchor_at - s.every_seconds * interval '1 second')
                                      - s.anchor_at) / s.every_seconds)::float8) end as next_at,
           greatest(clock_timestamp(), s.starts_at, s.updated_at,
                    (select max(f.fire_at)
                     from tasker.schedule_fires f
                     where f.schedule_uuid = s.schedule_uuid))
             + tasker.get_longest_cron_gap(s.cron) as latest_at) n
  where s.deleted_at is null
      and (s.next_fire_at is null and s.ends_at is null
           or s.next_fire_at is null and n.next_at < s.ends_at
           or extract(epoch from s.next_fire_at - s.anchor_at)::numeric % s.every_seconds <> 0
           or s.next_fire_at > n.next_at
           or s.next_fire_at > n.latest_at
           or s.next_fire_at < s.starts_at
           or s.next_fire_at >= s.ends_at
           or s.next_due_at > s.next_fire_at + s.jitter_seconds * interval '1 second')
    or s.deleted_at is not null and num_nonnulls(s.next_fire_at, s.queued_fire_at) > 0
  union all
  -- Fires go after a year, so that what is left is a lower bound.
  select 'schedule_counts_its_fires',
         jsonb_build_object('schedule_uuid', s.schedule_uuid,
                            'kept', jsonb_build_array(
                              s.started_count, s.skipped_count, s.failed_count),
                            'counted', jsonb_build_array(c.started, c.skipped, c.failed))
  from tasker.schedules s
  join (select f.schedule_uuid, count(*) filter (where f.outcome = 'started') as started,
               count(*) filter (where f.outcome = 'skipped' and f.reason <> 'deleted') as skipped,
               count(*) filter (where f.outcome = 'failed') as failed,
               max(f.fire_at) filter (where f.outcome = 'started'
                                      and f.origin <> 'backfill') as last_fire_at
        from fires f
        group by f.schedule_uuid) c on c.schedule_uuid = s.schedule_uuid
  where s.started_count < c.started
    or s.skipped_count < c.skipped
    or s.failed_count < c.failed
    or coalesce(s.last_fire_at, '-infinity') < c.last_fire_at
  union all
  select 'scheduled_task_has_its_fire',
         jsonb_build_object('task_uuid', t.task_uuid, 'schedule_uuid', s.schedule_uuid,
                            'fire_at', t.requested_at)
  from tasks t
  join tasker.schedules s on s.namespace_name = t.namespace_name
    and 'schedule:' || s.name = t.initiator
  left join tasker.schedule_fires f on f.schedule_uuid = s.schedule_uuid
    and f.task_uuid = t.task_uuid
  where t.is_keyed
    and f.task_uuid is null
    and t.created_at > clock_timestamp() - coalesce(
      (select x.keep_days from tasker.expiring_tables x where x.table_name = 'schedule_fires'),
      36500) * interval '1 day'
    and t.identity_hash = tasker.calculate_identity_hash(
      t.identity_strategy, t.namespace_name, t.template_name, t.template_version, null,
      'schedule:' || s.schedule_uuid || ':' || (
        to_jsonb(t.requested_at at time zone 'UTC') #>> '{}') || '+00:00')
  union all
  select 'fire_is_behind_the_cursor',
         jsonb_build_object('schedule_uuid', f.schedule_uuid, 'fire_at', f.fire_at,
                            'next_fire_at', s.next_fire_at)
  from fires f
  join tasker.schedules s on s.schedule_uuid = f.schedule_uuid
  where f.origin = 'schedule'
    and f.fire_at >= s.next_fire_at
    -- Of the fire time at which servers have declined, none can calculate the next.
    and (f.fire_at, f.outcome,
         f.reason) is distinct from (s.next_fire_at, 'failed', 'unusable-timing')
  union all
  select 'queued_fire_is_that_of_its_schedule',
         jsonb_build_object('schedule_uuid', s.schedule_uuid, 'queued_fire_at', s.queued_fire_at,
                            'fire_at', f.fire_at)
  from tasker.schedules s
  full join (select q.* from tasker.schedule_fires q where q.outcome = 'queued') f
    on f.schedule_uuid = s.schedule_uuid
      and f.fire_at = s.queued_fire_at
  where (f.schedule_uuid is not null and s.schedule_uuid is null)
    or (s.queued_fire_at is not null
        and f.schedule_uuid is null
        and s.queued_fire_at >= coalesce(p_since, '-infinity'))
  union all
  select 'backfill_stays_in_its_period',
         jsonb_build_object('backfill_uuid', b.backfill_uuid, 'fire_at', f.fire_at,
                            'from', b.from_at, 'to', b.to_at)
  from fires f
  left join tasker.schedule_backfills b on b.backfill_uuid = f.backfill_uuid
  where (f.origin = 'backfill') <> (f.backfill_uuid is not null)
    or (f.backfill_uuid is not null
        and (b.backfill_uuid is null
             or b.schedule_uuid <> f.schedule_uuid
             or f.fire_at < b.from_at
             or f.fire_at >= b.to_at
             or f.outcome = 'started' and f.fire_at > b.cursor_at and b.state <> 'failed'))
  union all
  select 'backfill_stays_in_its_period',
         jsonb_build_object('backfill_uuid', b.backfill_uuid, 'state', b.state,
                            'cursor_at', b.cursor_at, 'to', b.to_at,
                            'started_count', b.started_count, 'counted', c.started)
  from tasker.schedule_backfills b
  left join tasker.schedules s on s.schedule_uuid = b.schedule_uuid
  left join (select f.backfill_uuid, count(*) as started
             from fires f
             where f.outcome = 'started'
             group by f.backfill_uuid) c on c.backfill_uuid = b.backfill_uuid
  where s.schedule_uuid is null
    or (b.state = 'complete' and b.cursor_at <> b.to_at)
    or b.started_count < c.started
    or (b.state = 'running' and s.deleted_at is not null)
$$;
comment on function tasker.find_schedule_violations(timestamptz) is
  'Schedules whose fires do not match their tasks or their cursor: one row per finding.';
