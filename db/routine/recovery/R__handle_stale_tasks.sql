-- Handles those of the given tasks that are stale as their templates say: a dead letter, error,
-- both or nothing; and schedules the others to be evaluated no later than when they become stale.
-- Locks: the caller holds the tasks, so that no two servers handle one. Returns those that ended,
-- as [{task_uuid, state}].
-- Source: ADR 0016.
create or replace function tasker.handle_stale_tasks(
  p_task_uuids uuid[], p_server_uuid uuid, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now      timestamptz := coalesce(p_now, clock_timestamp());
  v_stale    record;
  v_metadata jsonb;
  v_ended    jsonb := '[]';
begin
  for v_stale in
    with found as materialized (
      select g.*,
             (select w.wake_at from tasker.task_wakeups w where w.task_uuid = g.task_uuid)
               as wake_at
      from tasker.get_task_staleness(p_task_uuids, p_now) g),
    -- In one statement: while no worker serves a namespace, every task of its queue becomes stale
    -- at some time. Of the others, most wake up before that.
    early as materialized (
      select f.task_uuid, f.stale_at
      from found f
      where f.stale_at > v_now and f.stale_at < f.wake_at),
    later as (
      update tasker.task_wakeups w
      set wake_at = (select e.stale_at from early e where e.task_uuid = w.task_uuid)
      where w.task_uuid = any (array(select e.task_uuid from early e)))
    select * from found f where f.stale_at <= v_now order by f.task_uuid
  loop
    v_metadata := jsonb_strip_nulls(
      jsonb_build_object('reason', v_stale.reason, 'state', v_stale.state,
                         'should_have_moved_at', v_stale.should_have_moved_at,
                         'threshold_minutes', v_stale.threshold_minutes,
                         'stale_at', v_stale.stale_at));
    if v_stale.is_to_be_investigated then
      perform tasker.create_dlq_entry(v_stale.task_uuid, v_stale.reason::text, v_metadata, v_now);
    end if;
    if v_stale.is_to_fail
       and tasker.fail_stale_task(v_stale.task_uuid, v_metadata, p_server_uuid, v_now) then
      v_ended := v_ended || jsonb_build_object('task_uuid', v_stale.task_uuid, 'state', 'error');
    end if;
  end loop;
  return v_ended;
end
$$;
comment on function tasker.handle_stale_tasks(uuid[], uuid, timestamptz) is
  'Handles those of the given tasks that are stale as their templates say: a dead letter, error, '
  'both or nothing.';
