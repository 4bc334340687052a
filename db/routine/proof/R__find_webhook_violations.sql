-- Deliveries of webhooks that do not match the feed of events: one row per finding. Without nested loops, as find_event_violations.
-- Locks: none. Source: ADR 0054, docs/promises.md.
create or replace function tasker.find_webhook_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with deliveries as materialized (
    select d.* from tasker.webhook_deliveries d where not d.is_ping and d.event_at >= coalesce(p_since, '-infinity')),
  events as materialized (
    select e.event_uuid, e.task_uuid, e.position, e.name, e.created_at, coalesce(nt.name, c.template_name) as template_name, coalesce(ns.name, c.namespace_name) as namespace_name
    from tasker.domain_events e
    left join tasker.tasks t on t.task_uuid = e.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.schedules c on c.schedule_uuid = e.cause_uuid and e.kind = 'schedule'
    where (nt.named_task_uuid is not null or c.schedule_uuid is not null) and e.created_at >= coalesce(p_since, '-infinity'))
  select 'delivery_has_its_event', jsonb_build_object('delivery_uuid', d.delivery_uuid, 'event_uuid', d.event_uuid, 'task_uuid', d.task_uuid, 'schedule_uuid', d.schedule_uuid, 'position', d.position)
  from deliveries d
  left join tasker.domain_events e on e.event_uuid = d.event_uuid
  where (e.task_uuid, case when e.kind = 'schedule' then e.cause_uuid end, e.position, e.name) is distinct from (d.task_uuid, d.schedule_uuid, d.position, d.event_type)
  union all
  -- Of webhooks only as many as their namespaces have, so that this is no product of two large tables.
  select 'event_has_its_deliveries', jsonb_build_object('webhook_uuid', x.webhook_uuid, 'event_uuid', x.event_uuid, 'position', x.position)
  from (select w.webhook_uuid, e.event_uuid, e.position
        from tasker.webhooks w cross join events e
        where w.deleted_at is null and e.position > w.first_position and e.position <= w.position
          and (w.namespace_name is null or w.namespace_name = e.namespace_name) and (w.template_name is null or w.template_name = e.template_name)
          and (w.event_types is null or e.name = any (w.event_types)) and (w.starts_at is null or e.created_at >= w.starts_at)
          and e.created_at > clock_timestamp() - coalesce((select t.keep_days from tasker.expiring_tables t where t.table_name = 'webhook_deliveries'), 36500) * interval '1 day') x
  left join deliveries d on d.webhook_uuid = x.webhook_uuid and d.event_uuid = x.event_uuid
  where d.delivery_uuid is null
  union all
  select 'deliveries_of_a_task_are_in_order', jsonb_build_object('delivery_uuid', o.delivery_uuid, 'position', o.position, 'first_open', o.first_open)
  from (select d.delivery_uuid, d.position, d.state, d.replays,
               min(d.position) filter (where d.ended_at is null and d.replays = 0) over (partition by d.webhook_uuid, d.task_uuid, d.schedule_uuid) as first_open,
               count(*) filter (where d.state = 'in_flight' and d.due_at > clock_timestamp()) over (partition by d.webhook_uuid, d.task_uuid, d.schedule_uuid) as in_flight
        from deliveries d) o
  where o.replays = 0 and o.state in ('delivered', 'dead', 'in_flight') and o.position > o.first_open or o.state = 'in_flight' and o.in_flight > 1
  union all
  select 'webhook_has_a_secret', jsonb_build_object('webhook_uuid', w.webhook_uuid)
  from tasker.webhooks w
  left join (select distinct s.webhook_uuid from tasker.webhook_secrets s where s.valid_until is null) s on s.webhook_uuid = w.webhook_uuid
  where (s.webhook_uuid is null) = (w.deleted_at is null)
$$;
comment on function tasker.find_webhook_violations(timestamptz) is 'Deliveries of webhooks that do not match the feed of events: one row per finding.';
