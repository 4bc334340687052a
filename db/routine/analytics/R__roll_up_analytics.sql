-- Counts the moves of all committed transactions that are not counted yet, and returns the number
-- of creations and ends of tasks among them; null when another session runs it. Deletes minutes
-- older than p_keep, at most p_limit rows of each kind per call.
-- A database that was restored from a dump starts again with its transaction numbers: then
-- everything is recounted.
-- Locks: the row of analytics_progress, skipped when it is locked. Task processing never waits for
-- it.
create or replace function tasker.roll_up_analytics(
  p_keep interval default '35 days', p_limit int default 10000)
returns bigint
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_from  bigint;
  v_until bigint;
  v_count bigint;
begin
  select a.next_xact into v_from from tasker.analytics_progress a for update skip locked;
  if v_from is null then
    -- Locked; or gone, and then everything is recounted.
    insert into tasker.analytics_progress (next_xact)
    select 0 where not exists (select from tasker.analytics_progress) on conflict do nothing;
    return case when found then tasker.rebuild_analytics() end;
  end if;
  -- Read after taking the lock and before reading any move: later reads see everything below it.
  v_until := pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint;
  if v_until < v_from then
    return tasker.rebuild_analytics();
  end if;

  with moves as materialized (
    select m.* from tasker.count_task_moves(v_from, v_until) m
  ), tasks as (
    insert into tasker.task_state_tallies as a (state, tasks)
    select m.task_state, m.change from moves m where m.task_state is not null
    on conflict (state) do update set tasks = a.tasks + excluded.tasks
  )
  insert into tasker.step_state_tallies as a (state, steps)
  select m.step_state, m.change from moves m where m.step_state is not null
  on conflict (state) do update set steps = a.steps + excluded.steps;

  v_count := tasker.add_tallies(v_from, v_until);
  perform tasker.add_metric_totals(v_from, v_until);
  update tasker.analytics_progress set next_xact = v_until, counted_at = clock_timestamp();

  delete from tasker.task_tallies where ctid = any (array(
    select o.ctid from tasker.task_tallies o where o.minute < now() - p_keep limit p_limit));
  delete from tasker.step_tallies where ctid = any (array(
    select o.ctid from tasker.step_tallies o where o.minute < now() - p_keep limit p_limit));
  delete from tasker.duration_tallies
  where ctid = any (array(select o.ctid
                          from tasker.duration_tallies o
                          where o.quarter < now() - p_keep - interval '15 minutes' limit p_limit));
  return v_count;
end
$$;
comment on function tasker.roll_up_analytics(interval, int) is
  'Adds the moves that are not counted yet to the tallies; null while another session does so.';
