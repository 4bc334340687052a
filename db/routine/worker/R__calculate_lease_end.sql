-- The end of a lease that is granted now. One without a length lasts a minute: a running step
-- without an end would never be recovered.
create or replace function tasker.calculate_lease_end(p_now timestamptz, p_lease_seconds int)
returns timestamptz
language sql stable parallel safe
as $$
  select p_now + coalesce(p_lease_seconds, 60) * interval '1 second'
$$;
comment on function tasker.calculate_lease_end(timestamptz, int) is
  'The end of a lease that is granted now.';
