-- The duration that stands for a bucket of duration_tallies: that with the same relative distance
-- to both ends of it.
create or replace function tasker.get_bucket_seconds(p_bucket int)
returns numeric
language sql immutable parallel safe
as $$
  select case
           when p_bucket = 0 then 0.001
           else pg_catalog.round(
             (2 * pg_catalog.power(1.1::double precision, p_bucket) / 2.1 / 1000)::numeric, 6) end
$$;
comment on function tasker.get_bucket_seconds(int) is
  'The duration that stands for a bucket of duration_tallies.';
