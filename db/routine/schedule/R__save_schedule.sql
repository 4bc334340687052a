-- Creates a schedule, or changes the one that is given. The caller, a server, has validated the
-- template, the context, the timing and the zone, and has calculated next_fire_at and next_due_at:
-- the first fire time after now.
-- p_schedule: {namespace, name, template_name, template_version?, context, options?, time_member?,
-- cron? or every_seconds?, zone, starts_at?, ends_at?, anchor_at, jitter_seconds, overlap,
-- catch_up, catch_up_seconds, pause_after_failures, next_fire_at?, next_due_at?}. A change gives
-- all of it, except namespace and name, which stay, and p_version, the version that its author saw.
-- A change of the timing (cron, interval, zone, start, end, jitter) takes next_fire_at from the
-- request; fire times that were due and not decided are recorded as missed. Any other change keeps
-- the cursor, so that no fire time is lost or repeated. A fire time that is queued stays queued.
-- Returns {outcome: created, updated or unchanged, schedule_uuid, version}, or {outcome: refused,
-- code: schedule-exists, schedule-not-found or schedule-version-changed, invalid-request for a
-- context that may not be stored, …}.
-- Locks: the schedule. Source: ADR 0045.
create or replace function tasker.save_schedule(
  p_schedule jsonb, p_by text, p_reason text, p_schedule_uuid uuid default null,
  p_version int default null, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now  timestamptz;
  v_by   text := coalesce(tasker.get_caller(), p_by);
  v_old  tasker.schedules;
  v_new  tasker.schedules := jsonb_populate_record(null::tasker.schedules, p_schedule - 'wake_at'
           || jsonb_build_object('options', coalesce(p_schedule -> 'options', '{}')));
  v_same boolean;
  v_timed boolean;
begin
  if tasker.check_document(p_schedule) is not null then
    return jsonb_build_object('outcome', 'refused', 'code', 'invalid-request', 'field', 'context',
                              'message', tasker.check_document(p_schedule));
  end if;
  v_new.namespace_name := p_schedule ->> 'namespace';
  if p_schedule_uuid is null then
    v_now := coalesce(p_now, clock_timestamp());
    if not exists (select from tasker.named_tasks nt
                   join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
                   where ns.name = v_new.namespace_name
                     and nt.name = v_new.template_name
                     and (v_new.template_version is null
                          or nt.version = v_new.template_version)) then
      return tasker.refuse_unknown('template',
                                   v_new.namespace_name || '/' || v_new.template_name || coalesce(
                                     ':' || v_new.template_version, ''),
                                   'template');
    end if;
    insert into tasker.schedules
      (namespace_name, name, template_name, template_version, context, options, time_member, cron,
       every_seconds, zone, starts_at, ends_at, anchor_at, jitter_seconds, overlap, catch_up,
       catch_up_seconds, pause_after_failures, next_fire_at, next_due_at, created_at, created_by,
       updated_at, updated_by)
    values (v_new.namespace_name, v_new.name, v_new.template_name, v_new.template_version,
            v_new.context, v_new.options, v_new.time_member, v_new.cron, v_new.every_seconds,
            v_new.zone, v_new.starts_at, v_new.ends_at, v_new.anchor_at, v_new.jitter_seconds,
            v_new.overlap, v_new.catch_up, v_new.catch_up_seconds, v_new.pause_after_failures,
            v_new.next_fire_at, v_new.next_due_at, v_now, v_by, v_now, v_by)
    on conflict (namespace_name, name)
    where deleted_at is null do nothing
    returning * into v_old;
    if not found then
      return jsonb_build_object(
        'outcome', 'refused', 'code', 'schedule-exists', 'field', 'name',
        'message', format(
          'there is a schedule %s in namespace %s: change it, or choose another name', v_new.name,
          v_new.namespace_name));
    end if;
    insert into tasker.operator_actions
      (action, acted_by, reason, namespace, template_name, details)
    values ('create_schedule', p_by, p_reason, v_old.namespace_name, v_old.template_name,
            jsonb_build_object('schedule_uuid', v_old.schedule_uuid, 'name', v_old.name));
    return jsonb_build_object(
      'outcome', 'created', 'schedule_uuid', v_old.schedule_uuid, 'version', v_old.version);
  end if;

  select * into v_old
  from tasker.schedules s
  where s.schedule_uuid = p_schedule_uuid and s.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('schedule', p_schedule_uuid::text);
  end if;
  if v_old.version is distinct from p_version then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'schedule-version-changed', 'field', 'version',
      'message', format('the schedule has version %s, not %s: it was changed since it was read',
                        v_old.version, coalesce(p_version::text, 'null')));
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_timed := (v_old.cron, v_old.every_seconds, v_old.zone, v_old.starts_at, v_old.ends_at,
              v_old.jitter_seconds)
    is distinct from (v_new.cron, v_new.every_seconds, v_new.zone, v_new.starts_at, v_new.ends_at,
                      v_new.jitter_seconds);
  v_same := not v_timed
    and (
      v_old.template_name, v_old.template_version, v_old.context, v_old.options, v_old.time_member,
      v_old.overlap, v_old.catch_up, v_old.catch_up_seconds,
      v_old.pause_after_failures) is not distinct from (
      v_new.template_name, v_new.template_version, v_new.context, v_new.options, v_new.time_member,
      v_new.overlap, v_new.catch_up, v_new.catch_up_seconds, v_new.pause_after_failures);
  if v_same then
    return jsonb_build_object(
      'outcome', 'unchanged', 'schedule_uuid', v_old.schedule_uuid, 'version', v_old.version);
  end if;
  if not exists (select from tasker.named_tasks nt
                 join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
                 where ns.name = v_old.namespace_name
                   and nt.name = v_new.template_name
                   and (v_new.template_version is null or nt.version = v_new.template_version)) then
    return tasker.refuse_unknown('template',
                                 v_old.namespace_name || '/' || v_new.template_name || coalesce(
                                   ':' || v_new.template_version, ''),
                                 'template');
  end if;

  if v_timed and v_old.next_due_at <= v_now then
    insert into tasker.schedule_fires
      (schedule_uuid, fire_at, is_range, until_at, origin, outcome, reason, decided_at)
    values (v_old.schedule_uuid, v_old.next_fire_at, true, v_now, 'schedule', 'missed', 'changed',
            v_now)
    on conflict do nothing;
  end if;
  update tasker.schedules s
  set template_name = v_new.template_name, template_version = v_new.template_version,
      context = v_new.context, options = v_new.options, time_member = v_new.time_member,
      cron = v_new.cron, every_seconds = v_new.every_seconds, zone = v_new.zone,
      starts_at = v_new.starts_at, ends_at = v_new.ends_at,
      jitter_seconds = v_new.jitter_seconds, overlap = v_new.overlap, catch_up = v_new.catch_up,
      catch_up_seconds = v_new.catch_up_seconds,
      pause_after_failures = v_new.pause_after_failures,
      anchor_at = case when v_timed then v_new.anchor_at else s.anchor_at end,
      next_fire_at = case when v_timed then v_new.next_fire_at else s.next_fire_at end,
      next_due_at = case when v_timed then v_new.next_due_at else s.next_due_at end,
      failures_in_a_row = 0, version = s.version + 1, updated_at = v_now, updated_by = v_by
  where s.schedule_uuid = p_schedule_uuid;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values ('update_schedule', p_by, p_reason, v_old.namespace_name, v_new.template_name,
          jsonb_build_object(
            'schedule_uuid', v_old.schedule_uuid, 'name', v_old.name,
            'before', jsonb_strip_nulls(
              jsonb_build_object(
                'template', v_old.template_name, 'template_version', v_old.template_version,
                'context', v_old.context, 'options', v_old.options, 'cron', v_old.cron,
                'every_seconds', v_old.every_seconds, 'zone', v_old.zone,
                'starts_at', v_old.starts_at, 'ends_at', v_old.ends_at,
                'jitter_seconds', v_old.jitter_seconds, 'overlap', v_old.overlap,
                'catch_up', v_old.catch_up, 'catch_up_seconds', v_old.catch_up_seconds,
                'version', v_old.version))));
  return jsonb_build_object(
    'outcome', 'updated', 'schedule_uuid', v_old.schedule_uuid, 'version', v_old.version + 1);
end
$$;
comment on function tasker.save_schedule(jsonb, text, text, uuid, int, timestamptz) is
  'Creates a schedule, or changes the one that is given.';
