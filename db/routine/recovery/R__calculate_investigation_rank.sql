-- The time that orders dead letters for investigation, the earliest first: the time at which the
-- dead letter was opened, less a minute for every point of its reason. It is constant, so it can
-- serve as the page key. The view v_dlq_investigation_queue uses the same points.
create or replace function tasker.calculate_investigation_rank(
  p_reason tasker.dlq_reason, p_opened_at timestamptz)
returns timestamptz
language sql stable parallel safe
as $$
  select p_opened_at - interval '1 minute' * case p_reason
           when 'dependency_cycle_detected' then 1000
           when 'max_retries_exceeded' then 500
           when 'permanent_failure' then 500
           when 'staleness_timeout' then 100
           when 'worker_unavailable' then 50
           else 10 end
$$;
comment on function tasker.calculate_investigation_rank(tasker.dlq_reason, timestamptz) is
  'The time that orders dead letters for investigation, the earliest first.';
