-- Gives the next committed domain events their position in the feed, at most p_limit of them. An
-- event may commit after others with higher numbers, and gets its position when it is seen. Only
-- one transaction at a time does so, and its positions are visible before the next takes any: who
-- has read up to a position has missed nothing before it. Events of one task that follow from each
-- other are in their order: the earlier one was committed before the later one was written, and has
-- the lower event_number.
-- Returns how many got one; 0 also while another transaction assigns positions. Locks: an advisory
-- lock that is only tried, the rows. Source: ADR 0050.
create or replace function tasker.sequence_events(p_limit int default 1000)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_sequenced int;
begin
  if not exists (select from tasker.domain_events e where e.position is null)
     or not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtext('tasker.sequence_events')) then
    return 0;
  end if;
  with next as materialized (
    select e.event_uuid, e.event_number
    from tasker.domain_events e
    where e.position is null
    order by e.event_number limit p_limit),
  placed as materialized (
    select o.event_uuid, nextval('tasker.domain_event_positions') as position
    from (select n.event_uuid from next n order by n.event_number) o)
  update tasker.domain_events e set position = p.position
  from placed p
  where e.event_uuid = p.event_uuid;
  get diagnostics v_sequenced = row_count;
  return v_sequenced;
end
$$;
comment on function tasker.sequence_events(int) is
  'Gives the next committed domain events their position in the feed.';
