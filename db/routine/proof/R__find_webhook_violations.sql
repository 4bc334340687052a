-- Deliveries of webhooks that do not match the feed of events: one row per finding. Without nested
-- loops, as find_event_violations.
-- Locks: none. Source: ADR 0054, docs/reference/invariants.md.
create or replace function tasker.find_webhook_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with deliveries as materialized (
    select d.*
    from tasker.webhook_deliveries d
    where not d.is_ping and d.event_at >= coalesce(p_since, '-infinity')),
  events as materialized (
    select e.event_uuid, e.task_uuid, e.position, e.name, e.created_at,
           coalesce(nt.name, c.template_name) as template_name,
           coalesce(ns.name, c.namespace_name) as namespace_name
    from tasker.domain_events e
    left join tasker.tasks t on t.task_uuid = e.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.schedules c on c.schedule_uuid = e.cause_uuid and e.kind = 'schedule'
    where (nt.named_task_uuid is not null or c.schedule_uuid is not null)
      and e.created_at >= coalesce(p_since, '-infinity'))
  select 'delivery_has_its_event',
         jsonb_build_object('delivery_uuid', d.delivery_uuid, 'event_uuid', d.event_uuid,
                            'task_uuid', d.task_uuid, 'schedule_uuid', d.schedule_uuid,
                            'position', d.position)
  from deliveries d
  left join tasker.domain_events e on e.event_uuid = d.event_uuid
  where (e.task_uuid, case when e.kind = 'schedule' then e.cause_uuid end, e.position, e.name,
         e.created_at)
      is distinct from (d.task_uuid, d.schedule_uuid, d.position, d.event_type, d.event_at)
  union all
  -- One that was made since the filter is what it is matches it.
  select 'delivery_has_its_event',
         jsonb_build_object('delivery_uuid', d.delivery_uuid, 'event_uuid', d.event_uuid,
                            'webhook_uuid', d.webhook_uuid, 'is_there', w.webhook_uuid is not null)
  from tasker.webhook_deliveries d
  left join tasker.webhooks w on w.webhook_uuid = d.webhook_uuid
  left join events e on e.event_uuid = d.event_uuid
  where w.webhook_uuid is null
    or (d.created_at > w.updated_at
        and e.event_uuid is not null
        and (w.namespace_name <> e.namespace_name
             or w.template_name <> e.template_name
             or e.name <> all (w.event_types)
             or e.created_at < w.starts_at))
  union all
  -- A replay sets the webhook back, and says how far it had been.
  select 'webhook_is_as_far_as_its_deliveries',
         jsonb_build_object('webhook_uuid', d.webhook_uuid, 'delivery_uuid', d.delivery_uuid,
                            'position', d.position, 'webhook_position', w.position,
                            'replayed_to', w.replayed_to)
  from deliveries d
  join tasker.webhooks w on w.webhook_uuid = d.webhook_uuid
  where d.position > greatest(w.position, w.replayed_to)
  union all
  -- Deliveries go after days, so that what is left is a lower bound.
  select 'webhook_counts_its_deliveries',
         jsonb_build_object(
           'webhook_uuid', w.webhook_uuid,
           'kept', jsonb_build_array(w.delivered_count, w.failed_count, w.dead_count),
           'counted', jsonb_build_array(c.delivered, c.failed, c.dead), 'starts_at', w.starts_at)
  from tasker.webhooks w
  left join (select d.webhook_uuid, count(*) filter (where d.state = 'delivered') as delivered,
                    count(*) filter (where d.state = 'dead') as dead,
                    sum(d.attempts - (d.state = 'delivered')::int) as failed
             from deliveries d
             group by d.webhook_uuid) c on c.webhook_uuid = w.webhook_uuid
  where w.delivered_count < c.delivered
    or w.failed_count < c.failed
    or w.dead_count < c.dead
    or w.failures_in_a_row > w.failed_count
    or (w.starts_at is not null
        and w.starts_at not between w.created_at - interval '10 minutes' and w.created_at
          + interval '10 minutes')
  union all
  -- What an attempt left behind. A webhook may have been changed since, and one that was deleted
  -- has nothing open.
  select 'delivery_is_what_its_attempts_were',
         jsonb_build_object('delivery_uuid', d.delivery_uuid, 'state', d.state,
                            'attempts', d.attempts, 'claims', d.claims, 'status', d.last_status,
                            'due_at', d.due_at)
  from tasker.webhook_deliveries d
  join tasker.webhooks w on w.webhook_uuid = d.webhook_uuid
  where d.claims < d.attempts
    or (d.attempts > 0 or d.state = 'in_flight') and d.last_attempt_at is null
    or d.state in ('delivered', 'dead') and d.attempts = 0
    or d.state = 'delivered' and coalesce(d.last_status not between 200 and 299, true)
    or d.state = 'dead'
      and not d.is_ping
      and d.attempts < w.max_attempts
      and d.ended_at > w.updated_at
    or d.ended_at is null and w.deleted_at is not null
    or d.replays > 0
      and not d.is_ping
      and d.position > w.replayed_to
      and d.delivery_uuid::text not in (
        select a.details ->> 'delivery_uuid'
        from tasker.operator_actions a
        where a.action = 'retry_delivery')
  union all
  -- A receiver may ask for a day, and ours are given a fifth more or less; a claim is of the
  -- time-out and half a minute.
  select 'delivery_is_due_within_its_backoff',
         jsonb_build_object('delivery_uuid', d.delivery_uuid, 'state', d.state, 'due_at', d.due_at,
                            'last_attempt_at', d.last_attempt_at)
  from tasker.webhook_deliveries d
  where d.state = 'in_flight' and d.due_at > d.last_attempt_at + interval '5 minutes'
    or d.state = 'pending'
      and d.due_at
        > greatest(d.last_attempt_at, d.created_at, clock_timestamp()) + interval '30 hours'
    or d.state = 'pending'
      and d.last_attempt_at is null
      and d.replays = 0
      and d.due_at > d.created_at + interval '10 minutes'
  union all
  -- Joined by the namespace: all webhooks with all events would be a product of two large tables.
  -- Of webhooks for all namespaces there are a hundred.
  select 'event_has_its_deliveries',
         jsonb_build_object('webhook_uuid', x.webhook_uuid, 'event_uuid', x.event_uuid,
                            'position', x.position)
  from (select w.webhook_uuid, w.event_uuid, w.event_position as position
        from (select h.*, e.event_uuid, e.position as event_position, e.name as event_name,
                     e.template_name as event_template, e.created_at as event_at
              from tasker.webhooks h
              join events e on e.namespace_name = h.namespace_name
              union all
              select h.*, e.event_uuid, e.position, e.name, e.template_name, e.created_at
              from tasker.webhooks h
              cross join events e
              where h.namespace_name is null) w
        where w.deleted_at is null
          and w.event_position > w.first_position
          and w.event_position <= w.position
          and (w.template_name is null or w.template_name = w.event_template)
          and (w.event_types is null or w.event_name = any (w.event_types))
          and (w.starts_at is null or w.event_at >= w.starts_at)
          and w.event_at
            > clock_timestamp() - coalesce((select t.keep_days
                                            from tasker.expiring_tables t
                                            where t.table_name = 'webhook_deliveries'),
                                           36500) * interval '1 day') x
  left join deliveries d on d.webhook_uuid = x.webhook_uuid and d.event_uuid = x.event_uuid
  where d.delivery_uuid is null
  union all
  select 'deliveries_of_a_task_are_in_order',
         jsonb_build_object('delivery_uuid', o.delivery_uuid, 'position', o.position,
                            'first_open', o.first_open)
  from (select d.delivery_uuid, d.position, d.state, d.replays,
               min(d.position)
                 filter (where d.ended_at is null and d.replays = 0)
                 over (partition by d.webhook_uuid, d.task_uuid, d.schedule_uuid) as first_open,
               count(*)
                 filter (where d.state = 'in_flight' and d.due_at > clock_timestamp())
                 over (partition by d.webhook_uuid, d.task_uuid, d.schedule_uuid) as in_flight
        from deliveries d) o
  where o.replays = 0
      and o.state in ('delivered', 'dead', 'in_flight')
      and o.position > o.first_open
    or o.state = 'in_flight' and o.in_flight > 1
  union all
  select 'webhook_has_a_secret',
         jsonb_build_object('webhook_uuid', coalesce(w.webhook_uuid, s.webhook_uuid),
                            'present', s.present)
  from tasker.webhooks w
  full join (select s.webhook_uuid, count(*) filter (where s.valid_until is null) as present
             from tasker.webhook_secrets s
             group by s.webhook_uuid) s on s.webhook_uuid = w.webhook_uuid
  -- One signs now, and others for a while beside it.
  where w.webhook_uuid is null
    or coalesce(s.present, 0) <> (w.deleted_at is null)::int
    or (w.deleted_at is not null and s.webhook_uuid is not null)
$$;
comment on function tasker.find_webhook_violations(timestamptz) is
  'Deliveries of webhooks that do not match the feed of events: one row per finding.';
