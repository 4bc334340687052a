-- Adds the creations and ends of tasks, and the executions of their steps, of the transactions
-- p_from up to and without p_until (null: as far as the caller sees) to task_tallies, step_tallies
-- and duration_tallies. Returns the number of rows of task_tallies that changed.
-- Locks: the rows of the tallies; the caller holds the row of analytics_progress.
create or replace function tasker.add_tallies(p_from bigint, p_until bigint default null)
returns bigint
language sql
set search_path = ''
as $$
  with tasks as materialized (select y.* from tasker.tally_tasks(p_from, p_until) y),
  executions as materialized (select y.* from tasker.tally_steps(p_from, p_until) y),
  counted_tasks as (
    insert into tasker.task_tallies as a
    select t.minute, t.named_task_uuid, t.state, sum(t.tasks), sum(t.steps), sum(t.failed_steps),
           sum(t.seconds), min(t.least_seconds), max(t.most_seconds), max(t.last_at)
    from tasks t
    group by 1, 2, 3
    on conflict (minute, named_task_uuid, state) do update
      set tasks = a.tasks + excluded.tasks, steps = a.steps + excluded.steps,
          failed_steps = a.failed_steps + excluded.failed_steps,
          seconds = a.seconds + excluded.seconds,
          least_seconds = least(a.least_seconds, excluded.least_seconds),
          most_seconds = greatest(a.most_seconds, excluded.most_seconds),
          last_at = greatest(a.last_at, excluded.last_at)
    returning 1),
  counted_executions as (
    insert into tasker.step_tallies as a
    select e.minute, e.named_step_uuid, sum(e.executions), sum(e.errors), sum(e.seconds),
           min(e.least_seconds), max(e.most_seconds), max(e.last_at)
    from executions e
    group by 1, 2
    on conflict (minute, named_step_uuid) do update
      set executions = a.executions + excluded.executions, errors = a.errors + excluded.errors,
          seconds = a.seconds + excluded.seconds,
          least_seconds = least(a.least_seconds, excluded.least_seconds),
          most_seconds = greatest(a.most_seconds, excluded.most_seconds),
          last_at = greatest(a.last_at, excluded.last_at)),
  counted_durations as (
    insert into tasker.duration_tallies as a
    select date_bin('15 minutes', d.minute, 'epoch'), d.subject_uuid, d.bucket, sum(d.executions)
    from (select t.minute, t.named_task_uuid as subject_uuid, t.bucket, t.tasks as executions
          from tasks t
          where t.bucket is not null
          union all
          select e.minute, e.named_step_uuid, e.bucket, e.executions from executions e) d
    group by 1, 2, 3
    on conflict (quarter, subject_uuid, bucket) do update
      set executions = a.executions + excluded.executions)
  select count(*) from counted_tasks
$$;
comment on function tasker.add_tallies(bigint, bigint) is
  'Adds what a range of transactions recorded to the tallies: tasks created and ended, and '
  'executions of their steps.';
