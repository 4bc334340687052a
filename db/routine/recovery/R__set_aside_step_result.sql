-- Takes the next message off the queue orchestration_step_results, after the database gave up a
-- call of process_step_results for that message alone (is_too_expensive), and records a fault of
-- its task. The result stands in the rows: the poller comes to it when the task is tried again.
-- p_cause, p_fault_limit: see record_task_fault.
-- Returns the task; null when there is no message, or it names no task.
-- Locks: the message (skip locked), then as record_task_fault.
create or replace function tasker.set_aside_step_result(
  p_server_uuid uuid, p_sqlstate text, p_cause text, p_fault_limit int,
  p_now timestamptz default null)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_message pgmq.message_record;
  v_task    uuid;
begin
  select * into v_message from pgmq.read('orchestration_step_results', 60, 1);
  if v_message.message ->> 'task_uuid' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    v_task := v_message.message ->> 'task_uuid';
    perform tasker.record_task_fault(
      v_task, p_sqlstate, p_cause, p_server_uuid, p_fault_limit, p_now);
    perform pgmq.delete('orchestration_step_results', v_message.msg_id);
  end if;
  return v_task;
end
$$;
comment on function tasker.set_aside_step_result(uuid, text, text, int, timestamptz) is
  'Takes the next result''s message off its queue and records a fault of its task, after the '
  'database gave up a call for it alone.';
