-- Submits the task of each fire time and records it: the row in schedule_fires and the task are one
-- transaction, and a fire time that has a task gets no other. The caller holds the locks of the
-- schedules.
-- p_fires: array of {schedule_uuid, fire_at, origin, backfill_uuid?, template_version?, problem?:
-- {code, message}}; the caller has validated the context for that version, or gives the problem.
-- The request has the idempotency key schedule:<uuid>:<fire time>, requested_at is the fire time,
-- and so is the member of the context that the schedule names in time_member.
-- A refusal or an error of the database is recorded as failed and holds up no other fire. After
-- pause_after_failures failures in a row of the schedule itself the schedule is paused.
-- Returns as submit_tasks, with fires: [{schedule_uuid, fire_at, outcome, task_uuid?, reason?,
-- message?}]; outcome is started, failed or present, for a fire time that had a task.
-- Locks: as submit_queued_requests; the schedules. Source: ADR 0045.
create or replace function tasker.start_scheduled_tasks(
  p_fires jsonb, p_server_uuid uuid default null, p_claim_limit int default 0,
  p_lease_seconds int default 60, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_fires    jsonb;
  v_requests jsonb;
  v_reply    jsonb := '{"claimed_steps": [], "queued": [], "verdicts": []}';
begin
  select jsonb_agg(to_jsonb(f) - 'request'
                   || jsonb_build_object('is_requested', f.request is not null) order by f.n),
         jsonb_agg(f.request order by f.n) filter (where f.request is not null)
    into v_fires, v_requests
  from (
    select g.n, g.schedule_uuid, g.fire_at, g.origin, g.backfill_uuid, g.problem,
           x.task_uuid as present_uuid,
           case when g.problem is null and x.task_uuid is null then
                  s.options
                  || jsonb_strip_nulls(
                    jsonb_build_object('namespace', s.namespace_name, 'name', s.template_name,
                                       'version', coalesce(g.template_version, s.template_version),
                                       'initiator', 'schedule:' || s.name,
                                       'reason', left(format('%s of schedule %s for %s', g.origin,
                                                             s.name, to_jsonb(g.fire_at) #>> '{}'),
                                                      128),
                                       'requested_at', g.fire_at, 'submitted_by', s.updated_by,
                                       'idempotency_key', format('schedule:%s:%s', s.schedule_uuid,
                                                                 to_jsonb(g.fire_at) #>> '{}')))
                  || jsonb_build_object('context', s.context || case
                                          when s.time_member is null then '{}'
                                          else jsonb_build_object(
                                            s.time_member, g.fire_at) end) end as request
    from rows
    from (jsonb_to_recordset(
            p_fires) as (schedule_uuid uuid, fire_at timestamptz, origin text, backfill_uuid uuid,
                         template_version text, problem jsonb)) with ordinality
      as g(schedule_uuid, fire_at, origin, backfill_uuid, template_version, problem, n)
    join tasker.schedules s on s.schedule_uuid = g.schedule_uuid
    left join tasker.schedule_fires x on x.schedule_uuid = g.schedule_uuid
      and x.fire_at = g.fire_at
      and not x.is_range
      and x.task_uuid is not null) f;

  if v_requests is not null then
    v_reply := tasker.submit_queued_requests(
      v_requests, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
  end if;

  -- The verdicts are in the order of the requests.
  select jsonb_agg(jsonb_strip_nulls(
                     jsonb_build_object(
                       'schedule_uuid', o.schedule_uuid, 'fire_at', o.fire_at, 'origin', o.origin,
                       'backfill_uuid', o.backfill_uuid,
                       'outcome', case
                         when o.present_uuid is not null then 'present'
                         when o.verdict ->> 'verdict' in ('created', 'duplicate') then 'started'
                         else 'failed' end,
                       'task_uuid', coalesce(o.present_uuid, (o.verdict ->> 'task_uuid')::uuid),
                       'reason', coalesce(o.problem ->> 'code',
                                          case o.verdict ->> 'verdict' when 'created' then null
                                               when 'duplicate' then null
                                               when 'unknown_template' then 'unknown-template'
                                               when 'failed' then 'cannot-be-processed'
                                               else 'invalid-request' end),
                       'message', left(coalesce(o.problem ->> 'message',
                                                concat_ws(': ', o.verdict ->> 'field',
                                                          o.verdict ->> 'message')),
                                       1000))) order by o.n) into v_fires
  from (select f.*, v.verdict
        from (select g.*,
                     case when g.is_requested then
                            count(*) filter (where g.is_requested) over (order by g.n) end as turn
              from jsonb_to_recordset(v_fires)
                as g(n int, schedule_uuid uuid, fire_at timestamptz, origin text,
                     backfill_uuid uuid, problem jsonb, present_uuid uuid, is_requested boolean)) f
        left join jsonb_array_elements(v_reply -> 'verdicts') with ordinality as v(verdict, turn)
          on v.turn = f.turn) o;

  insert into tasker.schedule_fires
    (schedule_uuid, fire_at, origin, outcome, reason, message, task_uuid, is_open, backfill_uuid,
     decided_at)
  select f.schedule_uuid, f.fire_at, f.origin, f.outcome, f.reason,
         case when f.outcome = 'failed' then f.message end,
         case when f.outcome = 'started' then f.task_uuid end, f.outcome = 'started',
         f.backfill_uuid, v_now
  from jsonb_to_recordset(
    v_fires) as f(schedule_uuid uuid, fire_at timestamptz, origin text, backfill_uuid uuid,
                  outcome text, task_uuid uuid, reason text, message text)
  where f.outcome <> 'present'
  on conflict (schedule_uuid, fire_at, is_range) do update
    set origin = excluded.origin, outcome = excluded.outcome, reason = excluded.reason,
        message = excluded.message, task_uuid = excluded.task_uuid,
        is_open = excluded.is_open, backfill_uuid = excluded.backfill_uuid,
        decided_at = excluded.decided_at
  where schedule_fires.task_uuid is null;

  with counts as (
    select f.schedule_uuid, count(*) filter (where f.outcome = 'started') as started,
           count(*) filter (where f.outcome = 'failed') as failed,
           count(*) filter (where f.outcome = 'started' and f.origin <> 'backfill') as moved,
           count(*) filter (where f.outcome = 'failed' and f.origin = 'schedule') as failed_alone,
           max(f.fire_at) filter (where f.outcome = 'started'
                                  and f.origin <> 'backfill') as last_fire_at,
           (array_agg(f.task_uuid order by f.fire_at
                      desc) filter (where f.outcome = 'started' and f.origin <> 'backfill'))[
             1] as last_task_uuid,
           (jsonb_agg(jsonb_build_object('fire_at', f.fire_at, 'code', f.reason,
                                         'message', f.message, 'at', v_now) order by f.fire_at desc)
            filter (where f.outcome = 'failed')) -> 0 as last_failure
    from jsonb_to_recordset(
      v_fires) as f(schedule_uuid uuid, fire_at timestamptz, origin text, outcome text,
                    task_uuid uuid, reason text, message text)
    group by f.schedule_uuid),
  counted as (
    update tasker.schedules s
    set started_count = s.started_count + c.started, failed_count = s.failed_count + c.failed,
        last_fire_at = greatest(s.last_fire_at, c.last_fire_at),
        last_task_uuid = coalesce(c.last_task_uuid, s.last_task_uuid),
        failures_in_a_row
          = case when c.moved > 0 then 0 else s.failures_in_a_row + c.failed_alone end,
        last_failure = coalesce(c.last_failure, s.last_failure),
        paused_at = case when p.is_over then v_now else s.paused_at end,
        paused_by = case when p.is_over then 'tasker' else s.paused_by end,
        pause_reason
          = case when p.is_over then
                   left(format('%s failures in a row, the last one: %s',
                               s.failures_in_a_row + c.failed_alone, c.last_failure ->> 'message'),
                        1000)
                 else s.pause_reason end
    from counts c
    cross join lateral (select o.paused_at is null
                               and c.failed_alone > 0
                               and c.moved = 0
                               and o.pause_after_failures > 0
                               and o.failures_in_a_row + c.failed_alone
                                 >= o.pause_after_failures as is_over
                        from tasker.schedules o
                        where o.schedule_uuid = c.schedule_uuid) p
    where s.schedule_uuid = c.schedule_uuid
    returning s.schedule_uuid, s.namespace_name, s.template_name, s.name, s.pause_reason, p.is_over)
  insert into tasker.operator_actions (action, acted_by, reason, namespace, template_name, details)
  select 'pause_schedule', 'tasker', d.pause_reason, d.namespace_name, d.template_name,
         jsonb_build_object('schedule_uuid', d.schedule_uuid, 'name', d.name)
  from counted d
  where d.is_over;

  return (v_reply - 'verdicts') || jsonb_build_object('fires', coalesce(v_fires, '[]'));
end
$$;
comment on function tasker.start_scheduled_tasks(jsonb, uuid, int, int, timestamptz) is
  'Submits the task of each fire time and records it; a fire time that has a task gets no other.';
