-- Schedules for a monitoring system: how many are active, paused and failing (the latest fire times
-- failed, or the schedule is paused for it), how long the one that is due longest has waited for a
-- server, and what became of fire times so far. Locks: none. Source: ADR 0045.
create or replace function tasker.get_schedule_figures(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'active', count(*) filter (where s.deleted_at is null and s.paused_at is null),
           'paused', count(*) filter (where s.deleted_at is null and s.paused_at is not null),
           'failing', count(*) filter (where s.deleted_at is null and s.failures_in_a_row > 0),
           'overdue_seconds', coalesce(
             round(greatest(extract(epoch from coalesce(p_now, clock_timestamp()) - min(s.wake_at)),
                            0),
                   3),
             0),
           'started', coalesce(sum(s.started_count), 0),
           'skipped', coalesce(sum(s.skipped_count), 0), 'missed', coalesce(sum(s.missed_count), 0),
           'failed', coalesce(sum(s.failed_count), 0))
  from tasker.schedules s
$$;
comment on function tasker.get_schedule_figures(timestamptz) is
  'Figures of schedules for monitoring: how many, how late, and the outcomes of fire times.';
