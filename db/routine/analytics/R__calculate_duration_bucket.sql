-- The bucket of duration_tallies that a duration belongs to: bucket n holds more than 1.1^(n-1) and
-- at most 1.1^n milliseconds, and 0 all up to one millisecond. get_bucket_seconds returns the
-- duration that stands for a bucket; it differs from each duration in it by less than 5 percent, or
-- a millisecond.
create or replace function tasker.calculate_duration_bucket(p_seconds numeric)
returns int
language sql immutable parallel safe
as $$
  select case when p_seconds <= 0.001 then 0
              else pg_catalog.ceil(pg_catalog.ln(1000 * p_seconds::double
                                                 precision) / pg_catalog.ln(
                                     1.1::double precision))::int end
$$;
comment on function tasker.calculate_duration_bucket(numeric) is
  'The bucket of duration_tallies that a duration belongs to.';
