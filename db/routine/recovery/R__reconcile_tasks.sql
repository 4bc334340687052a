-- Restores rows that the engine relies on and writes only once, when a mistaken statement, a
-- partial restore or another program has deleted them. One part of the walk over all tasks per
-- call, p_limit of them in the order of their keys, so that a call costs the same for any number of
-- tasks; and the latest wake-ups, by an index.
--   a blocked task without a dead letter of its own gets one;
--   a task that can move and has no wake-up gets one that is due;
--   its own row of reconciler_progress, without which the walk would never go on;
--   a wake-up later than any that the engine sets becomes due. Those of a retry and of a delayed
--   start may lie years ahead, that of a task that only waits a day; of the others, those within a
--   day are found by the walk alone, so that sleepers cost nothing here.
-- The next pass handles tasks that another session holds. Returns {tasks: checked, dead_letters,
-- wakeups, moved_wakeups: restored}, with tasks null when another server runs it.
-- Locks: the row of reconciler_progress, skipped when it is locked; the tasks that lack a row, skip
-- locked; their wake-ups.
-- Source: docs/guarantees.md.
create or replace function tasker.reconcile_tasks(
  p_limit int default 2000, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_cursor   tasker.reconciler_progress;
  v_tasks    uuid[];
  v_lacking  uuid[];
  v_far      uuid[];
  v_letters  int := 0;
  v_wakeups  int := 0;
begin
  select * into v_cursor from tasker.reconciler_progress r for no key update skip locked;
  if not found then
    -- Locked, or gone: then the next call finds it.
    insert into tasker.reconciler_progress (only_row)
    select true where not exists (select from tasker.reconciler_progress) on conflict do nothing;
    return jsonb_build_object('tasks', null, 'dead_letters', 0, 'wakeups', 0, 'moved_wakeups', 0);
  end if;
  select array_agg(t.task_uuid) into v_tasks
  from (select t.task_uuid from tasker.tasks t
        where t.task_uuid > coalesce(v_cursor.cursor_uuid, '00000000-0000-0000-0000-000000000000')
        order by t.task_uuid limit p_limit) t;
  -- Nothing after the cursor: the next pass begins.
  update tasker.reconciler_progress r
  set cursor_uuid = case when cardinality(v_tasks) = p_limit then v_tasks[p_limit] end,
      last_pass_at
        = case when coalesce(cardinality(v_tasks), 0) < p_limit then v_now else r.last_pass_at end,
      pass_began_at = case when v_cursor.cursor_uuid is null then v_now else r.pass_began_at end;

  -- Found without locks and decided under them: the task may have moved meanwhile.
  select array_agg(t.task_uuid) into v_lacking
  from tasker.tasks t
  where t.task_uuid = any (v_tasks)
    and t.completed_at is null
    and case t.state
      when 'blocked_by_failures' then
        not exists (select from tasker.tasks_dlq d
                    where d.task_uuid = t.task_uuid and d.resolution_status = 'pending')
      else not exists (select from tasker.task_wakeups w where w.task_uuid = t.task_uuid) end;
  if v_lacking is not null then
    select array_agg(l.task_uuid) into v_lacking
    from (select t.task_uuid
          from tasker.tasks t
          where t.task_uuid = any (v_lacking)
          order by t.task_uuid for no key update skip locked) l;
    -- One that an operator has closed since the task is blocked is as good as an open one. The
    -- history shows when it was blocked.
    perform tasker.create_dlq_entries(array_agg(b.task_uuid), v_now), count(*)
    from (select t.task_uuid
          from tasker.tasks t
          where t.task_uuid = any (v_lacking)
            and t.state = 'blocked_by_failures'
            and not exists (select from tasker.tasks_dlq d
                            where d.task_uuid = t.task_uuid
                              and (d.resolution_status = 'pending'
                                   or (d.resolved_by is not null
                                       and d.resolution_timestamp
                                         >= (select h.created_at
                                             from tasker.task_moves h
                                             where h.task_uuid = t.task_uuid
                                               and h.sort_key = t.transition_count))))) b
    having count(*) > 0;
    select count(*) into v_letters
    from tasker.tasks_dlq d
    where d.task_uuid = any (v_lacking) and d.dlq_timestamp = v_now;
    with woken as (
      insert into tasker.task_wakeups as w (task_uuid, wake_at)
      select t.task_uuid, v_now
      from tasker.tasks t
      where t.task_uuid = any (v_lacking)
        and t.completed_at is null
        and t.state <> 'blocked_by_failures'
      on conflict (task_uuid) do nothing
      returning w.task_uuid)
    select count(*) into v_wakeups from woken;
  end if;

  select array_agg(f.task_uuid) into v_far
  from ((select w.task_uuid, w.wake_at from tasker.task_wakeups w
         where w.wake_at > v_now + interval '25 hours' order by w.wake_at desc limit p_limit)
        union
        select w.task_uuid, w.wake_at from tasker.task_wakeups w
        where w.task_uuid = any (v_tasks) and w.wake_at > v_now + interval '65 minutes') f
  where not tasker.may_sleep_until(f.task_uuid, f.wake_at, v_now);
  if v_far is not null then
    with held as (
      select t.task_uuid
      from tasker.tasks t
      where t.task_uuid = any (v_far)
      order by t.task_uuid for no key update skip locked)
    select array_agg(h.task_uuid) into v_far from held h;
    update tasker.task_wakeups w set wake_at = v_now
    where w.task_uuid = any (v_far) and w.wake_at > v_now + interval '65 minutes'
      and not tasker.may_sleep_until(w.task_uuid, w.wake_at, v_now);
  end if;
  return jsonb_build_object('tasks', coalesce(cardinality(v_tasks), 0), 'dead_letters', v_letters,
                            'wakeups', v_wakeups, 'moved_wakeups', coalesce(cardinality(v_far), 0));
end
$$;
comment on function tasker.reconcile_tasks(int, timestamptz) is
  'Restores lost dead letters and wake-ups, and wake-ups that are too late: one part of the walk '
  'over all tasks.';
