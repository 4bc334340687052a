-- Writes the domain event of a schedule that has paused itself after failures in a row, or because
-- the servers cannot calculate its fire times, in the transaction of the pause. It follows from the
-- last fire time that failed; the version of the schedule tells it from a pause at the same fire
-- time before a resume.
-- Locks: none but the new row. Trigger on schedules. Source: ADR 0055.
create or replace function tasker.publish_pause_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events (kind, cause_uuid, fire_at, sort_key, name, data)
  values ('schedule', new.schedule_uuid, (new.last_failure ->> 'fire_at')::timestamptz, new.version,
          'tasker.schedule.paused',
          jsonb_strip_nulls(jsonb_build_object('schedule', new.name, 'paused_at', new.paused_at,
                                               'failures', new.failures_in_a_row,
                                               'code', new.last_failure -> 'code')))
  on conflict do nothing;
  return null;
end
$$;
comment on function tasker.publish_pause_events() is
  'Writes the domain event of a schedule that has paused itself, in the transaction of the pause.';

create or replace trigger events_follow_pauses after update of paused_at on tasker.schedules
  for each row when (new.paused_by = 'tasker'
                     and old.paused_at is null
                     and new.last_failure is not
                       null) execute function tasker.publish_pause_events();
