-- Consumers of domain events for a monitoring system: an array of {consumer, failures,
-- waiting_seconds}: attempts in a row that have failed, and for how long nothing was sent although
-- something is there. Locks: none. Source: ADR 0055.
create or replace function tasker.get_consumer_figures(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'consumer', c.name, 'failures', c.failures,
                              'waiting_seconds', case
                                when exists (select from tasker.domain_events e
                                             where e.position is null)
                                  or exists (select from tasker.domain_events e
                                             where e.position > c.position) then round(
                                  greatest(extract(epoch from coalesce(p_now, clock_timestamp())
                                                   - c.progressed_at),
                                           0),
                                  3)
                                else 0 end) order by c.name),
                  '[]')
  from tasker.event_consumers c
$$;
comment on function tasker.get_consumer_figures(timestamptz) is
  'Figures of the consumers of domain events for monitoring: failures in a row, and how long '
  'they have waited.';
