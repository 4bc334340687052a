-- Locks tasks as lock_tasks, for an action on many of them: when another transaction holds one for
-- longer than p_wait, locks those that are free and leaves the others.
-- Returns the locked tasks, by uuid.
-- Locks: the tasks by uuid; after p_wait it skips those that another session holds.
create or replace function tasker.try_lock_tasks(
  p_task_uuids uuid[], p_wait interval default '5 seconds')
returns uuid[]
language plpgsql
set search_path = ''
as $$
declare
  v_before text := pg_catalog.current_setting('lock_timeout');
begin
  begin
    perform pg_catalog.set_config(
      'lock_timeout', (extract(epoch from p_wait) * 1000)::int || 'ms', true);
    perform tasker.lock_tasks(p_task_uuids);
    perform pg_catalog.set_config('lock_timeout', v_before, true);
    return array(select t.task_uuid
                 from tasker.tasks t
                 where t.task_uuid = any (p_task_uuids)
                 order by t.task_uuid);
  exception when lock_not_available then
    -- With the savepoint go the locks, and the setting.
    null;
  end;
  return array(
    select t.task_uuid from tasker.tasks t where t.task_uuid = any (p_task_uuids)
    order by t.task_uuid for no key update skip locked);
end
$$;
comment on function tasker.try_lock_tasks(uuid[], interval) is
  'Locks tasks for an action on many of them, except those that another transaction holds for '
  'long.';
