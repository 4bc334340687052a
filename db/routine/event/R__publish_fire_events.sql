-- Writes the domain event of a fire time whose task could not be submitted, in the transaction that
-- records it. Needs no key of a template: the template may be what is missing. A fire time that
-- fails again publishes no second event.
-- Locks: none but the new row. Trigger on schedule_fires. Source: ADR 0055.
create or replace function tasker.publish_fire_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events (kind, cause_uuid, fire_at, sort_key, name, data)
  select 'schedule', new.schedule_uuid, new.fire_at, 0, 'tasker.schedule.fire_failed',
         jsonb_strip_nulls(jsonb_build_object('schedule', s.name, 'fire_at', new.fire_at,
                                              'origin', new.origin, 'code', new.reason))
  from tasker.schedules s
  where s.schedule_uuid = new.schedule_uuid
  on conflict do nothing;
  return null;
end
$$;
comment on function tasker.publish_fire_events() is
  'Writes the domain event of a fire time whose task could not be submitted, in the transaction '
  'that records it.';

create or replace trigger events_follow_failed_fires after insert or update of outcome
on tasker.schedule_fires
  for each row when (new.outcome = 'failed') execute function tasker.publish_fire_events();
