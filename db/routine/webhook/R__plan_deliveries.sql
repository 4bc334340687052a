-- Creates the deliveries of a webhook from the next events of the feed that its filter matches, and
-- moves its position: at most a page of 1000 events, and only as many as there is room for in its
-- window of 1000 open deliveries, so that a receiver that is down leaves its backlog in the feed.
-- An event that has a delivery which has ended, because the webhook was set back, is sent again.
-- The caller has locked the webhook. Returns whether there may be more that fits.
-- Locks: the deliveries that are sent again. Source: ADR 0054.
create or replace function tasker.plan_deliveries(p_webhook_uuid uuid, p_now timestamptz)
returns boolean
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_webhook tasker.webhooks;
  v_room    int;
  v_seen    int;
  v_last    bigint;
begin
  select * into strict v_webhook from tasker.webhooks w where w.webhook_uuid = p_webhook_uuid;
  v_room := 1000 - (select count(*)
                    from tasker.webhook_deliveries d
                    where d.webhook_uuid = p_webhook_uuid and d.ended_at is null);
  if v_room <= 0 then
    return false;
  end if;
  with page as materialized (
    select e.event_uuid, e.position, e.task_uuid,
           case when e.kind = 'schedule' then e.cause_uuid end as schedule_uuid, e.name,
           e.created_at
    from tasker.domain_events e
    where e.position > v_webhook.position
    order by e.position limit v_room),
  matching as materialized (
    select p.*
    from page p
    left join tasker.tasks t on t.task_uuid = p.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.schedules c on c.schedule_uuid = p.schedule_uuid
    where (nt.named_task_uuid is not null or c.schedule_uuid is not null)
      and (v_webhook.namespace_name is null
           or coalesce(ns.name, c.namespace_name) = v_webhook.namespace_name)
      and (v_webhook.template_name is null
           or coalesce(nt.name, c.template_name) = v_webhook.template_name)
      and (v_webhook.starts_at is null or p.created_at >= v_webhook.starts_at)
      and (v_webhook.event_types is null or p.name = any (v_webhook.event_types))),
  made as (
    insert into tasker.webhook_deliveries as d
      (webhook_uuid, event_uuid, task_uuid, schedule_uuid, position, event_type, event_at, due_at,
       created_at, replays)
    select p_webhook_uuid, m.event_uuid, m.task_uuid, m.schedule_uuid, m.position, m.name,
           m.created_at, p_now, p_now, (m.position <= v_webhook.replayed_to)::int
    from matching m
    order by m.position
    on conflict (webhook_uuid, event_uuid) do update
      set state = 'pending', attempts = 0, due_at = excluded.due_at, ended_at = null,
          replays = d.replays + 1
    where d.ended_at is not null)
  select count(*), max(p.position) into v_seen, v_last from page p;
  if v_seen > 0 then
    update tasker.webhooks w set position = v_last where w.webhook_uuid = p_webhook_uuid;
  end if;
  return v_seen = v_room;
end
$$;
comment on function tasker.plan_deliveries(uuid, timestamptz) is
  'Creates the deliveries of a webhook from the next events of the feed that its filter matches, '
  'and moves its position.';
