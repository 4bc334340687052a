-- Records the outcomes of deliveries that a server claimed. p_results: [{delivery_uuid, claim,
-- status?, failure?, response?, duration_ms?, retry_after_seconds?, released?}]. A status from 200
-- to 299 is success. Anything else is a failure: the next attempt comes after backoff_seconds,
-- doubled each time up to backoff_cap_seconds, give or take a fifth; or as late as the receiver
-- asks for, up to a day. After max_attempts the delivery is dead, and the next event of its task is
-- sent. A ping has one attempt.
-- released: the server did not send it; the attempt does not count.
-- The webhook waits as a whole when a receiver that answers 429 or 503 names a time, and for a
-- minute after each failure from the tenth in a row on. It is paused when the receiver answers 410,
-- or has failed for pause_after_hours.
-- Returns {settled, stale, dead: [{webhook_uuid, delivery_uuid, event_uuid, attempts, cause}],
-- paused: [{webhook_uuid, name, reason}]}. A result of an earlier claim is stale and changes
-- nothing.
-- Locks: the webhooks in the order of their uuids, then the deliveries. Source: ADR 0054.
create or replace function tasker.settle_deliveries(p_results jsonb, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO' set jit = off
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_now     timestamptz;
  v_result  record;
  v_old     tasker.webhook_deliveries;
  v_webhook tasker.webhooks;
  v_failure text;
  v_wait    interval;
  v_is_dead boolean;
  v_settled int := 0;
  v_stale   int := 0;
  v_dead    jsonb := '[]';
  v_paused  jsonb := '[]';
begin
  perform from tasker.webhooks w
  where w.webhook_uuid in (select d.webhook_uuid
                           from tasker.webhook_deliveries d
                           join jsonb_array_elements(p_results) r
                             on d.delivery_uuid = (r.value ->> 'delivery_uuid')::uuid)
  order by w.webhook_uuid for no key update;
  v_now := coalesce(p_now, clock_timestamp());

  for v_result in
    select r.delivery_uuid, r.claim, r.status, left(r.failure, 500) as failure,
           left(r.response, 1024) as response, r.duration_ms,
           case when r.retry_after_seconds is not null then
                  least(greatest(r.retry_after_seconds, 1), 86400) end as retry_after_seconds,
           coalesce(r.released, false) as released
    from jsonb_to_recordset(
      p_results) as r(delivery_uuid uuid, claim int, status int, failure text, response text,
                      duration_ms int, retry_after_seconds bigint, released boolean)
    order by r.delivery_uuid
  loop
    select * into v_old
    from tasker.webhook_deliveries d
    where d.delivery_uuid = v_result.delivery_uuid
      and d.state = 'in_flight'
      and d.claims = v_result.claim for no key update;
    if not found then
      v_stale := v_stale + 1;
      continue;
    end if;
    v_settled := v_settled + 1;
    if v_result.released then
      update tasker.webhook_deliveries d set state = 'pending', leased_by = null, due_at = v_now
      where d.delivery_uuid = v_old.delivery_uuid;
      continue;
    end if;
    select * into strict v_webhook from tasker.webhooks w where w.webhook_uuid = v_old.webhook_uuid;

    if v_result.status between 200 and 299 then
      update tasker.webhook_deliveries d
      set state = 'delivered', ended_at = v_now, leased_by = null, attempts = d.attempts + 1,
          last_status = v_result.status, last_error = null,
          last_response = v_result.response, last_duration_ms = v_result.duration_ms
      where d.delivery_uuid = v_old.delivery_uuid;
      if not v_old.is_ping then
        update tasker.webhooks w
        set delivered_count = w.delivered_count + 1, last_delivered_at = v_now,
            failing_since = null, failures_in_a_row = 0, wait_until = null
        where w.webhook_uuid = v_old.webhook_uuid;
      end if;
      continue;
    end if;

    v_failure := coalesce(v_result.failure, 'the receiver answered ' || v_result.status);
    v_is_dead := v_old.is_ping or v_old.attempts + 1 >= v_webhook.max_attempts;
    v_wait := coalesce(v_result.retry_after_seconds * interval '1 second' * (1 + random() * 0.1),
                       least(v_webhook.backoff_cap_seconds,
                             v_webhook.backoff_seconds * power(
                               2::numeric, least(v_old.attempts, 20))) * (
                         0.8 + random() * 0.4) * interval '1 second');
    update tasker.webhook_deliveries d
    set state = case when v_is_dead then 'dead' else 'pending' end,
        ended_at = case when v_is_dead then v_now end, leased_by = null, attempts = d.attempts + 1,
        due_at = case when v_is_dead then d.due_at else v_now + v_wait end,
        last_status = v_result.status, last_error = v_failure,
        last_response = v_result.response, last_duration_ms = v_result.duration_ms
    where d.delivery_uuid = v_old.delivery_uuid;
    if v_old.is_ping then
      continue;
    end if;
    if v_is_dead then
      v_dead := v_dead || jsonb_build_object(
        'webhook_uuid', v_old.webhook_uuid, 'delivery_uuid', v_old.delivery_uuid,
        'event_uuid', v_old.event_uuid, 'attempts', v_old.attempts + 1, 'cause', v_failure);
    end if;
    update tasker.webhooks w
    set failed_count = w.failed_count + 1, dead_count = w.dead_count + v_is_dead::int,
        failures_in_a_row = w.failures_in_a_row + 1,
        failing_since = coalesce(w.failing_since, v_now), last_failure = v_failure,
        wait_until
          = greatest(w.wait_until,
                     case when v_result.status in (429, 503)
                            and v_result.retry_after_seconds is not null then v_now + v_wait end,
                     case when w.failures_in_a_row + 1 >= 10 then v_now + interval '1 minute' end)
    where w.webhook_uuid = v_old.webhook_uuid
    returning * into v_webhook;
    if v_webhook.paused_at is null
       and v_webhook.deleted_at is null
       and (v_result.status = 410
            or v_webhook.failing_since
              <= v_now - v_webhook.pause_after_hours * interval '1 hour') then
      update tasker.webhooks w
      set paused_at = v_now, paused_by = 'tasker', version = w.version + 1, updated_at = v_now,
          pause_reason = case when v_result.status = 410 then 'the receiver answered 410 Gone'
                              else format('the receiver has failed since %s: %s',
                                          v_webhook.failing_since, v_failure) end
      where w.webhook_uuid = v_old.webhook_uuid
      returning * into v_webhook;
      v_paused := v_paused || jsonb_build_object(
        'webhook_uuid', v_webhook.webhook_uuid, 'name', v_webhook.name,
        'reason', v_webhook.pause_reason);
    end if;
  end loop;
  return jsonb_build_object(
    'settled', v_settled, 'stale', v_stale, 'dead', v_dead, 'paused', v_paused);
end
$$;
comment on function tasker.settle_deliveries(jsonb, timestamptz) is
  'Records the outcomes of deliveries that a server claimed.';
