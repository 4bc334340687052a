-- Whether the caller's transaction may finalize a task: true when it locked the row, no step of the
-- task is in flight, and the task can end (every step done, a cancel requested, or a failure that
-- blocks it). Returns false at once when another transaction holds the row, when the task is
-- finished or unknown, and when it cannot end yet. p_processor_uuid is ignored: the lock is the
-- claim, and it ends with the transaction.
-- Locks: the task, skip locked.
create or replace function tasker.claim_task_for_finalization(
  p_task_uuid uuid, p_processor_uuid uuid)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform t.task_uuid
  from tasker.tasks t
  where t.task_uuid = p_task_uuid
    and t.completed_at is null
    and t.in_flight_steps = 0
    and (t.unfinished_steps = 0
         or t.cancel_requested_at is not null
         or (t.failed_steps > 0
             and (not t.continue_on_error or t.retrying_steps = 0)
             and t.state <> 'blocked_by_failures'))
  for no key update skip locked;
  return found;
end
$$;
comment on function tasker.claim_task_for_finalization(uuid, uuid) is
  'Whether the caller''s transaction may finalize a task.';
