-- Submits the next tasks of backfills and moves their cursors. A fire time that has a task is
-- counted and passed. The first failure ends the backfill as
-- failed: the next fire times would fail alike.
-- p_plans: array of {backfill_uuid, version: of the schedule, cursor_at: that the caller saw,
-- fires: [fire times after it], next_cursor_at, is_last, template_version?, problem?}, calculated
-- by a server from take_due_schedules. A plan whose backfill or schedule is locked by another
-- session or has changed is ignored. Of a backfill one_by_one a plan has one fire time, which waits
-- until no task of the schedule is unfinished; it is checked again after a second to thirty, by the
-- age of the latest task.
-- Returns as fire_schedules; tasks counts the backfills. Locks: the backfills with their schedules,
-- skip locked; then as submit_tasks. Source: ADR 0045.
create or replace function tasker.advance_backfills(
  p_plans jsonb, p_server_uuid uuid default null, p_claim_limit int default 0,
  p_lease_seconds int default 60, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now    timestamptz;
  v_locked uuid[];
  v_plans  jsonb;
  v_fires  jsonb;
  v_result jsonb := '{"claimed_steps": [], "queued": [], "fires": []}';
begin
  select coalesce(array_agg(l.backfill_uuid), '{}') into v_locked
  from (select b.backfill_uuid
        from tasker.schedule_backfills b
        join tasker.schedules s on s.schedule_uuid = b.schedule_uuid
        where b.backfill_uuid in (
            select (p ->> 'backfill_uuid')::uuid from jsonb_array_elements(p_plans) p)
        order by b.schedule_uuid, b.backfill_uuid for no key update skip locked) l;
  v_now := coalesce(p_now, clock_timestamp());
  update tasker.schedule_fires f set is_open = false
  from tasker.schedule_backfills b
  where b.backfill_uuid = any (v_locked)
    and f.schedule_uuid = b.schedule_uuid
    and f.is_open
    and not exists (select from tasker.tasks t
                    where t.task_uuid = f.task_uuid and t.completed_at is null);

  select jsonb_agg(to_jsonb(d)) into v_plans
  from (select b.backfill_uuid, b.schedule_uuid, p.fires, p.next_cursor_at, p.is_last,
               p.template_version, p.problem, w.latest,
               b.overlap = 'one_by_one'
                 and w.latest is not null
                 and jsonb_array_length(p.fires) > 0 as waits
        from jsonb_to_recordset(p_plans)
          as p(backfill_uuid uuid, version int, cursor_at timestamptz, fires jsonb,
               next_cursor_at timestamptz, is_last boolean, template_version text, problem jsonb)
        join tasker.schedule_backfills b on b.backfill_uuid = p.backfill_uuid
        join tasker.schedules s on s.schedule_uuid = b.schedule_uuid
        cross join lateral (select max(f.decided_at) as latest
                            from tasker.schedule_fires f
                            join tasker.tasks t on t.task_uuid = f.task_uuid
                            where f.schedule_uuid = b.schedule_uuid
                              and f.is_open
                              and t.completed_at is null
                              and t.state <> 'blocked_by_failures') w
        where b.backfill_uuid = any (v_locked)
          and b.state = 'running'
          and b.cursor_at = p.cursor_at
          and b.wake_at <= v_now
          and s.version = p.version
          and (b.overlap = 'allow' or jsonb_array_length(p.fires) <= 1)) d;
  if v_plans is null then
    return v_result || '{"tasks": 0, "ended": [], "cancel_requests": 0}';
  end if;

  select jsonb_agg(jsonb_build_object('schedule_uuid', d.schedule_uuid, 'fire_at', f.value,
                                      'origin', 'backfill', 'backfill_uuid', d.backfill_uuid,
                                      'template_version', d.template_version, 'problem', d.problem))
    into v_fires
  from jsonb_to_recordset(
    v_plans) as d(backfill_uuid uuid, schedule_uuid uuid, fires jsonb, template_version text,
                  problem jsonb, waits boolean)
  cross join lateral jsonb_array_elements(d.fires) f(value)
  where not d.waits;
  if v_fires is not null then
    v_result := tasker.start_scheduled_tasks(
      v_fires, p_server_uuid, p_claim_limit, p_lease_seconds, v_now);
  end if;

  with results as (
    select f.backfill_uuid, count(*) filter (where f.outcome = 'started') as started,
           (jsonb_agg(jsonb_build_object('fire_at', f.fire_at, 'code', f.reason,
                                         'message', f.message) order by f.fire_at)
            filter (where f.outcome = 'failed')) -> 0 as failure
    from jsonb_to_recordset(v_result -> 'fires')
      as f(backfill_uuid uuid, fire_at timestamptz, outcome text, reason text, message text)
    where f.backfill_uuid is not null
    group by f.backfill_uuid)
  update tasker.schedule_backfills b
  set started_count = b.started_count + coalesce(r.started, 0),
      present_count
        = b.present_count + case when d.waits or r.failure is not null then 0
                                 else jsonb_array_length(d.fires) - coalesce(r.started, 0)::int end,
      cursor_at = case when d.waits or r.failure is not null then b.cursor_at
                       else least(d.next_cursor_at, b.to_at) end,
      state = n.state, failure = r.failure,
      ended_at = case when n.state <> 'running' then v_now end,
      wake_at
        = case when n.state = 'running' then v_now + case
                 when d.waits then least(
                   greatest((v_now - d.latest) / 10, interval '1 second'), interval '30 seconds')
                 else interval '0' end end
  from jsonb_to_recordset(
    v_plans) as d(backfill_uuid uuid, fires jsonb, next_cursor_at timestamptz, is_last boolean,
                  waits boolean, latest timestamptz)
  left join results r on r.backfill_uuid = d.backfill_uuid
  cross join lateral (select case when d.waits then 'running'
                                  when r.failure is not null then 'failed'
                                  when d.is_last then 'complete'
                                  else 'running' end as state) n
  where b.backfill_uuid = d.backfill_uuid;
  return v_result || jsonb_build_object(
    'tasks', jsonb_array_length(v_plans), 'ended', '[]'::jsonb, 'cancel_requests', 0);
end
$$;
comment on function tasker.advance_backfills(jsonb, uuid, int, int, timestamptz) is
  'Submits the next tasks of backfills and moves their cursors.';
