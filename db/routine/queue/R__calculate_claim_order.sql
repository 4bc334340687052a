-- The order of a task in the claim: milliseconds since the epoch of its creation, less one minute
-- for every point of priority. All tasks age alike, so the order between two of them never changes
-- and the number can be stored and indexed; calculate_priority turns it back into points.
-- Without a zone the whole body is immutable: only then the planner inlines it.
create or replace function tasker.calculate_claim_order(p_created_at timestamptz, p_points numeric)
returns bigint
language sql immutable parallel safe
as $$
  select (extract(epoch from p_created_at at time zone 'UTC') * 1000 - p_points * 60000)::bigint
$$;
comment on function tasker.calculate_claim_order(timestamptz, numeric) is
  'The order of a task in the claim: milliseconds since the epoch of its creation, less one '
  'minute for every point of priority.';
