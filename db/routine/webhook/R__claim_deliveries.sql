-- Makes the deliveries of webhooks that are behind the feed, and claims up to p_limit of those that
-- are due for a server, which sends them after the commit and reports each to settle_deliveries. A
-- claim holds for the time-out of the webhook and half a minute: then another server may claim the
-- delivery again, so that an event whose server died is sent twice rather than never.
-- Of one task, or one schedule, and webhook only one event is in flight, the first in the feed that
-- has not ended: a failing event holds back later ones of its task and no others. A webhook has at
-- most max_in_flight deliveries in flight, over all servers; after ten failures in a row one a
-- minute. The last p_reserved of the p_limit go only to webhooks that have none in flight, so that
-- slow receivers hold up no others.
-- Returns {deliveries: [{delivery_uuid, claim, webhook_uuid, url, secrets: [...], timeout_seconds,
-- attempt, event (a CloudEvent), event_uuid, at (seconds since 1970)}],
-- more: whether to call again at once, next_due_in_ms: of what is pending and not due yet, null for
-- nothing}.
-- Locks: those of sequence_events; the webhooks, skip locked; the deliveries. Source: ADR 0054.
create or replace function tasker.claim_deliveries(
  p_server_uuid uuid, p_limit int default 32, p_reserved int default 0,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_end     bigint;
  v_webhook record;
  v_busy    int;
  v_found   uuid[] := '{}';
  v_ranks   int[] := '{}';
  v_new     uuid[];
  v_more    boolean := false;
  v_claimed jsonb;
begin
  if not exists (select from tasker.webhooks w where w.deleted_at is null) then
    return '{"deliveries": [], "more": false, "next_due_in_ms": null}';
  end if;
  if exists (select from tasker.webhooks w where w.deleted_at is null and w.paused_at is null) then
    v_more := tasker.sequence_events(1000) = 1000;
  end if;
  v_end := coalesce((select max(e.position) from tasker.domain_events e), 0);

  for v_webhook in
    select w.webhook_uuid, w.paused_at, w.position, w.wait_until, w.failures_in_a_row,
           w.max_in_flight
    from tasker.webhooks w
    where w.deleted_at is null
      and (w.paused_at is null and w.position < v_end
           or exists (select from tasker.webhook_deliveries d
                      where d.webhook_uuid = w.webhook_uuid
                        and d.ended_at is null
                        and d.due_at <= v_now
                        and (d.is_ping
                             or w.paused_at is null
                               and (w.wait_until is null or w.wait_until <= v_now))))
    order by w.webhook_uuid
    for no key update skip locked
  loop
    if v_webhook.paused_at is null and v_webhook.position < v_end then
      v_more := tasker.plan_deliveries(v_webhook.webhook_uuid, v_now) or v_more;
    end if;
    v_busy := (select count(*)
               from tasker.webhook_deliveries d
               where d.webhook_uuid = v_webhook.webhook_uuid
                 and d.ended_at is null
                 and d.state = 'in_flight'
                 and d.due_at > v_now
                 and not d.is_ping);
    select array_agg(n.delivery_uuid order by n.is_ping desc, n.position) into v_new
    from (
      select o.delivery_uuid, o.is_ping, o.position
      from (
        select distinct on (coalesce(d.task_uuid, d.schedule_uuid, d.delivery_uuid))
               d.delivery_uuid,
               d.is_ping, d.position, d.due_at
        from tasker.webhook_deliveries d
        where d.webhook_uuid = v_webhook.webhook_uuid and d.ended_at is null
        order by coalesce(d.task_uuid, d.schedule_uuid, d.delivery_uuid),
          d.state = 'in_flight' and d.due_at > v_now desc, d.position) o
      where o.due_at <= v_now
        and (o.is_ping
             or v_webhook.paused_at is null
               and (v_webhook.wait_until is null or v_webhook.wait_until <= v_now))
      order by o.is_ping desc, o.position
      limit greatest(case when v_webhook.failures_in_a_row >= 10 then 1
                          else v_webhook.max_in_flight end - v_busy,
                     1)) n
    where n.is_ping
      or v_busy
        < case when v_webhook.failures_in_a_row >= 10 then 1 else v_webhook.max_in_flight end;
    if v_new is not null then
      v_found := v_found || v_new;
      v_ranks := v_ranks || (select array_agg(v_busy + g.n order by g.n)
                             from generate_series(1, cardinality(v_new)) as g(n));
    end if;
  end loop;

  -- Webhooks with the least in flight come first; what exceeds the share that all may use is left
  -- for the next call.
  with ranked as (
    select f.delivery_uuid, f.rank, row_number() over (order by f.rank, f.delivery_uuid) as n
    from unnest(v_found, v_ranks) as f(delivery_uuid, rank)),
  claimed as (
    update tasker.webhook_deliveries d
    set state = 'in_flight', claims = d.claims + 1, leased_by = p_server_uuid,
        last_attempt_at = v_now,
        due_at = v_now + (w.timeout_seconds + 30) * interval '1 second'
    from ranked r, tasker.webhooks w
    where d.delivery_uuid = r.delivery_uuid
      and w.webhook_uuid = d.webhook_uuid
      and r.n <= case when r.rank = 1 then p_limit else p_limit - p_reserved end
    returning d.delivery_uuid, d.claims, d.webhook_uuid, d.event_uuid, d.is_ping, d.position,
              d.attempts, w.url, w.timeout_seconds, w.name)
  select coalesce(jsonb_agg(
                    jsonb_build_object(
                      'delivery_uuid', c.delivery_uuid, 'claim', c.claims,
                      'webhook_uuid', c.webhook_uuid, 'url', c.url,
                      'timeout_seconds', c.timeout_seconds, 'attempt', c.attempts + 1,
                      'event_uuid', c.event_uuid, 'at', floor(extract(epoch from v_now))::bigint,
                      'secrets', (select jsonb_agg(s.secret order by s.valid_until desc nulls first)
                                  from tasker.webhook_secrets s
                                  where s.webhook_uuid = c.webhook_uuid
                                    and (s.valid_until is null or s.valid_until > v_now)),
                      'event', case
                        when c.is_ping then jsonb_build_object(
                          'specversion', '1.0', 'id', c.event_uuid,
                          'source', '/v1/webhooks/' || c.webhook_uuid, 'type', 'tasker.ping',
                          'time', v_now, 'datacontenttype', 'application/json',
                          'data', jsonb_build_object('webhook', c.name))
                        else tasker.get_event_document(c.event_uuid) end) order by c.is_ping desc,
                    c.position),
                  '[]') into v_claimed
  from claimed c;

  return jsonb_build_object(
    'deliveries', v_claimed, 'more', v_more,
    'next_due_in_ms', (
      select ceil(extract(epoch from min(greatest(n.due_at, n.wait_until)) - v_now) * 1000)
      from (select w.wait_until,
                   (select min(d.due_at)
                    from tasker.webhook_deliveries d
                    where d.webhook_uuid = w.webhook_uuid
                      and d.ended_at is null
                      and d.due_at > v_now) as due_at
            from tasker.webhooks w
            where w.deleted_at is null and w.paused_at is null) n
      where n.due_at is not null));
end
$$;
comment on function tasker.claim_deliveries(uuid, int, int, timestamptz) is
  'Creates the deliveries of webhooks that are behind the feed, and claims those that are due '
  'for a server.';
