-- After the database gave up a round of advance_due_tasks for one task (is_too_expensive): finds
-- what it was, so that others do not wait for it. A round takes other tasks before the due ones:
-- parents that are told of a child's end, and tasks that got a slot. While there are such tasks,
-- they become due like the others, up to a hundred, and nothing is blamed. Otherwise it was the
-- next due task: a fault of it is recorded, and it is tried again later without others beside it.
-- p_cause, p_fault_limit: see record_task_fault.
-- Returns {made_due, task_uuid}: how many tasks became due, and the task that was set aside; null
-- when none was.
-- Locks: tasks by uuid, skip locked; then as get_next_ready_tasks and record_task_fault.
create or replace function tasker.set_aside_due_task(
  p_server_uuid uuid, p_sqlstate text, p_cause text, p_fault_limit int,
  p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_locked uuid[];
  v_due    uuid[];
  v_task   uuid;
begin
  with early as materialized (
    select n.task_uuid from tasker.task_notices n where n.kind = 'child_ended'
    union
    select s.task_uuid
    from tasker.concurrency_slots s
    where s.is_due and s.admitted_at is not null and s.holder_uuid = s.task_uuid),
  locked as (
    select t.task_uuid
    from early e
    join tasker.tasks t on t.task_uuid = e.task_uuid
    order by t.task_uuid limit 100 for no key update of t skip locked)
  select coalesce(array_agg(l.task_uuid), '{}') into v_locked from locked l;
  with told as (
    delete from tasker.task_notices n
    where n.task_uuid = any (v_locked) and n.kind = 'child_ended'
    returning n.task_uuid),
  admitted as (
    update tasker.concurrency_slots s set is_due = false
    where s.holder_uuid = any (v_locked)
      and s.task_uuid = s.holder_uuid
      and s.is_due
      and s.admitted_at is not null
    returning s.task_uuid)
  select coalesce(array_agg(e.task_uuid), '{}') into v_due
  from (select t.task_uuid from told t union select a.task_uuid from admitted a) e;
  -- One that was set aside before keeps its turn.
  update tasker.task_wakeups w set wake_at = v_now
  where w.task_uuid = any (v_due)
    and w.wake_at > v_now
    and not exists (select from tasker.task_faults f
                    where f.task_uuid = w.task_uuid and tasker.is_too_expensive(f.sqlstate));
  if v_due = '{}' then
    v_task := (select t.task_uuid from tasker.get_next_ready_tasks(1, p_now) t);
  end if;
  if v_task is not null then
    perform tasker.record_task_fault(
      v_task, p_sqlstate, p_cause, p_server_uuid, p_fault_limit, p_now);
  end if;
  return jsonb_build_object('made_due', cardinality(v_due), 'task_uuid', v_task);
end
$$;
comment on function tasker.set_aside_due_task(uuid, text, text, int, timestamptz) is
  'After the database ended a round because of one task: makes the tasks that the round took first '
  'due, or records a fault of the next due task.';
