-- Pauses, resumes, deletes or replays a webhook, gives it another secret, or sends it a ping, with
-- the actor and the reason in operator_actions. A repeated pause, resume or delete changes nothing.
-- A paused webhook sends nothing but pings and keeps its place in the feed. A deleted one discards
-- what it has not sent, and its secrets are gone.
-- p_action: pause, resume, delete, rotate_secret, ping or replay. p_data: for rotate_secret
-- {secret, overlap_seconds}: how long the present secret signs beside the new one; for replay
-- {from}: beginning, a position or a time, from which on each matching event of the feed is sent
-- again.
-- Returns {outcome: done or already_done, webhook_uuid, version, delivery_uuid? (ping), position?
-- (replay)}, or {outcome: refused, code: webhook-not-found, …}.
-- Errors: TK007 for an unknown action.
-- Locks: the webhook, then its deliveries. Source: ADR 0054.
create or replace function tasker.change_webhook(
  p_webhook_uuid uuid, p_action text, p_by text, p_reason text, p_data jsonb default '{}',
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now      timestamptz;
  v_by       text := coalesce(tasker.get_caller(), p_by);
  v_old      tasker.webhooks;
  v_same     jsonb;
  v_details  jsonb := '{}';
  v_position bigint;
  v_delivery uuid;
begin
  if p_action is null
     or p_action not in ('pause', 'resume', 'delete', 'rotate_secret', 'ping', 'replay') then
    raise exception 'action must be pause, resume, delete, rotate_secret, ping or replay, not %',
      coalesce(p_action, 'null')
      using errcode = 'TK007';
  end if;
  select * into v_old
  from tasker.webhooks w
  where w.webhook_uuid = p_webhook_uuid and w.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('webhook', p_webhook_uuid::text);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_same := tasker.judge_webhook_action(v_old, p_action);
  if v_same is not null then
    return v_same;
  end if;

  if p_action = 'pause' then
    update tasker.webhooks w
    set paused_at = v_now, paused_by = v_by, pause_reason = p_reason, version = w.version + 1,
        updated_at = v_now
    where w.webhook_uuid = p_webhook_uuid;
  elsif p_action = 'resume' then
    update tasker.webhooks w
    set paused_at = null, paused_by = null, pause_reason = null, wait_until = null,
        failing_since = null, failures_in_a_row = 0, version = w.version + 1, updated_at = v_now
    where w.webhook_uuid = p_webhook_uuid;
  elsif p_action = 'delete' then
    delete from tasker.webhook_secrets s where s.webhook_uuid = p_webhook_uuid;
    update tasker.webhook_deliveries d set state = 'discarded', ended_at = v_now, leased_by = null
    where d.webhook_uuid = p_webhook_uuid and d.ended_at is null;
    update tasker.webhooks w
    set deleted_at = v_now, version = w.version + 1, updated_at = v_now, updated_by = v_by
    where w.webhook_uuid = p_webhook_uuid;
  elsif p_action = 'rotate_secret' then
    delete from tasker.webhook_secrets s
    where s.webhook_uuid = p_webhook_uuid and s.valid_until <= v_now;
    update tasker.webhook_secrets s
    set valid_until = v_now + (p_data ->> 'overlap_seconds')::int * interval '1 second'
    where s.webhook_uuid = p_webhook_uuid and s.valid_until is null;
    insert into tasker.webhook_secrets (webhook_uuid, secret, created_at)
    values (p_webhook_uuid, p_data ->> 'secret', v_now)
    on conflict (webhook_uuid, secret) do update set valid_until = null;
    update tasker.webhooks w set version = w.version + 1, updated_at = v_now, updated_by = v_by
    where w.webhook_uuid = p_webhook_uuid;
    v_details := p_data - 'secret';
  elsif p_action = 'ping' then
    insert into tasker.webhook_deliveries
      (webhook_uuid, event_uuid, is_ping, event_type, event_at, due_at, created_at)
    values (p_webhook_uuid, tasker.uuid_v7(), true, 'tasker.ping', v_now, v_now, v_now)
    returning delivery_uuid into v_delivery;
    v_details := jsonb_build_object('delivery_uuid', v_delivery);
  else
    v_position := least(tasker.find_feed_position(p_data ->> 'from'), v_old.position);
    update tasker.webhooks w
    set position = v_position, starts_at = null, replayed_to = greatest(w.replayed_to, w.position),
        first_position = least(w.first_position, v_position), version = w.version + 1,
        updated_at = v_now
    where w.webhook_uuid = p_webhook_uuid;
    v_details := p_data || jsonb_build_object('position', v_position);
  end if;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values (case p_action when 'rotate_secret' then 'rotate_webhook_secret'
               else p_action || '_webhook' end,
          p_by, p_reason, v_old.namespace_name, v_old.template_name,
          jsonb_build_object('webhook_uuid', p_webhook_uuid, 'name', v_old.name) || v_details);
  return jsonb_strip_nulls(
    jsonb_build_object(
      'outcome', 'done', 'webhook_uuid', p_webhook_uuid, 'delivery_uuid', v_delivery,
      'position', v_position,
      'version', (select w.version from tasker.webhooks w where w.webhook_uuid = p_webhook_uuid)));
end
$$;
comment on function tasker.change_webhook(uuid, text, text, text, jsonb, timestamptz) is
  'Pauses, resumes, deletes or replays a webhook, gives it another secret, or sends it a ping.';
