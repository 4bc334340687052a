-- A page of the feed of domain events, in the order of their positions from behind p_after on, as
-- {events: [CloudEvents], next, position}: position is where to read on, p_after when there is
-- nothing new; next is the same, null at the present end. p_after null: no events, and the position
-- of the present end, with bound: no event has ever had a later position, those that were deleted
-- included. p_filter: {type?, namespace?, name?, task_uuid?, correlation_id?, with_error?,
-- observed?, namespaces?, schedules_in?}; observed: of delivery_mode fast or broadcast; name is
-- that of the template; namespaces is an array of those that the caller may read, schedules_in of
-- those where it may read events of schedules. A page looks at 10 times p_limit events at most and
-- may be shorter than p_limit, or empty, before the end.
-- Locks: none. Source: ADR 0050.
create or replace function tasker.list_domain_events(
  p_filter jsonb default '{}', p_limit int default 100, p_after bigint default 0)
returns jsonb
language sql stable
set search_path = ''
as $$
  with seen as materialized (
    select e.event_uuid, e.position, e.name, e.kind, e.task_uuid, e.cause_uuid,
           e.error is not null as has_error, e.delivery_mode <> 'durable' as is_observed
    from tasker.domain_events e
    where e.position > p_after
    order by e.position limit 10 * p_limit),
  matching as materialized (
    select s.event_uuid, s.position
    from seen s
    left join tasker.tasks t on t.task_uuid = s.task_uuid
    left join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    left join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
    left join tasker.schedules c on s.kind = 'schedule' and c.schedule_uuid = s.cause_uuid
    where (p_filter ->> 'type' is null or s.name = p_filter ->> 'type')
      and (p_filter ->> 'namespace' is null
           or coalesce(ns.name, c.namespace_name) = p_filter ->> 'namespace')
      and (p_filter -> 'namespaces' is null
           or p_filter -> 'namespaces' ? coalesce(ns.name, c.namespace_name))
      and (s.kind <> 'schedule'
           or p_filter -> 'schedules_in' is null
           or p_filter -> 'schedules_in' ? c.namespace_name)
      and (p_filter ->> 'name' is null or coalesce(nt.name, c.template_name) = p_filter ->> 'name')
      and (p_filter ->> 'task_uuid' is null or s.task_uuid = (p_filter ->> 'task_uuid')::uuid)
      and (p_filter ->> 'correlation_id' is null
           or t.correlation_id = (p_filter ->> 'correlation_id')::uuid)
      and (p_filter ->> 'with_error' is null or s.has_error = (p_filter ->> 'with_error')::boolean)
      and (p_filter ->> 'observed' is null or s.is_observed = (p_filter ->> 'observed')::boolean)
    order by s.position limit p_limit)
  select jsonb_build_object('events', p.events,
                            'next', case
                              when p.is_full or p.seen = 10 * p_limit then p.position end,
                            'position', p.position) || case
           when p_after is null then jsonb_build_object(
             'bound', coalesce(pg_catalog.pg_sequence_last_value('tasker.domain_event_positions'),
                               0))
           else '{}' end
  from (select coalesce(jsonb_agg(tasker.get_event_document(m.event_uuid) order by m.position),
                        '[]') as events,
               count(*) = p_limit as is_full,
               coalesce(case when count(*) = p_limit then max(m.position) end,
                        (select max(s.position) from seen s), p_after,
                        (select max(e.position) from tasker.domain_events e), 0) as position,
               (select count(*) from seen) as seen
        from matching m) p
$$;
comment on function tasker.list_domain_events(jsonb, int, bigint) is
  'A page of the feed of domain events, in the order of their positions.';
