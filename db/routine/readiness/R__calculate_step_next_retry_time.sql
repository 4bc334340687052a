-- When a failed step is due again: a requested backoff counts from the last attempt, otherwise
-- multiplier^attempts seconds up to the cap count from the failure. Null when there was no failure.
create or replace function tasker.calculate_step_next_retry_time(
  p_backoff_request_seconds int,
  p_last_attempted_at       timestamptz,
  p_failure_time            timestamptz,
  p_attempts                int,
  p_max_backoff_seconds     int     default 60,
  p_backoff_multiplier      numeric default 2.0)
returns timestamptz
language sql immutable parallel safe
as $$
  select case
           when p_backoff_request_seconds is not null and p_last_attempted_at is not null then
             p_last_attempted_at + p_backoff_request_seconds * interval '1 second'
           when p_failure_time is not null then p_failure_time + interval '1 second' * least(
             power(p_backoff_multiplier, least(coalesce(p_attempts, 0), 32)),
             p_max_backoff_seconds)::float8 end
$$;
comment on function tasker.calculate_step_next_retry_time(
  int, timestamptz, timestamptz, int, int, numeric) is
  'When a failed step is due again: a requested backoff counts from the last attempt, otherwise '
  'multiplier^attempts seconds up to the cap count from the failure.';
