-- Creates a webhook, or changes the one that is given. The caller, a server, has validated the
-- address and the members, and has checked that the author may read what the events contain.
-- p_webhook: {namespace?, name, url, description?, event_types?, template_name?, timeout_seconds,
-- max_attempts, max_in_flight, backoff_seconds, backoff_cap_seconds, pause_after_hours}; a new one
-- also {secret, from?: now, beginning or a time}. A change gives all of it, except namespace, name
-- and secret, which stay, and p_version, the version that its author saw. A change of the filter
-- holds for events that have no delivery yet.
-- Returns {outcome: created, updated or unchanged, webhook_uuid, version}, or {outcome: refused,
-- code: webhook-exists, too-many-webhooks, webhook-not-found or webhook-version-changed, …}.
-- Locks: the webhook; for a new one an advisory lock. Source: ADR 0054.
create or replace function tasker.save_webhook(
  p_webhook jsonb, p_by text, p_reason text, p_webhook_uuid uuid default null,
  p_version int default null, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_by    text := coalesce(tasker.get_caller(), p_by);
  v_old   tasker.webhooks;
  v_new   tasker.webhooks := jsonb_populate_record(null::tasker.webhooks, p_webhook);
  v_start bigint;
begin
  if p_webhook_uuid is null and p_version is null then
    v_new.namespace_name := p_webhook ->> 'namespace';
    perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('tasker.save_webhook'));
    if (select count(*)
        from tasker.webhooks w
        where w.namespace_name is not distinct from v_new.namespace_name and w.deleted_at is null)
        >= 100 then
      return jsonb_build_object(
        'outcome', 'refused', 'code', 'too-many-webhooks', 'field', 'namespace',
        'message', 'there are 100 webhooks in this namespace, which is the limit');
    end if;
    v_start := tasker.find_feed_position(coalesce(p_webhook ->> 'from', 'now'));
    insert into tasker.webhooks
      (namespace_name, name, url, description, event_types, template_name, timeout_seconds,
       max_attempts, max_in_flight, backoff_seconds, backoff_cap_seconds, pause_after_hours,
       position, first_position, starts_at, created_at, created_by, updated_at, updated_by)
    values (v_new.namespace_name, v_new.name, v_new.url, v_new.description, v_new.event_types,
            v_new.template_name, v_new.timeout_seconds, v_new.max_attempts, v_new.max_in_flight,
            v_new.backoff_seconds, v_new.backoff_cap_seconds, v_new.pause_after_hours, v_start,
            v_start,
            case when coalesce(p_webhook ->> 'from', 'now') = 'now' then clock_timestamp() end,
            v_now, v_by, v_now, v_by)
    on conflict (namespace_name, name)
    where deleted_at is null do nothing
    returning * into v_old;
    if not found then
      return jsonb_build_object(
        'outcome', 'refused', 'code', 'webhook-exists', 'field', 'name',
        'message', format('there is a webhook %s %s: change it, or choose another name', v_new.name,
                          case when v_new.namespace_name is null then 'for all namespaces'
                               else 'in namespace ' || v_new.namespace_name end));
    end if;
    insert into tasker.webhook_secrets (webhook_uuid, secret, created_at)
    values (v_old.webhook_uuid, p_webhook ->> 'secret', v_now);
    insert into tasker.operator_actions
      (action, acted_by, reason, namespace, template_name, details)
    values ('create_webhook', p_by, p_reason, v_old.namespace_name, v_old.template_name,
            jsonb_build_object('webhook_uuid', v_old.webhook_uuid, 'name', v_old.name));
    return jsonb_build_object(
      'outcome', 'created', 'webhook_uuid', v_old.webhook_uuid, 'version', v_old.version);
  end if;

  select * into v_old
  from tasker.webhooks w
  where w.webhook_uuid = p_webhook_uuid and w.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('webhook', p_webhook_uuid::text);
  end if;
  if v_old.version is distinct from p_version then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'webhook-version-changed', 'field', 'version',
      'message', format('the webhook has version %s, not %s: it was changed since it was read',
                        v_old.version, coalesce(p_version::text, 'null')));
  end if;
  if (v_old.url, v_old.description, v_old.event_types, v_old.template_name, v_old.timeout_seconds,
      v_old.max_attempts, v_old.max_in_flight, v_old.backoff_seconds, v_old.backoff_cap_seconds,
      v_old.pause_after_hours) is not distinct from (
      v_new.url, v_new.description, v_new.event_types, v_new.template_name, v_new.timeout_seconds,
      v_new.max_attempts, v_new.max_in_flight, v_new.backoff_seconds, v_new.backoff_cap_seconds,
      v_new.pause_after_hours) then
    return jsonb_build_object(
      'outcome', 'unchanged', 'webhook_uuid', v_old.webhook_uuid, 'version', v_old.version);
  end if;
  update tasker.webhooks w
  set url = v_new.url, description = v_new.description, event_types = v_new.event_types,
      template_name = v_new.template_name, timeout_seconds = v_new.timeout_seconds,
      max_attempts = v_new.max_attempts, max_in_flight = v_new.max_in_flight,
      backoff_seconds = v_new.backoff_seconds, backoff_cap_seconds = v_new.backoff_cap_seconds,
      pause_after_hours = v_new.pause_after_hours,
      first_position = case when (w.event_types, w.template_name)
                              is distinct from (v_new.event_types, v_new.template_name) then
                              w.position
                            else w.first_position end,
      -- Another receiver has not failed.
      wait_until = case when w.url = v_new.url then w.wait_until end,
      failing_since = case when w.url = v_new.url then w.failing_since end,
      failures_in_a_row = case when w.url = v_new.url then w.failures_in_a_row else 0 end,
      version = w.version + 1, updated_at = v_now, updated_by = v_by
  where w.webhook_uuid = p_webhook_uuid
  returning * into v_new;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values ('update_webhook', p_by, p_reason, v_old.namespace_name, v_new.template_name,
          jsonb_build_object('webhook_uuid', v_old.webhook_uuid, 'name', v_old.name,
                             'version', v_new.version));
  return jsonb_build_object(
    'outcome', 'updated', 'webhook_uuid', v_old.webhook_uuid, 'version', v_new.version);
end
$$;
comment on function tasker.save_webhook(jsonb, text, text, uuid, int, timestamptz) is
  'Creates a webhook, or changes the one that is given.';
