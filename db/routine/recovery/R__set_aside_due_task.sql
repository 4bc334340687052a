-- Records a fault of the next due task, after the database gave up a round of advance_due_tasks for
-- that task alone (is_too_expensive): it is tried again later, and then without others beside it,
-- so that these never wait for it. p_cause, p_fault_limit: see record_task_fault.
-- Returns the task; null when none is due.
-- Locks: as get_next_ready_tasks and record_task_fault.
create or replace function tasker.set_aside_due_task(
  p_server_uuid uuid, p_sqlstate text, p_cause text, p_fault_limit int,
  p_now timestamptz default null)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_task uuid := (select t.task_uuid from tasker.get_next_ready_tasks(1, p_now) t);
begin
  if v_task is not null then
    perform tasker.record_task_fault(
      v_task, p_sqlstate, p_cause, p_server_uuid, p_fault_limit, p_now);
  end if;
  return v_task;
end
$$;
comment on function tasker.set_aside_due_task(uuid, text, text, int, timestamptz) is
  'Records a fault of the next due task, after the database gave up a round for it alone.';
