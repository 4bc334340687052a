-- Locks up to p_limit schedules that are active and have no next fire time, although their end, if
-- they have one, is still to come, for the rest of the transaction, and returns what a server needs
-- to calculate it: an array of schedules as take_due_schedules returns them, with decided_until,
-- the time up to which nothing is left to decide: the last fire time that was decided, or the last
-- change of the schedule. The engine never leaves a schedule so, but for one whose last fire time
-- before its end was decided; a mistaken statement does. restore_fire_times takes the answer. Those
-- without an end come first: they are certainly wrong.
-- Locks: the schedules, skip locked. Source: docs/guarantees.md.
create or replace function tasker.take_stalled_schedules(
  p_limit int default 100, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_schedules jsonb;
begin
  select jsonb_agg(to_jsonb(d) order by d.schedule_uuid) into v_schedules
  from (select s.schedule_uuid, s.version, s.namespace_name as namespace, s.name, s.cron,
               s.every_seconds, s.zone, s.starts_at, s.ends_at, s.anchor_at, s.jitter_seconds,
               greatest(s.created_at, s.updated_at,
                        (select max(coalesce(f.until_at, f.fire_at))
                         from tasker.schedule_fires f
                         where f.schedule_uuid = s.schedule_uuid
                           and f.origin = 'schedule')) as decided_until
        from tasker.schedules s
        where s.next_fire_at is null
          and s.paused_at is null
          and s.deleted_at is null
          and coalesce(s.ends_at, 'infinity') > v_now
        order by coalesce(s.ends_at, 'infinity') desc, s.schedule_uuid limit p_limit
        for no key update skip locked) d;
  return coalesce(v_schedules, '[]');
end
$$;
comment on function tasker.take_stalled_schedules(int, timestamptz) is
  'Locks schedules that are active and have no next fire time and returns what a server needs to '
  'calculate it.';
