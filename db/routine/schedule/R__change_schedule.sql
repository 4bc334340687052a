-- Pauses, resumes or deletes a schedule, or cancels one of its backfills, with the actor and the
-- reason in operator_actions. A repeated action changes nothing. A paused schedule starts nothing,
-- also nothing that is queued; its tasks go on. Resuming skips the fire times of the pause and
-- records them as one missed range, unless p_data has catch_up true: then the catch-up window of
-- the schedule decides. A deleted schedule stays as a row, and its backfills are cancelled; its
-- tasks go on.
-- p_action: pause, resume, delete or cancel_backfill. p_data: for resume {next_fire_at?,
-- next_due_at?, count?, version, catch_up?}, which a server calculated for the first fire time
-- after now; for cancel_backfill {backfill_uuid}.
-- Returns {outcome: done or already_done, schedule_uuid, version}, or {outcome: refused, code:
-- schedule-not-found, backfill-not-found or schedule-version-changed, …}. Errors: TK007 for an
-- unknown action.
-- Locks: the schedule, then its backfills. Source: ADR 0045.
create or replace function tasker.change_schedule(
  p_schedule_uuid uuid, p_action text, p_by text, p_reason text, p_data jsonb default '{}',
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now timestamptz;
  v_by  text := coalesce(tasker.get_caller(), p_by);
  v_old tasker.schedules;
  v_same jsonb;
  v_new timestamptz := (p_data ->> 'next_fire_at')::timestamptz;
begin
  if p_action is null or p_action not in ('pause', 'resume', 'delete', 'cancel_backfill') then
    raise exception 'action must be pause, resume, delete or cancel_backfill, not %',
      coalesce(p_action, 'null')
      using errcode = 'TK007';
  end if;
  select * into v_old
  from tasker.schedules s
  where s.schedule_uuid = p_schedule_uuid and s.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('schedule', p_schedule_uuid::text);
  end if;
  v_now := coalesce(p_now, clock_timestamp());
  v_same := tasker.judge_schedule_action(v_old, p_action);
  if v_same is not null then
    return v_same;
  end if;

  if p_action = 'cancel_backfill' then
    if not exists (select from tasker.schedule_backfills b
                   where b.backfill_uuid = (p_data ->> 'backfill_uuid')::uuid
                     and b.schedule_uuid = p_schedule_uuid) then
      return tasker.refuse_unknown('backfill', p_data ->> 'backfill_uuid');
    end if;
    update tasker.schedule_backfills b set state = 'cancelled', ended_at = v_now, wake_at = null
    where b.backfill_uuid = (p_data ->> 'backfill_uuid')::uuid and b.state = 'running';
  elsif p_action = 'pause' then
    update tasker.schedules s
    set paused_at = v_now, paused_by = v_by, pause_reason = p_reason, version = s.version + 1,
        updated_at = v_now
    where s.schedule_uuid = p_schedule_uuid;
  elsif p_action = 'resume' then
    if v_old.version is distinct from (p_data ->> 'version')::int then
      return jsonb_build_object(
        'outcome', 'refused', 'code', 'schedule-version-changed', 'field', 'version',
        'message', format('the schedule has version %s: it was changed meanwhile', v_old.version));
    end if;
    if v_old.next_due_at <= v_now and not coalesce((p_data ->> 'catch_up')::boolean, false) then
      insert into tasker.schedule_fires
        (schedule_uuid, fire_at, is_range, until_at, fire_count, origin, outcome, reason,
         decided_at)
      values (p_schedule_uuid, v_old.next_fire_at, true, v_now, (p_data ->> 'count')::int,
              'schedule', 'missed', 'paused', v_now)
      on conflict do nothing;
      update tasker.schedules s
      set next_fire_at = v_new, next_due_at = (p_data ->> 'next_due_at')::timestamptz,
          missed_count = s.missed_count + coalesce((p_data ->> 'count')::int, 1000)
      where s.schedule_uuid = p_schedule_uuid;
    end if;
    update tasker.schedules s
    set paused_at = null, paused_by = null, pause_reason = null, failures_in_a_row = 0,
        version = s.version + 1, updated_at = v_now
    where s.schedule_uuid = p_schedule_uuid;
  else
    update tasker.schedule_backfills b set state = 'cancelled', ended_at = v_now, wake_at = null
    where b.schedule_uuid = p_schedule_uuid and b.state = 'running';
    update tasker.schedule_fires f set outcome = 'skipped', reason = 'deleted', decided_at = v_now
    where f.schedule_uuid = p_schedule_uuid
      and f.fire_at = v_old.queued_fire_at
      and f.outcome = 'queued';
    update tasker.schedules s
    set deleted_at = v_now, queued_fire_at = null, recheck_at = null, next_fire_at = null,
        next_due_at = null, version = s.version + 1, updated_at = v_now, updated_by = v_by
    where s.schedule_uuid = p_schedule_uuid;
  end if;
  if not found then
    return jsonb_build_object(
      'outcome', 'already_done', 'schedule_uuid', p_schedule_uuid, 'version', v_old.version);
  end if;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values (case p_action when 'cancel_backfill' then p_action else p_action || '_schedule' end, p_by,
          p_reason, v_old.namespace_name, v_old.template_name,
          jsonb_build_object('schedule_uuid', p_schedule_uuid, 'name', v_old.name) || p_data);
  return jsonb_build_object(
    'outcome', 'done', 'schedule_uuid', p_schedule_uuid,
    'version', (select s.version from tasker.schedules s where s.schedule_uuid = p_schedule_uuid));
end
$$;
comment on function tasker.change_schedule(uuid, text, text, text, jsonb, timestamptz) is
  'Pauses, resumes or deletes a schedule, or cancels one of its backfills.';
