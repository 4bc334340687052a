-- A server declines schedules whose fire times it cannot calculate, such as those in a zone that
-- its JVM does not know. It has taken them with take_due_schedules in the same transaction.
-- p_declines: array of {schedule_uuid, version, message}; a schedule that has changed since, or
-- that another session has locked, is ignored. A decline counts for the version of the schedule and
-- while its server is alive. As long as most of the live servers with the role orchestrator have
-- not declined, it changes nothing: another server fires the schedule. Once most have declined,
-- which includes that none is left that can fire it, what is due of the schedule stops: the fire
-- time is recorded as failed with the reason unusable-timing, the schedule is paused by tasker and
-- counts as failing, and its running backfills fail.
-- Returns {declined, stopped: [{schedule_uuid, fire_at?, message}], failed_backfills}; fire_at is
-- missing where only backfills failed.
-- Locks: the schedules, skip locked; then their backfills; then the key of the server. Source: ADR
-- 0070.
create or replace function tasker.decline_schedules(
  p_declines jsonb, p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now       timestamptz;
  v_locked    uuid[];
  v_others    uuid[];
  v_stopped   jsonb;
  v_paused    jsonb;
  v_backfills int;
begin
  select coalesce(array_agg(l.schedule_uuid), '{}') into v_locked
  from (select s.schedule_uuid
        from tasker.schedules s
        join (select distinct g.schedule_uuid, g.version
              from jsonb_to_recordset(p_declines) as g(schedule_uuid uuid, version int)) g
          on g.schedule_uuid = s.schedule_uuid and g.version = s.version
        where s.deleted_at is null
        order by s.schedule_uuid for no key update of s skip locked) l;
  v_now := coalesce(p_now, clock_timestamp());

  -- A server whose first heartbeat has not arrived leaves no row, and counts all the same.
  insert into tasker.schedule_declines as c
    (schedule_uuid, server_uuid, version, message, declined_at)
  select distinct on (g.schedule_uuid) g.schedule_uuid, v.server_uuid, g.version,
         left(g.message, 1000), v_now
  from jsonb_to_recordset(p_declines) as g(schedule_uuid uuid, version int, message text)
  join tasker.servers v on v.server_uuid = p_server_uuid
  where g.schedule_uuid = any (v_locked)
  on conflict (schedule_uuid, server_uuid) do update
    set version = excluded.version, message = excluded.message, declined_at = excluded.declined_at;

  select coalesce(array_agg(v.server_uuid), '{}') into v_others
  from tasker.servers v
  where v.lease_expires_at > v_now and v.state <> 'stopped' and 'orchestrator' = any (v.roles)
    and v.server_uuid is distinct from p_server_uuid;

  select jsonb_agg(to_jsonb(d)) into v_stopped
  from (select distinct on (s.schedule_uuid) s.schedule_uuid, s.next_fire_at as fire_at,
               s.paused_at is null and s.next_due_at <= v_now as is_due,
               left(format('%s of %s servers cannot calculate its fire times: %s', n.declined + 1,
                           cardinality(v_others) + 1, g.message),
                    1000) as message
        from jsonb_to_recordset(p_declines) as g(schedule_uuid uuid, message text)
        join tasker.schedules s on s.schedule_uuid = g.schedule_uuid
        cross join lateral (select count(*)::int as declined
                            from tasker.schedule_declines c
                            where c.schedule_uuid = s.schedule_uuid
                              and c.version = s.version
                              and c.server_uuid = any (v_others)) n
        where s.schedule_uuid = any (v_locked)
          and 2 * (n.declined + 1) > cardinality(v_others) + 1) d;
  if v_stopped is null then
    return jsonb_build_object(
      'declined', cardinality(v_locked), 'stopped', '[]'::jsonb, 'failed_backfills', 0);
  end if;

  insert into tasker.schedule_fires
    (schedule_uuid, fire_at, origin, outcome, reason, message, decided_at)
  select d.schedule_uuid, d.fire_at, 'schedule', 'failed', 'unusable-timing', d.message, v_now
  from jsonb_to_recordset(
    v_stopped) as d(schedule_uuid uuid, fire_at timestamptz, is_due boolean, message text)
  where d.is_due
  on conflict (schedule_uuid, fire_at, is_range) do update
    set outcome = excluded.outcome, reason = excluded.reason, message = excluded.message,
        decided_at = excluded.decided_at
  where schedule_fires.task_uuid is null;

  with paused as (
    update tasker.schedules s
    set paused_at = v_now, paused_by = 'tasker', pause_reason = d.message,
        failed_count = s.failed_count + 1, failures_in_a_row = s.failures_in_a_row + 1,
        last_failure = jsonb_build_object(
          'fire_at', d.fire_at, 'code', 'unusable-timing', 'message', d.message, 'at', v_now)
    from jsonb_to_recordset(
      v_stopped) as d(schedule_uuid uuid, fire_at timestamptz, is_due boolean, message text)
    where d.is_due and s.schedule_uuid = d.schedule_uuid
    returning s.schedule_uuid, s.namespace_name, s.template_name, s.name, s.pause_reason)
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  select 'pause_schedule', 'tasker', p.pause_reason, p.namespace_name, p.template_name,
         jsonb_build_object('schedule_uuid', p.schedule_uuid, 'name', p.name)
  from paused p;

  update tasker.schedule_backfills b
  set state = 'failed', ended_at = v_now, wake_at = null,
      failure = jsonb_build_object('code', 'unusable-timing', 'message', d.message)
  from jsonb_to_recordset(v_stopped) as d(schedule_uuid uuid, message text)
  where b.schedule_uuid = d.schedule_uuid and b.state = 'running';
  get diagnostics v_backfills = row_count;

  select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
                                       'schedule_uuid', d.schedule_uuid,
                                       'fire_at', case when d.is_due then d.fire_at end,
                                       'message', d.message))) into v_paused
  from jsonb_to_recordset(
    v_stopped) as d(schedule_uuid uuid, fire_at timestamptz, is_due boolean, message text);
  return jsonb_build_object(
    'declined', cardinality(v_locked), 'stopped', v_paused, 'failed_backfills', v_backfills);
end
$$;
comment on function tasker.decline_schedules(jsonb, uuid, timestamptz) is
  'A server declines schedules whose fire times it cannot calculate; once most servers have, what '
  'is due of them stops and shows as failing.';
