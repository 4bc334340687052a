-- Sends a dead letter of a webhook again, or discards it, with the actor and the reason in
-- operator_actions. One that is sent again begins with its first attempt and goes before later
-- events of its task that are not sent yet.
-- p_action: retry, for one that is dead or discarded and whose event still exists; or discard, for
-- one that is pending or dead.
-- Returns {outcome: done, delivery_uuid}, or {outcome: refused, code: webhook-not-found,
-- delivery-not-found, delivery-not-movable, …}. Errors: TK007 for an unknown action.
-- Locks: the webhook, then the delivery. Source: ADR 0054.
create or replace function tasker.change_delivery(
  p_webhook_uuid uuid, p_delivery_uuid uuid, p_action text, p_by text, p_reason text,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now     timestamptz;
  v_webhook tasker.webhooks;
  v_old     tasker.webhook_deliveries;
  v_refusal jsonb;
begin
  if p_action is null or p_action not in ('retry', 'discard') then
    raise exception 'action must be retry or discard, not %', coalesce(p_action, 'null')
      using errcode = 'TK007';
  end if;
  select * into v_webhook
  from tasker.webhooks w
  where w.webhook_uuid = p_webhook_uuid and w.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('webhook', p_webhook_uuid::text);
  end if;
  select * into v_old
  from tasker.webhook_deliveries d
  where d.delivery_uuid = p_delivery_uuid and d.webhook_uuid = p_webhook_uuid for no key update;
  if not found then
    return tasker.refuse_unknown('delivery', p_delivery_uuid::text);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_refusal := tasker.judge_delivery_action(v_old, p_action);
  if v_refusal is not null then
    return v_refusal;
  end if;
  update tasker.webhook_deliveries d
  set state = case p_action when 'retry' then 'pending' else 'discarded' end, due_at = v_now,
      ended_at = case p_action when 'discard' then v_now end,
      attempts = case p_action when 'retry' then 0 else d.attempts end,
      replays = d.replays + case p_action when 'retry' then 1 else 0 end
  where d.delivery_uuid = p_delivery_uuid;
  insert into tasker.operator_actions
    (action, acted_by, reason, namespace, template_name, task_uuid, details)
  values (p_action || '_delivery', p_by, p_reason, v_webhook.namespace_name,
          v_webhook.template_name, v_old.task_uuid,
          jsonb_build_object('webhook_uuid', p_webhook_uuid, 'name', v_webhook.name,
                             'delivery_uuid', p_delivery_uuid, 'event_uuid', v_old.event_uuid));
  return jsonb_build_object('outcome', 'done', 'delivery_uuid', p_delivery_uuid);
end
$$;
comment on function tasker.change_delivery(uuid, uuid, text, text, text, timestamptz) is
  'Sends a dead letter of a webhook again, or discards it.';
