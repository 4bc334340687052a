-- Decides one fire time of each schedule, in one transaction with the task that it submits, and
-- moves the cursor: a fire time is decided once, however many servers look, and a server that dies
-- before the commit has decided nothing.
-- p_plans: array of {schedule_uuid, version, expected_fire_at: the next_fire_at that the caller
-- saw, missed?: {from_at, until_at, count}, fire_at?, due_at?, next_fire_at?, next_due_at?,
-- template_version?, problem?: {code, message}}, calculated by a server from take_due_schedules. A
-- plan whose schedule another session has locked or changed since, or that is not due, is ignored.
-- No fire_at: all fire times until next_fire_at were missed. What happens to a fire time while a
-- task of the schedule is unfinished: allow starts it, skip records it as skipped, queue_one queues
-- one until the others have ended, cancel_previous requests their cancel and queues it, instead of
-- one that is queued. Tasks that are blocked_by_failures do not count. A queued fire goes before
-- the next one; until it can start it is checked again after a tenth of its age, between one and
-- thirty seconds.
-- Returns as evaluate_tasks: claimed_steps, queued, ended, with the number of schedules as tasks,
-- fires as start_scheduled_tasks, and
-- cancel_requests: how many cancels were requested. Errors: TK007 for a plan that does not move
-- forward.
-- Locks: schedules, skip locked; then the tasks to be cancelled by uuid; then as submit_tasks.
-- Source: ADR 0045.
create or replace function tasker.fire_schedules(
  p_plans jsonb, p_server_uuid uuid default null, p_claim_limit int default 0,
  p_lease_seconds int default 60, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now       timestamptz;
  v_locked    uuid[];
  v_decisions jsonb;
  v_fires     jsonb;
  v_cancel    uuid[];
  v_task      uuid;
  v_reply     jsonb;
  v_ended     jsonb := '[]';
  v_result    jsonb := '{"claimed_steps": [], "queued": [], "fires": []}';
begin
  if exists (select from jsonb_to_recordset(p_plans)
               as p(expected_fire_at timestamptz, fire_at timestamptz, next_fire_at timestamptz)
             where p.fire_at < p.expected_fire_at
               or p.next_fire_at <= coalesce(p.fire_at, p.expected_fire_at)) then
    raise exception 'a plan must move forward: expected_fire_at <= fire_at < next_fire_at'
      using errcode = 'TK007';
  end if;
  select coalesce(array_agg(l.schedule_uuid), '{}') into v_locked
  from (select s.schedule_uuid
        from tasker.schedules s
        where s.schedule_uuid in (
            select (p ->> 'schedule_uuid')::uuid from jsonb_array_elements(p_plans) p)
        order by s.schedule_uuid for no key update skip locked) l;
  v_now := coalesce(p_now, clock_timestamp());

  -- Where tasks of a schedule may overlap, nothing depends on it, and there may be many: the oldest
  -- suffice to keep up.
  update tasker.schedule_fires f set is_open = false
  from (select o.schedule_uuid, o.fire_at
        from tasker.schedules s
        cross join lateral (select x.schedule_uuid, x.fire_at, x.task_uuid
                            from tasker.schedule_fires x
                            where x.schedule_uuid = s.schedule_uuid and x.is_open
                            order by x.fire_at limit case s.overlap when 'allow' then 4 end) o
        where s.schedule_uuid = any (v_locked)
          -- Of a purged one too. Not a join, so that the planner finds each by its key.
          and (select t.completed_at is not null
               from tasker.tasks t
               where t.task_uuid = o.task_uuid) is not false) e
  where f.schedule_uuid = e.schedule_uuid and f.fire_at = e.fire_at and not f.is_range;

  select jsonb_agg(to_jsonb(
                     d) || jsonb_build_object(
                     'action', case
                       when d.queued_fire_at is not null
                         and (not d.is_running or d.overlap = 'allow') then 'start_queued'
                       when d.fire_at is null then
                         case when d.is_passing then 'pass' else 'wait' end
                       when d.is_present then 'pass'
                       when d.overlap = 'allow'
                         or not (d.is_running or d.queued_fire_at is not null) then 'start'
                       when d.overlap = 'cancel_previous'
                         or (d.overlap = 'queue_one' and d.queued_fire_at is null) then 'queue'
                       else 'skip' end)) into v_decisions
  from (
    select s.schedule_uuid, s.name, s.overlap, s.queued_fire_at, p.missed, p.next_fire_at,
           p.next_due_at, p.template_version, p.problem, e.fire_at,
           -- The fire times that this plan decides are due, or there are none.
           p.fire_at is null
             and s.next_fire_at <= v_now
             and coalesce(p.next_fire_at > s.next_fire_at, true)
             and p.missed is not null as is_passing,
           e.fire_at is not null
             and exists (select from tasker.schedule_fires x
                         where x.schedule_uuid = s.schedule_uuid
                           and x.fire_at = e.fire_at
                           and not x.is_range
                           and x.task_uuid is not null) as is_present,
           s.overlap <> 'allow'
             and exists (select from tasker.schedule_fires f
                         join tasker.tasks t on t.task_uuid = f.task_uuid
                         where f.schedule_uuid = s.schedule_uuid
                           and f.is_open
                           and t.completed_at is null
                           and t.state <> 'blocked_by_failures') as is_running
    from jsonb_to_recordset(
      p_plans) as p(schedule_uuid uuid, version int, expected_fire_at timestamptz, missed jsonb,
                    fire_at timestamptz, due_at timestamptz, next_fire_at timestamptz,
                    next_due_at timestamptz, template_version text, problem jsonb)
    join tasker.schedules s on s.schedule_uuid = p.schedule_uuid
    -- A clock that was set back since the plan was made must not let it fire early.
    cross join lateral (
      select case when p.fire_at >= s.next_fire_at
                    and greatest(s.next_due_at, p.due_at) <= v_now then p.fire_at end as fire_at) e
    where s.schedule_uuid = any (v_locked)
      and s.version = p.version
      and s.next_fire_at is not distinct from p.expected_fire_at
      and s.wake_at <= v_now) d;
  if v_decisions is null then
    return v_result || '{"tasks": 0, "ended": [], "cancel_requests": 0}';
  end if;

  -- Before anything is submitted, in the lock order of all tasks.
  select array_agg(f.task_uuid order by f.task_uuid) into v_cancel
  from jsonb_to_recordset(v_decisions) as d(schedule_uuid uuid, action text, overlap text)
  join tasker.schedule_fires f on f.schedule_uuid = d.schedule_uuid and f.is_open
  where d.action = 'queue' and d.overlap = 'cancel_previous';
  if v_cancel is not null then
    perform tasker.lock_tasks(v_cancel);
    foreach v_task in array v_cancel loop
      v_reply := tasker.request_cancel(
        v_task, 'tasker', 'the schedule fires again, and its overlap is cancel_previous',
        'cancel_running', p_server_uuid);
      v_ended := v_ended || coalesce(v_reply -> 'ended', '[]');
    end loop;
  end if;

  select jsonb_agg(jsonb_build_object('schedule_uuid', d.schedule_uuid, 'origin', 'schedule',
                                      'template_version', d.template_version, 'problem', d.problem,
                                      'fire_at', case d.action when 'start' then d.fire_at
                                                      else d.queued_fire_at end)) into v_fires
  from jsonb_to_recordset(
    v_decisions) as d(schedule_uuid uuid, action text, fire_at timestamptz,
                      queued_fire_at timestamptz, template_version text, problem jsonb)
  where d.action in ('start', 'start_queued');
  if v_fires is not null then
    v_result := tasker.start_scheduled_tasks(
      v_fires, p_server_uuid, p_claim_limit, p_lease_seconds, v_now);
  end if;

  insert into tasker.schedule_fires
    (schedule_uuid, fire_at, is_range, until_at, fire_count, origin, outcome, reason, decided_at)
  select d.schedule_uuid, d.fire_at, false, null, null, 'schedule',
         case d.action when 'queue' then 'queued' else 'skipped' end, 'overlap', v_now
  from jsonb_to_recordset(v_decisions) as d(schedule_uuid uuid, action text, fire_at timestamptz)
  where d.action in ('queue', 'skip')
  union all
  select d.schedule_uuid, m.from_at, true, m.until_at, m.count, 'schedule', 'missed', m.reason,
         v_now
  from jsonb_to_recordset(v_decisions) as d(schedule_uuid uuid, action text, missed jsonb)
  cross join lateral jsonb_to_record(
    d.missed) as m(from_at timestamptz, until_at timestamptz, count int, reason text)
  where d.action not in ('start_queued', 'wait') and d.missed is not null
  -- A fire time that no server could calculate the next one of was recorded as failed, and is
  -- decided again after a resume.
  on conflict (schedule_uuid, fire_at, is_range) do update
    set outcome = excluded.outcome, reason = excluded.reason, message = null,
        decided_at = excluded.decided_at
  where schedule_fires.outcome = 'failed';

  update tasker.schedule_fires f
  set outcome = 'skipped', reason = 'replaced', decided_at = v_now
  from jsonb_to_recordset(
    v_decisions) as d(schedule_uuid uuid, action text, queued_fire_at timestamptz)
  where d.action = 'queue'
    and d.queued_fire_at is not null
    and f.schedule_uuid = d.schedule_uuid
    and f.fire_at = d.queued_fire_at
    and not f.is_range
    and f.outcome = 'queued';

  update tasker.schedules s
  set next_fire_at = case when c.moves then d.next_fire_at else s.next_fire_at end,
      next_due_at = case when c.moves then d.next_due_at else s.next_due_at end,
      queued_fire_at = case d.action when 'start_queued' then null
                            when 'queue' then d.fire_at
                            else s.queued_fire_at end,
      recheck_at = case d.action
        when 'start_queued' then null
        when 'queue' then v_now
          + case when d.overlap = 'cancel_previous' then interval '0' else interval '1 second' end
        -- Also beside a next fire time, or an overdue check would bring the schedule
        -- back at once.
        else case when s.queued_fire_at is not null then
                    v_now + least(greatest((v_now - s.queued_fire_at) / 10, interval '1 second'),
                                  interval '30 seconds') end end,
      skipped_count = s.skipped_count + case
        when d.action = 'skip' or (d.action = 'queue' and d.queued_fire_at is not null) then 1
        else 0 end,
      missed_count = s.missed_count + case
        when c.moves and d.missed is not null then coalesce((d.missed ->> 'count')::int, 1000)
        else 0 end
  from jsonb_to_recordset(
    v_decisions) as d(schedule_uuid uuid, action text, overlap text, fire_at timestamptz,
                      queued_fire_at timestamptz, next_fire_at timestamptz, next_due_at timestamptz,
                      missed jsonb)
  cross join lateral (select d.action not in ('start_queued', 'wait') as moves) c
  where s.schedule_uuid = d.schedule_uuid;

  return v_result || jsonb_build_object(
    'tasks', jsonb_array_length(v_decisions), 'ended', v_ended,
    'cancel_requests', coalesce(cardinality(v_cancel), 0));
end
$$;
comment on function tasker.fire_schedules(jsonb, uuid, int, int, timestamptz) is
  'Decides one fire time of each schedule, in one transaction with the task that it submits, and '
  'moves the cursor.';
