-- A page of webhooks that are not deleted, newest first, as {webhooks: [...], next}; next is null
-- on the last page. Never with a secret.
-- p_filter: {webhook_uuid?, namespace?, name?, paused?, failing?, namespaces?}; namespaces is an
-- array of those that the caller may read, and leaves out webhooks for all namespaces. open:
-- deliveries that have not ended; behind: how many places of the feed have still to be looked at;
-- allowed_actions: the actions that the state of the webhook allows now, by the rule of
-- change_webhook.
-- Locks: none. Source: ADR 0054.
create or replace function tasker.get_webhook_documents(
  p_filter jsonb default '{}', p_limit int default 25, p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_page jsonb;
begin
  select coalesce(jsonb_agg(d.document order by d.webhook_uuid desc), '[]') into v_page
  from (
    select w.webhook_uuid,
           jsonb_build_object(
             'webhook_uuid', w.webhook_uuid, 'namespace', w.namespace_name, 'name', w.name,
             'url', w.url, 'description', w.description, 'event_types', w.event_types,
             'template', w.template_name, 'timeout_seconds', w.timeout_seconds,
             'max_attempts', w.max_attempts, 'max_in_flight', w.max_in_flight,
             'backoff_seconds', w.backoff_seconds, 'backoff_cap_seconds', w.backoff_cap_seconds,
             'pause_after_hours', w.pause_after_hours,
             'state', case when w.paused_at is not null then 'paused'
                           when w.failures_in_a_row > 0 then 'failing'
                           else 'active' end,
             'paused_at', w.paused_at, 'paused_by', w.paused_by, 'pause_reason', w.pause_reason,
             'position', w.position,
             'behind', greatest(
               coalesce((select max(e.position) from tasker.domain_events e), 0) - w.position, 0),
             'open', (select count(*)
                      from tasker.webhook_deliveries o
                      where o.webhook_uuid = w.webhook_uuid and o.ended_at is null),
             'oldest_open_at', (select min(o.event_at)
                                from tasker.webhook_deliveries o
                                where o.webhook_uuid = w.webhook_uuid and o.ended_at is null),
             'dead_letters', (
               select count(*)
               from tasker.webhook_deliveries o
               where o.webhook_uuid = w.webhook_uuid and o.state = 'dead' and not o.is_ping),
             'wait_until', w.wait_until, 'failing_since', w.failing_since,
             'failures_in_a_row', w.failures_in_a_row, 'last_failure', w.last_failure,
             'last_delivered_at', w.last_delivered_at, 'delivered', w.delivered_count,
             'failed', w.failed_count, 'dead', w.dead_count,
             'secret_since', (select s.created_at
                              from tasker.webhook_secrets s
                              where s.webhook_uuid = w.webhook_uuid and s.valid_until is null),
             'old_secret_until', (select max(s.valid_until)
                                  from tasker.webhook_secrets s
                                  where s.webhook_uuid = w.webhook_uuid
                                    and s.valid_until > clock_timestamp()),
             'version', w.version, 'created_at', w.created_at, 'created_by', w.created_by,
             'updated_at', w.updated_at, 'updated_by', w.updated_by,
             'allowed_actions', (
               select jsonb_agg(a.action order by a.action)
               from unnest(
                 '{delete,pause,ping,replay,resume,rotate_secret,update}'::text[]) a(action)
               where tasker.judge_webhook_action(w, a.action) is null)) as document
    from tasker.webhooks w
    where w.deleted_at is null
      and (p_before is null or w.webhook_uuid < p_before)
      and (p_filter ->> 'webhook_uuid' is null
           or w.webhook_uuid = (p_filter ->> 'webhook_uuid')::uuid)
      and (p_filter ->> 'namespace' is null or w.namespace_name = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? w.namespace_name)
      and (p_filter ->> 'name' is null or w.name = p_filter ->> 'name')
      and (p_filter ->> 'paused' is null
           or (w.paused_at is not null) = (p_filter ->> 'paused')::boolean)
      and (p_filter ->> 'failing' is null
           or (w.failures_in_a_row > 0) = (p_filter ->> 'failing')::boolean)
    order by w.webhook_uuid desc
    limit p_limit + 1) d;
  return jsonb_build_object(
    'webhooks', case when jsonb_array_length(v_page) > p_limit then v_page - p_limit
                     else v_page end,
    'next', case
      when jsonb_array_length(v_page) > p_limit then v_page -> (p_limit - 1) -> 'webhook_uuid' end);
end
$$;
comment on function tasker.get_webhook_documents(jsonb, int, uuid) is
  'A page of webhooks that are not deleted, newest first.';
