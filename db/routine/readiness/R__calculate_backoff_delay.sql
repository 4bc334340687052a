-- The wait before the next attempt, in milliseconds, after p_attempt attempts have been made.
-- exponential: base × multiplier^(attempt−1); linear: base × attempt; fibonacci: base ×
-- fib(attempt); none: no wait. The cap is applied before the jitter, and p_jitter (−0.15 to 0.15 in
-- production, drawn by the caller so that this function stays pure) moves the result by that
-- fraction.
-- Errors: none; nulls give the defaults.
create or replace function tasker.calculate_backoff_delay(
  p_attempt    int,
  p_base_ms    int                 default 1000,
  p_kind       tasker.backoff_kind default 'exponential',
  p_cap_ms     int                 default 60000,
  p_jitter     numeric             default 0,
  p_multiplier numeric             default 2.0)
returns int
language sql immutable parallel safe
as $$
  select (least(
            coalesce(p_cap_ms, 60000)::numeric,
            coalesce(p_base_ms, 1000) * case coalesce(p_kind, 'exponential')
              -- Beyond 2^31 the cap always applies; the bound prevents an overflow of the power.
              when 'exponential' then power(p_multiplier, least(greatest(p_attempt, 1), 32) - 1)
              when 'linear' then greatest(p_attempt, 1)
              when 'fibonacci' then round(
                (power(1.618033988749895, least(greatest(p_attempt, 1), 45))
                 - power(-0.618033988749895, least(greatest(p_attempt, 1), 45))) / 2.23606797749979)
              else 0 end) * (1 + coalesce(p_jitter, 0)))::int
$$;
comment on function tasker.calculate_backoff_delay(
  int, int, tasker.backoff_kind, int, numeric, numeric) is
  'The wait before the next attempt, in milliseconds, after p_attempt attempts have been made.';
