-- Counts the moves of all committed transactions that are not counted yet, in parts and for about a
-- second, and returns the number of creations and ends of tasks among them; null when another
-- session runs it. What is left is for the next call. Deletes minutes older than p_keep, at most
-- p_limit rows of each kind per call.
-- A database that was restored from a dump starts again with its transaction numbers: what it
-- brought that was not counted yet is counted now, and then what was made here, by its time.
-- Locks: the row of analytics_progress, skipped when it is locked. Task processing never waits for
-- it, unless that row is gone and everything is recounted.
create or replace function tasker.roll_up_analytics(
  p_keep interval default '35 days', p_limit int default 10000)
returns bigint
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_snapshot pg_catalog.pg_snapshot;
  v_from     bigint;
  v_count    bigint := 0;
begin
  select a.next_xact into v_from from tasker.analytics_progress a for update skip locked;
  if v_from is null then
    -- Locked; or gone, and then everything is recounted.
    insert into tasker.analytics_progress (next_xact)
    select 0 where not exists (select from tasker.analytics_progress) on conflict do nothing;
    return case when found then tasker.rebuild_analytics() end;
  end if;
  -- Read after taking the lock and before reading any move: later reads see everything below it.
  v_snapshot := pg_catalog.pg_current_snapshot();
  if pg_catalog.pg_snapshot_xmin(v_snapshot)::text::bigint < v_from then
    -- A transaction of this database that has a number of the other one cannot be told from it.
    if pg_catalog.pg_snapshot_xmax(v_snapshot)::text::bigint >= v_from then
      return tasker.rebuild_analytics();
    end if;
    v_count := tasker.count_moves(v_from, 9223372036854775807);
    update tasker.analytics_progress a set
      next_xact = 0,
      rebuilt_at = greatest(a.rebuilt_at, a.counted_at,
        (select max(h.created_at) from tasker.task_moves h where h.xact_id >= v_from),
        (select max(h.created_at) from tasker.step_moves h where h.xact_id >= v_from));
    v_from := 0;
  end if;
  v_count := v_count + tasker.count_moves_in_parts(
    v_from, pg_catalog.pg_snapshot_xmin(v_snapshot)::text::bigint, '1 second');

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
