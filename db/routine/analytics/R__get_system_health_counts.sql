-- One row: tasks and steps by state, and the database's connections. Exact as of the caller's
-- snapshot, also while work continues; costs what is unfinished and what happened since the last
-- roll-up, not what has finished before.
create or replace function tasker.get_system_health_counts()
returns table (
  pending_tasks bigint, initializing_tasks bigint, enqueuing_steps_tasks bigint,
  steps_in_process_tasks bigint,
  evaluating_results_tasks bigint, waiting_for_dependencies_tasks bigint,
  waiting_for_retry_tasks bigint,
  blocked_by_failures_tasks bigint, complete_tasks bigint, error_tasks bigint,
  cancelled_tasks bigint,
  resolved_manually_tasks bigint, total_tasks bigint,
  pending_steps bigint, enqueued_steps bigint, in_progress_steps bigint,
  enqueued_for_orchestration_steps bigint,
  enqueued_as_error_for_orchestration_steps bigint, waiting_for_retry_steps bigint,
  complete_steps bigint,
  error_steps bigint, cancelled_steps bigint, resolved_manually_steps bigint, total_steps bigint,
  active_connections bigint, max_connections bigint)
language plpgsql stable
set search_path = '' set jit = off
as $$
declare
  v_tasks jsonb;
  v_steps jsonb;
begin
  with moves as materialized (
    select m.*
    from tasker.analytics_progress a
    cross join lateral tasker.count_task_moves(a.next_xact) m),
  tasks as (
    select y.state, y.tasks
    from tasker.task_state_tallies y
    union all
    select m.task_state, m.change from moves m where m.task_state is not null),
  unfinished as (
    -- An unfinished task has a wake-up, or is blocked and has a dead letter.
    select w.task_uuid
    from tasker.task_wakeups w
    union
    select d.task_uuid
    from tasker.tasks_dlq d
    join tasker.tasks t on t.task_uuid = d.task_uuid
    where t.completed_at is null),
  steps as (
    select y.state, y.steps
    from tasker.step_state_tallies y
    union all
    select m.step_state, m.change
    from moves m
    where m.step_state is not null
    union all
    select s.state, count(*)
    from unfinished u
    join tasker.workflow_steps s on s.task_uuid = u.task_uuid
    group by s.state)
  select (select jsonb_object_agg(g.state, g.n)
          from (select k.state, sum(k.tasks)::bigint as n from tasks k group by k.state) g),
         (select jsonb_object_agg(g.state, g.n)
          from (select k.state, sum(k.steps)::bigint as n from steps k group by k.state) g)
    into v_tasks, v_steps;

  return query
  select coalesce((v_tasks ->> 'pending')::bigint, 0),
         coalesce((v_tasks ->> 'initializing')::bigint, 0),
         coalesce((v_tasks ->> 'enqueuing_steps')::bigint, 0),
         coalesce((v_tasks ->> 'steps_in_process')::bigint, 0),
         coalesce((v_tasks ->> 'evaluating_results')::bigint, 0),
         coalesce((v_tasks ->> 'waiting_for_dependencies')::bigint, 0),
         coalesce((v_tasks ->> 'waiting_for_retry')::bigint, 0),
         coalesce((v_tasks ->> 'blocked_by_failures')::bigint, 0),
         coalesce((v_tasks ->> 'complete')::bigint, 0), coalesce((v_tasks ->> 'error')::bigint, 0),
         coalesce((v_tasks ->> 'cancelled')::bigint, 0),
         coalesce((v_tasks ->> 'resolved_manually')::bigint, 0),
         (select coalesce(sum(e.value::bigint), 0)::bigint from jsonb_each_text(v_tasks) e),
         coalesce((v_steps ->> 'pending')::bigint, 0),
         coalesce((v_steps ->> 'enqueued')::bigint, 0),
         coalesce((v_steps ->> 'in_progress')::bigint, 0),
         coalesce((v_steps ->> 'enqueued_for_orchestration')::bigint, 0),
         coalesce((v_steps ->> 'enqueued_as_error_for_orchestration')::bigint, 0),
         coalesce((v_steps ->> 'waiting_for_retry')::bigint, 0),
         coalesce((v_steps ->> 'complete')::bigint, 0), coalesce((v_steps ->> 'error')::bigint, 0),
         coalesce((v_steps ->> 'cancelled')::bigint, 0),
         coalesce((v_steps ->> 'resolved_manually')::bigint, 0),
         (select coalesce(sum(e.value::bigint), 0)::bigint from jsonb_each_text(v_steps) e),
         (select count(*)
          from pg_catalog.pg_stat_activity a
          where a.backend_type = 'client backend'),
         pg_catalog.current_setting('max_connections')::bigint;
end
$$;
comment on function tasker.get_system_health_counts() is
  'Exact counts of tasks and steps by state, and of connections; finished tasks do not make it '
  'slower.';
