-- Drops the oldest past month of history of which no task exists; or rewrites the oldest of which
-- at most p_rewrite_tasks tasks exist, without the rows of purged tasks. One month per call; null
-- when no month qualifies. Returns {month, outcome, kept_tasks}: dropped, rewritten, or postponed
-- when writers held the table for longer than 0.2 seconds. Reads the whole month before it takes
-- any lock, to find the rows to keep: no transaction writes to a month that ended more than a day
-- ago. Keeps every row of an existing task, however old.
-- Locks: an advisory lock against itself and ensure_history_partitions, or nothing is done; the
-- history tables at the very end, for as long as it takes to put one partition in the place of
-- another.
-- Source: ADR 0021.
create or replace function tasker.drop_history_month(
  p_rewrite_tasks int default 10000, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set timezone = 'UTC' set datestyle = 'ISO' set lock_timeout = '200ms'
set jit = off
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_month  record;
  v_bound  uuid;
  v_left   bigint;
  v_parent text;
  v_kept   text;
  v_rows   bigint;
  v_is_empty boolean;
  v_tasks  bigint;
  v_outcome text;
begin
  if not pg_catalog.pg_try_advisory_xact_lock(
      pg_catalog.hashtext('tasker.ensure_history_partitions')) then
    return null;
  end if;
  for v_month in
    select m.month, m.next_month, m.suffix, d.kept_tasks, d.done_at
    from tasker.get_history_months() m
    left join tasker.dropped_history d on d.month = m.month
    where m.next_month + interval '1 day' <= v_now order by m.month
  loop
    -- A task that moved in that month was created before its end, and was not finished before its
    -- beginning.
    v_bound := tasker.calculate_first_uuid(v_month.next_month + interval '1 day');
    select count(*) into v_left
    from (select from tasker.tasks t
          where t.task_uuid < v_bound
            and (t.completed_at is null or t.completed_at >= v_month.month - interval '1 day')
          order by t.task_uuid desc limit p_rewrite_tasks + 1) l;
    continue when v_left > p_rewrite_tasks;
    -- Rewrites a month again when half of the tasks that it kept are gone, and for the first time
    -- when any is.
    continue when v_left > 0
      and (v_left * 2 > v_month.kept_tasks
           or not exists (select from tasker.purged_tasks p
                          where p.created_at < v_month.next_month
                            and p.last_move_at >= v_month.month));

    begin
      v_is_empty := true;
      foreach v_parent in array array['task_moves', 'step_moves'] loop
        v_kept := v_parent || '_' || v_month.suffix || '_kept';
        execute format(
          'create table tasker.%I (like tasker.%I including all)
           with (autovacuum_vacuum_insert_scale_factor = 0.02,
                 autovacuum_vacuum_insert_threshold = 50000)',
          v_kept, v_parent);
        if to_regclass(format('tasker.%I', v_parent || '_' || v_month.suffix)) is not null then
          execute format(
            'insert into tasker.%I select h.* from tasker.%I h
             where exists (select from tasker.tasks t
                           where t.task_uuid = h.task_uuid and t.task_uuid < $1)',
            v_kept, v_parent || '_' || v_month.suffix) using v_bound;
          get diagnostics v_rows = row_count;
          v_is_empty := v_is_empty and v_rows = 0;
        end if;
        -- So that attaching need not look through it again.
        execute format('alter table tasker.%I add constraint is_of_its_month check (created_at '
                       '>= %L and created_at < %L)',
                       v_kept, v_month.month, v_month.next_month);
      end loop;
      execute format('select count(distinct h.task_uuid) from tasker.%I h',
                     'task_moves_' || v_month.suffix || '_kept') into v_tasks;

      lock table tasker.task_moves, tasker.step_moves in access exclusive mode;
      foreach v_parent in array array['task_moves', 'step_moves'] loop
        v_kept := v_parent || '_' || v_month.suffix || '_kept';
        execute format('drop table if exists tasker.%I', v_parent || '_' || v_month.suffix);
        if v_is_empty then
          execute format('drop table tasker.%I', v_kept);
        else
          execute format('alter table tasker.%I rename to %I', v_kept,
                         v_parent || '_' || v_month.suffix);
          execute format(
            'alter table tasker.%I attach partition tasker.%I for values from (%L) to (%L)',
            v_parent, v_parent || '_' || v_month.suffix, v_month.month, v_month.next_month);
          execute format('alter table tasker.%I drop constraint is_of_its_month',
                         v_parent || '_' || v_month.suffix);
        end if;
      end loop;
      v_outcome := case when v_is_empty then 'dropped' else 'rewritten' end;
      insert into tasker.dropped_history as d (month, outcome, kept_tasks, done_at)
      values (v_month.month, v_outcome, v_tasks, v_now)
      on conflict (month) do update
        set outcome = excluded.outcome, kept_tasks = excluded.kept_tasks,
            done_at = excluded.done_at, is_cleaned_up = false;
    exception when lock_not_available then
      v_outcome := 'postponed';
      v_tasks := null;
    end;
    return jsonb_build_object('month', v_month.suffix, 'outcome', v_outcome, 'kept_tasks', v_tasks);
  end loop;
  return null;
end
$$;
comment on function tasker.drop_history_month(int, timestamptz) is
  'Drops the oldest month of history that is over and of which no task is left, or rewrites one '
  'of which few are left.';
