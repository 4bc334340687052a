-- The position in the feed of domain events after which to begin: now, the beginning, a position or
-- a time: now (the present end), beginning, a position, or a time (just before the first event that
-- was written then or later; the present end when there is none).
-- Locks: none. Errors: 22007 or 22008 for a text that is none of these. Source: ADR 0054.
create or replace function tasker.find_feed_position(p_from text)
returns bigint
language plpgsql stable
set search_path = ''
as $$
declare
  v_end bigint := coalesce((select max(e.position) from tasker.domain_events e), 0);
begin
  if p_from = 'now' then
    return v_end;
  elsif p_from = 'beginning' then
    return 0;
  elsif p_from ~ '^[0-9]{1,18}$' then
    return least(p_from::bigint, v_end);
  end if;
  -- Identifiers grow with time; positions may differ from their order by as much as transactions
  -- overlap.
  return coalesce((select min(f.position) - 1
                   from (select e.position
                         from tasker.domain_events e
                         where e.event_uuid >= tasker.calculate_first_uuid(p_from::timestamptz)
                         order by e.event_uuid limit 1000) f),
                  v_end);
end
$$;
comment on function tasker.find_feed_position(text) is
  'The position in the feed of domain events after which to begin: now, the beginning, a '
  'position or a time.';
