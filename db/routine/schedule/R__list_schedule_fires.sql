-- A page of the outcomes of the fire times of a schedule, the latest first, as {fires: [...],
-- next}:
-- next is the fire time of the last of the page, null on the last page. Also of a deleted one.
-- p_filter: {outcome?, origin?, backfill_uuid?}. Locks: none. Source: ADR 0045.
create or replace function tasker.list_schedule_fires(
  p_schedule_uuid uuid, p_filter jsonb default '{}', p_limit int default 25,
  p_before timestamptz default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_page jsonb;
  v_last timestamptz;
begin
  select coalesce(jsonb_agg(d.document order by d.fire_at desc, d.is_range), '[]'),
         case when count(*) >= p_limit then min(d.fire_at) end into v_page, v_last
  from (
    select f.fire_at, f.is_range,
           jsonb_strip_nulls(
             jsonb_build_object(
               'fire_at', f.fire_at, 'until_at', f.until_at, 'count', f.fire_count,
               'origin', f.origin, 'outcome', f.outcome, 'reason', f.reason, 'message', f.message,
               'task_uuid', f.task_uuid,
               'task_state', (select t.state from tasker.tasks t where t.task_uuid = f.task_uuid),
               'backfill_uuid', f.backfill_uuid, 'decided_at', f.decided_at)) as document
    from tasker.schedule_fires f
    where f.schedule_uuid = p_schedule_uuid
      and (p_before is null or f.fire_at < p_before)
      and (p_filter ->> 'outcome' is null or f.outcome = p_filter ->> 'outcome')
      and (p_filter ->> 'origin' is null or f.origin = p_filter ->> 'origin')
      and (p_filter ->> 'backfill_uuid' is null
           or f.backfill_uuid = (p_filter ->> 'backfill_uuid')::uuid)
    order by f.fire_at desc
      -- A range and a fire time may begin at the same instant: a page does not part them.
      fetch first (p_limit) rows with ties) d;
  return jsonb_build_object(
    'fires', v_page,
    'next', case
      when exists (select from tasker.schedule_fires f
                   where f.schedule_uuid = p_schedule_uuid
                     and f.fire_at < v_last
                     and (p_filter ->> 'outcome' is null or f.outcome = p_filter ->> 'outcome')
                     and (p_filter ->> 'origin' is null or f.origin = p_filter ->> 'origin')
                     and (p_filter ->> 'backfill_uuid' is null
                          or f.backfill_uuid = (p_filter ->> 'backfill_uuid')::uuid)) then
        v_last end);
end
$$;
comment on function tasker.list_schedule_fires(uuid, jsonb, int, timestamptz) is
  'A page of the outcomes of the fire times of a schedule, the latest first.';
