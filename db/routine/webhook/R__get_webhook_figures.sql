-- Webhooks for a monitoring system: how many are active, paused and failing, how many deliveries
-- are open and dead letters are kept, how old the oldest event is that an active webhook has
-- planned and not delivered, how far the feed is ahead of the last of them, and what became of
-- attempts so far. Locks: none. Source: ADR 0054.
create or replace function tasker.get_webhook_figures(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'active', count(*) filter (where w.deleted_at is null and w.paused_at is null),
           'paused', count(*) filter (where w.deleted_at is null and w.paused_at is not null),
           'failing', count(*) filter (where w.deleted_at is null and w.failures_in_a_row > 0),
           'open', coalesce(sum(o.open), 0), 'dead_letters', coalesce(sum(o.dead), 0),
           'oldest_open_seconds', coalesce(
             round(greatest(extract(epoch from coalesce(p_now, clock_timestamp())
                                    - min(o.oldest) filter (where w.paused_at is null)),
                            0),
                   3),
             0),
           'behind', coalesce(max((select max(e.position) from tasker.domain_events e) - w.position)
                                filter (where w.deleted_at is null and w.paused_at is null),
                              0),
           'delivered', coalesce(sum(w.delivered_count), 0),
           'failed', coalesce(sum(w.failed_count), 0), 'dead', coalesce(sum(w.dead_count), 0))
  from tasker.webhooks w
  left join lateral (
    select (select count(*)
            from tasker.webhook_deliveries d
            where d.webhook_uuid = w.webhook_uuid and d.ended_at is null) as open,
           (select count(*)
            from tasker.webhook_deliveries d
            where d.webhook_uuid = w.webhook_uuid and d.state = 'dead' and not d.is_ping) as dead,
           (select min(d.event_at)
            from tasker.webhook_deliveries d
            where d.webhook_uuid = w.webhook_uuid and d.ended_at is null) as oldest) o
    on w.deleted_at is null
$$;
comment on function tasker.get_webhook_figures(timestamptz) is
  'Figures of webhooks for monitoring: how many, how late, and the outcomes of attempts.';
