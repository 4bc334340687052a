-- Requests that a schedule submit tasks for the fire times of a past period, from p_from on and
-- before p_to, that have none; servers process it in batches (advance_backfills). It works while
-- the schedule is paused. p_overlap: allow submits them as fast as it can, one_by_one each when no
-- task of the schedule is unfinished. The fire times are those of the schedule's present timing.
-- Returns {outcome: created, backfill_uuid}, or {outcome: refused, code: schedule-not-found or
-- invalid-request, field, message}.
-- Locks: the schedule. Source: ADR 0045.
create or replace function tasker.start_backfill(
  p_schedule_uuid uuid, p_from timestamptz, p_to timestamptz, p_overlap text, p_by text,
  p_reason text, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now  timestamptz;
  v_old  tasker.schedules;
  v_uuid uuid;
begin
  select * into v_old
  from tasker.schedules s
  where s.schedule_uuid = p_schedule_uuid and s.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('schedule', p_schedule_uuid::text);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  if p_to > v_now or p_from >= p_to or p_from is null or p_to is null then
    return jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'to',
                              'message', 'must be after from and not in the future');
  end if;
  if p_overlap is null or p_overlap not in ('allow', 'one_by_one') then
    return jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'overlap',
                              'message', 'must be allow or one_by_one');
  end if;
  insert into tasker.schedule_backfills
    (schedule_uuid, from_at, to_at, cursor_at, overlap, created_at, created_by, reason, wake_at)
  values (p_schedule_uuid, p_from, p_to, p_from - interval '1 microsecond', p_overlap, v_now,
          coalesce(tasker.get_caller(), p_by), p_reason, v_now)
  returning backfill_uuid into v_uuid;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values ('backfill_schedule', p_by, p_reason, v_old.namespace_name, v_old.template_name,
          jsonb_build_object('schedule_uuid', p_schedule_uuid, 'name', v_old.name,
                             'backfill_uuid', v_uuid, 'from', p_from, 'to', p_to,
                             'overlap', p_overlap));
  return jsonb_build_object('outcome', 'created', 'backfill_uuid', v_uuid);
end
$$;
comment on function tasker.start_backfill(
  uuid, timestamptz, timestamptz, text, text, text, timestamptz) is
  'Requests that a schedule submit tasks for the fire times of a past period that have none.';
