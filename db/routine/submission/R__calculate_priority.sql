-- The priority of a task right now, in points: its own and its namespace's, one more for every
-- minute of waiting, one for every attempt after the first of the step that had most, and 100 when
-- it is older than its SLA. It only ever rises.
create or replace function tasker.calculate_priority(
  p_claim_order bigint, p_retries int default 0, p_now timestamptz default null)
returns numeric
language sql stable parallel safe
as $$
  select round((extract(epoch from coalesce(p_now, clock_timestamp())) * 1000
                - p_claim_order) / 60000,
               3) + coalesce(p_retries, 0)
$$;
comment on function tasker.calculate_priority(bigint, int, timestamptz) is
  'The priority of a task right now, in points; it only ever rises.';
