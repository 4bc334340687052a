-- Submits a task of a schedule now, at the request of an operator, whatever the overlap policy says
-- and also while the schedule is paused; the cursor does not move. The fire time is the present, to
-- the millisecond.
-- p_plan: {template_version?, problem?: {code, message}}, as in start_scheduled_tasks.
-- Returns as start_scheduled_tasks with its only fire as fire, or {outcome: refused, code:
-- schedule-not-found or fire-failed, …}; a refusal leaves no fire.
-- Locks: the schedule; then as submit_tasks. Source: ADR 0045.
create or replace function tasker.trigger_schedule(
  p_schedule_uuid uuid, p_by text, p_reason text, p_plan jsonb default '{}',
  p_server_uuid uuid default null, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now   timestamptz;
  v_old   tasker.schedules;
  v_reply jsonb;
begin
  select * into v_old
  from tasker.schedules s
  where s.schedule_uuid = p_schedule_uuid and s.deleted_at is null for no key update;
  if not found then
    return tasker.refuse_unknown('schedule', p_schedule_uuid::text);
  end if;
  v_now := date_trunc('milliseconds', coalesce(p_now, clock_timestamp()));
  while exists (
      select from tasker.schedule_fires f
      where f.schedule_uuid = p_schedule_uuid and f.fire_at = v_now and not f.is_range) loop
    v_now := v_now + interval '1 millisecond';
  end loop;
  if p_plan ->> 'problem' is not null then
    return jsonb_build_object(
      'outcome', 'refused', 'code', 'fire-failed', 'message', p_plan #>> '{problem,message}');
  end if;
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  values ('trigger_schedule', p_by, p_reason, v_old.namespace_name, v_old.template_name,
          jsonb_build_object('schedule_uuid', p_schedule_uuid, 'name', v_old.name,
                             'fire_at', v_now));
  v_reply := tasker.start_scheduled_tasks(
    jsonb_build_array(jsonb_build_object('schedule_uuid', p_schedule_uuid, 'fire_at', v_now,
                                         'origin', 'trigger',
                                         'template_version', p_plan -> 'template_version')),
    p_server_uuid, p_now => v_now);
  return (v_reply - 'fires')
    || jsonb_build_object('outcome', v_reply #> '{fires,0,outcome}',
                          'fire', v_reply #> '{fires,0}');
end
$$;
comment on function tasker.trigger_schedule(uuid, text, text, jsonb, uuid, timestamptz) is
  'Submits a task of a schedule now, at the request of an operator.';
