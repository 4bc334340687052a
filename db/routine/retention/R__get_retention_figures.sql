-- Retention figures for monitoring: {purged_tasks, oldest_task_seconds, oldest_history_seconds,
-- months_ahead, default_in_use}. Cheap however many tasks there are. Reads only.
create or replace function tasker.get_retention_figures(p_now timestamptz default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  with clock as (select coalesce(p_now, clock_timestamp()) as now)
  select jsonb_build_object(
           'purged_tasks', (select coalesce(sum(g.purged_tasks), 0)
                            from tasker.retention_progress g),
           'oldest_task_seconds', coalesce((select extract(epoch from c.now - t.created_at)
                                            from tasker.tasks t
                                            order by t.task_uuid limit 1),
                                           0),
           'oldest_history_seconds', coalesce(
             (select extract(epoch from c.now - min(m.month)) from tasker.get_history_months() m),
             0),
           'months_ahead', (
             select count(*) from tasker.get_history_months() m where m.month > c.now),
           'default_in_use', (exists (select from tasker.task_moves_default)
                              or exists (
                                select from tasker.step_moves_default))::int)
  from clock c
$$;
comment on function tasker.get_retention_figures(timestamptz) is
  'Retention figures for monitoring.';
