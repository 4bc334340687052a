-- Recounts everything from the existing history, and returns the number of rows of task_tallies.
-- For a database that was restored from a dump, where transaction numbers start again.
-- Locks: the history of tasks, in share mode: moves of tasks wait until it is done.
create or replace function tasker.rebuild_analytics()
returns bigint
language plpgsql
set search_path = '' set timezone = 'UTC'
as $$
declare
  v_count bigint;
begin
  perform from tasker.analytics_progress a for update;
  lock table tasker.task_moves in share mode;
  delete from tasker.task_state_tallies;
  delete from tasker.step_state_tallies;
  delete from tasker.task_tallies;
  delete from tasker.step_tallies;
  delete from tasker.duration_tallies;
  update tasker.analytics_progress set rebuilt_at = '-infinity';
  insert into tasker.task_state_tallies (state, tasks)
  select m.task_state, m.change from tasker.count_task_moves(0) m where m.task_state is not null;
  insert into tasker.step_state_tallies (state, steps)
  select m.step_state, m.change from tasker.count_task_moves(0) m where m.step_state is not null;
  v_count := tasker.add_tallies(0);
  update tasker.analytics_progress set
    next_xact = pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint,
    rebuilt_at = clock_timestamp(), counted_at = clock_timestamp();
  return v_count;
end
$$;
comment on function tasker.rebuild_analytics() is
  'Recounts the moves of all tasks, for a database restored from a dump.';
