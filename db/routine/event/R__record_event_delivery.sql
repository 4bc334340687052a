-- Records how far a server has sent the events of a consumer. p_failure: why it could not send on;
-- the next attempt follows after two seconds at first and a minute at most, by whichever server
-- asks then, because the broker may be out of reach of this one only.
-- Returns {outcome: done}, or {outcome: lost} when another server has the lease: nothing is
-- recorded, and that server sends again.
-- Locks: the consumer. Source: ADR 0055.
create or replace function tasker.record_event_delivery(
  p_name text, p_server_uuid uuid, p_position bigint, p_failure text default null,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now timestamptz;
begin
  perform from tasker.event_consumers c where c.name = p_name for no key update;
  v_now := coalesce(p_now, clock_timestamp());
  update tasker.event_consumers c
  set position = greatest(c.position, p_position),
      progressed_at = case when p_position > c.position then v_now else c.progressed_at end,
      failures = case when p_failure is null then 0 else least(c.failures + 1, 1000000) end,
      retry_at = case when p_failure is not null then v_now
                        + least(power(2, least(c.failures + 1, 6)), 60) * interval '1 second' end,
      last_failure = left(p_failure, 1000),
      holder_uuid = case when p_failure is null then c.holder_uuid end,
      lease_until = case when p_failure is null then c.lease_until end
  where c.name = p_name and c.holder_uuid = p_server_uuid;
  return jsonb_build_object('outcome', case when found then 'done' else 'lost' end);
end
$$;
comment on function tasker.record_event_delivery(text, uuid, bigint, text, timestamptz) is
  'Records how far a server has sent the events of a consumer.';
