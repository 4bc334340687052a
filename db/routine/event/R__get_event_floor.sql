-- The lowest position that a consumer of domain events has been sent: the clean-up keeps tasks with
-- later events. Null: none has to be waited for. A consumer that has made no progress for seven
-- days is not waited for any longer, so that a broker that is gone does not stop the clean-up. Each
-- kind of consumer is one branch of the union, with its own rule of when it is no longer waited
-- for.
-- Locks: none. Source: ADR 0055.
create or replace function tasker.get_event_floor(p_now timestamptz default null)
returns bigint
language sql stable
set search_path = ''
as $$
  select min(f.position)
  from (
    select c.position from tasker.event_consumers c
    where c.progressed_at > coalesce(p_now, clock_timestamp()) - interval '7 days') f
$$;
comment on function tasker.get_event_floor(timestamptz) is
  'The lowest position that a consumer of domain events has been sent: the clean-up keeps tasks '
  'with later events.';
