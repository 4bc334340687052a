-- Adds the moves of the transactions p_from up to and without p_until to all tallies and totals,
-- and returns the number of creations and ends of tasks among them.
-- Locks: the rows of the tallies; the caller holds the row of analytics_progress.
create or replace function tasker.count_moves(p_from bigint, p_until bigint)
returns bigint
language plpgsql
set search_path = ''
as $$
declare
  v_count bigint;
begin
  with moves as materialized (
    select m.* from tasker.count_task_moves(p_from, p_until) m
  ), tasks as (
    insert into tasker.task_state_tallies as a (state, tasks)
    select m.task_state, m.change from moves m where m.task_state is not null
    on conflict (state) do update set tasks = a.tasks + excluded.tasks
  )
  insert into tasker.step_state_tallies as a (state, steps)
  select m.step_state, m.change from moves m where m.step_state is not null
  on conflict (state) do update set steps = a.steps + excluded.steps;

  v_count := tasker.add_tallies(p_from, p_until);
  perform tasker.add_metric_totals(p_from, p_until);
  return v_count;
end
$$;
comment on function tasker.count_moves(bigint, bigint) is
  'Adds what a range of transactions recorded to all tallies and totals.';
