-- Deletes the domain events of fire times whose record is deleted, and their deliveries to
-- webhooks. Locks: the rows. Source: ADR 0055. Trigger on schedule_fires.
create or replace function tasker.delete_fire_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  with gone as (
    delete from tasker.domain_events e
    using old_rows o
    where e.kind <> 'step'
      and e.cause_uuid = o.schedule_uuid
      and e.fire_at = o.fire_at
      and o.outcome = 'failed'
    returning e.event_uuid, e.cause_uuid)
  delete from tasker.webhook_deliveries d
  using gone g
  where d.schedule_uuid = g.cause_uuid and d.event_uuid = g.event_uuid;
  return null;
end
$$;
comment on function tasker.delete_fire_events() is
  'Deletes the domain events of fire times whose record is deleted, and their deliveries to '
  'webhooks.';

create or replace trigger events_go_with_their_fire after delete on tasker.schedule_fires
  referencing old table as old_rows for each statement execute function tasker.delete_fire_events();
