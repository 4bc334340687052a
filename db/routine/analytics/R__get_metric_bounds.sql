-- The upper bounds in seconds of the buckets of metric_totals, ascending.
create or replace function tasker.get_metric_bounds()
returns numeric[]
language sql immutable parallel safe
as $$
  select '{0.005,0.025,0.1,0.25,0.5,1,2.5,5,10,30,60,300,1800,3600,14400,86400}'::numeric[]
$$;
comment on function tasker.get_metric_bounds() is
  'The upper bounds in seconds of the buckets of metric_totals, ascending.';
