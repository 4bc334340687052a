-- Takes or extends the lease of a server on a consumer of domain events, and returns what it has to
-- send next. A consumer that is new begins at the present end of the feed. One server at a time
-- sends: another one takes over when the lease has run out, and sends again what was not recorded
-- as sent.
-- Returns {outcome: claimed, position, next, events, failures} with events as CloudEvents, or
-- {outcome: held} while another server has the lease, or {outcome: waiting} until retry_at. next is
-- null at the present end.
-- Locks: the consumer, skip locked; then as sequence_events. Source: ADR 0055.
create or replace function tasker.claim_event_consumer(
  p_name text, p_server_uuid uuid, p_lease_seconds int default 30, p_limit int default 500,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz;
  v_consumer tasker.event_consumers;
  v_page     jsonb;
begin
  if not exists (select from tasker.event_consumers c where c.name = p_name) then
    perform tasker.sequence_events();
    insert into tasker.event_consumers (name, position, progressed_at)
    select p_name, coalesce((select max(e.position) from tasker.domain_events e), 0),
           coalesce(p_now, clock_timestamp())
    on conflict do nothing;
  end if;
  select * into v_consumer
  from tasker.event_consumers c
  where c.name = p_name for no key update skip locked;
  v_now := coalesce(p_now, clock_timestamp());
  if not found or v_consumer.holder_uuid <> p_server_uuid and v_consumer.lease_until > v_now then
    return '{"outcome": "held"}';
  elsif v_consumer.retry_at > v_now then
    return '{"outcome": "waiting"}';
  end if;
  perform tasker.sequence_events();
  v_page := tasker.list_domain_events('{}', p_limit, v_consumer.position);
  update tasker.event_consumers c
  set holder_uuid = p_server_uuid, lease_until = v_now + p_lease_seconds * interval '1 second',
      progressed_at = case when v_page -> 'events' = '[]' then v_now else c.progressed_at end
  where c.name = p_name;
  return v_page || jsonb_build_object('outcome', 'claimed', 'failures', v_consumer.failures);
end
$$;
comment on function tasker.claim_event_consumer(text, uuid, int, int, timestamptz) is
  'Takes or extends the lease of a server on a consumer of domain events, and returns what it has '
  'to send next.';
