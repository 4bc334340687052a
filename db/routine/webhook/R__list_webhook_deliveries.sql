-- A page of the deliveries of a webhook, newest first, as {deliveries: [...], next}; next is null
-- on the last page.
-- allowed_actions: those that the state of the delivery allows now, by the rule of change_delivery.
-- p_filter: {delivery_uuid?, state?, task_uuid?, event_uuid?}. Locks: none. Source: ADR 0054.
create or replace function tasker.list_webhook_deliveries(
  p_webhook_uuid uuid, p_filter jsonb default '{}', p_limit int default 25,
  p_before uuid default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_page jsonb;
begin
  select coalesce(jsonb_agg(o.document order by o.delivery_uuid desc), '[]') into v_page
  from (
    select d.delivery_uuid,
           jsonb_build_object(
             'delivery_uuid', d.delivery_uuid, 'webhook_uuid', d.webhook_uuid,
             'event_uuid', d.event_uuid, 'ping', d.is_ping, 'task_uuid', d.task_uuid,
             'schedule_uuid', d.schedule_uuid, 'position', d.position, 'event_type', d.event_type,
             'event_at', d.event_at, 'state', d.state, 'attempts', d.attempts, 'replays', d.replays,
             'due_at', case when d.state = 'pending' then d.due_at end,
             'lease_expires_at', case when d.state = 'in_flight' then d.due_at end,
             'last_attempt_at', d.last_attempt_at, 'last_status', d.last_status,
             'last_error', d.last_error, 'last_response', d.last_response,
             'last_duration_ms', d.last_duration_ms, 'created_at', d.created_at,
             'ended_at', d.ended_at,
             'allowed_actions', (select coalesce(jsonb_agg(a.action order by a.action), '[]')
                                 from unnest('{discard,retry}'::text[]) a(action)
                                 where tasker.judge_delivery_action(d,
                                                                    a.action) is null)) as document
    from tasker.webhook_deliveries d
    where d.webhook_uuid = p_webhook_uuid
      and (p_before is null or d.delivery_uuid < p_before)
      and (p_filter ->> 'delivery_uuid' is null
           or d.delivery_uuid = (p_filter ->> 'delivery_uuid')::uuid)
      and (p_filter ->> 'state' is null or d.state = p_filter ->> 'state')
      and (p_filter ->> 'task_uuid' is null or d.task_uuid = (p_filter ->> 'task_uuid')::uuid)
      and (p_filter ->> 'event_uuid' is null or d.event_uuid = (p_filter ->> 'event_uuid')::uuid)
    order by d.delivery_uuid desc
    limit p_limit + 1) o;
  return jsonb_build_object(
    'deliveries', case when jsonb_array_length(v_page) > p_limit then v_page - p_limit
                       else v_page end,
    'next', case when jsonb_array_length(v_page) > p_limit then
                   v_page -> (p_limit - 1) -> 'delivery_uuid' end);
end
$$;
comment on function tasker.list_webhook_deliveries(uuid, jsonb, int, uuid) is
  'A page of the deliveries of a webhook, newest first.';
