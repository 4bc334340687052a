-- Locks up to p_limit schedules and p_limit backfills that are due, those due first, for the rest
-- of the transaction, and returns what a server needs to calculate their fire times: {now,
-- schedules: [...], backfills: [...], next_wake_in_ms}. fire_schedules and advance_backfills decide
-- in the same transaction. next_wake_in_ms is the time to the earliest that is not in this reply;
-- null when there is none. Skips what another session has locked: two servers never wait for each
-- other. Also skips what this server, p_server_uuid, has declined (decline_schedules), until it has
-- been due for half a minute, and half a minute after each decline: until then it is the turn of
-- the servers that can fire it.
-- Locks: the schedules, and the backfills with their schedules, skip locked. Source: ADR 0045.
create or replace function tasker.take_due_schedules(
  p_limit int default 100, p_now timestamptz default null, p_server_uuid uuid default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now       timestamptz := coalesce(p_now, clock_timestamp());
  v_schedules jsonb;
  v_backfills jsonb;
  v_turn      constant interval := interval '30 seconds';
begin
  select jsonb_agg(to_jsonb(d) order by d.wake_at, d.schedule_uuid) into v_schedules
  from (select s.schedule_uuid, s.version, s.namespace_name as namespace, s.name, s.template_name,
               s.template_version, s.context, s.time_member, s.cron, s.every_seconds, s.zone,
               s.starts_at, s.ends_at, s.anchor_at, s.jitter_seconds, s.catch_up,
               s.catch_up_seconds, s.next_fire_at, s.next_due_at, s.queued_fire_at, s.wake_at
        from tasker.schedules s
        where s.wake_at <= v_now
          and not exists (select from tasker.schedule_declines c
                          where c.schedule_uuid = s.schedule_uuid
                            and c.server_uuid = p_server_uuid
                            and c.version = s.version
                            and greatest(c.declined_at, s.wake_at) > v_now - v_turn)
        order by s.wake_at limit p_limit
        for no key update skip locked) d;

  select jsonb_agg(to_jsonb(d) order by d.wake_at, d.backfill_uuid) into v_backfills
  from (select b.backfill_uuid, b.cursor_at, b.from_at, b.to_at, b.overlap, b.wake_at,
               s.schedule_uuid, s.version, s.namespace_name as namespace, s.name, s.template_name,
               s.template_version, s.context, s.time_member, s.cron, s.every_seconds, s.zone,
               s.starts_at, s.ends_at, s.anchor_at, s.jitter_seconds
        from tasker.schedule_backfills b
        join tasker.schedules s on s.schedule_uuid = b.schedule_uuid
        where b.wake_at <= v_now
          and not exists (select from tasker.schedule_declines c
                          where c.schedule_uuid = s.schedule_uuid
                            and c.server_uuid = p_server_uuid
                            and c.version = s.version
                            and greatest(c.declined_at, b.wake_at) > v_now - v_turn)
        order by b.wake_at limit p_limit
        for no key update skip locked) d;

  return jsonb_build_object(
    'now', v_now, 'schedules', coalesce(v_schedules, '[]'),
    'backfills', coalesce(v_backfills, '[]'),
    'next_wake_in_ms', (
      select ceil(extract(epoch from min(n.wake_at) - v_now) * 1000)
      from ((select s.wake_at
             from tasker.schedules s
             where s.wake_at is not null
               and not exists (select from tasker.schedule_declines c
                               where c.schedule_uuid = s.schedule_uuid
                                 and c.server_uuid = p_server_uuid
                                 and c.version = s.version)
             order by s.wake_at
             limit 1) union all (
              select b.wake_at
              from tasker.schedule_backfills b
              join tasker.schedules s on s.schedule_uuid = b.schedule_uuid
              where b.wake_at is not null
                and not exists (select from tasker.schedule_declines c
                                where c.schedule_uuid = s.schedule_uuid
                                  and c.server_uuid = p_server_uuid
                                  and c.version = s.version)
              order by b.wake_at
              limit 1) union all (
              select greatest(c.declined_at, w.wake_at) + v_turn
              from tasker.schedule_declines c
              join tasker.schedules s on s.schedule_uuid = c.schedule_uuid and s.version = c.version
              cross join lateral (select least(s.wake_at,
                                               (select min(b.wake_at)
                                                from tasker.schedule_backfills b
                                                where b.schedule_uuid = s.schedule_uuid
                                                  and b.wake_at is not null)) as wake_at) w
              where c.server_uuid = p_server_uuid and w.wake_at is not null)) n));
end
$$;
comment on function tasker.take_due_schedules(int, timestamptz, uuid) is
  'Locks schedules and backfills that are due and returns what a server needs to calculate their '
  'fire times.';
