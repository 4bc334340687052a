-- Sets the wait of a step that waits for its retry: due p_backoff_seconds after its last attempt.
-- False when there is no such step, or it does not wait for a retry. The task is evaluated when the
-- earliest of its retries is due.
-- Locks: the task, then the step. Errors: TK007 when the wait is null or negative.
create or replace function tasker.set_step_backoff_atomic(p_step_uuid uuid, p_backoff_seconds int)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_task_uuid uuid;
  v_retry_at  timestamptz;
begin
  if p_backoff_seconds is null or p_backoff_seconds < 0 then
    raise exception 'backoff_seconds must be 0 or more, not %', p_backoff_seconds
      using errcode = 'TK007';
  end if;
  select s.task_uuid into v_task_uuid
  from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid;
  perform tasker.lock_tasks(array[v_task_uuid]);
  update tasker.workflow_steps s
  set backoff_request_seconds = p_backoff_seconds,
      next_retry_at
        = coalesce(s.last_attempted_at, clock_timestamp()) + p_backoff_seconds * interval '1 second'
  where s.workflow_step_uuid = p_step_uuid and s.state = 'waiting_for_retry'
  returning s.next_retry_at into v_retry_at;
  if not found then
    return false;
  end if;
  -- A task that waits for nothing else is due at its first retry; any other task at this retry or
  -- earlier.
  update tasker.task_wakeups w
  set wake_at = case when t.state = 'waiting_for_retry' then least(
                       (select min(s.next_retry_at) from tasker.get_open_steps(t.task_uuid) s),
                       (select greatest(t.start_at, t.created_at) + nt.max_duration
                        from tasker.named_tasks nt
                        where nt.named_task_uuid = t.named_task_uuid
                          and t.timed_out_at is null
                          and t.cancel_requested_at is null
                          and t.compensation is null))
                     else least(w.wake_at, v_retry_at) end
  from tasker.tasks t
  where t.task_uuid = v_task_uuid and w.task_uuid = t.task_uuid;
  return true;
end
$$;
comment on function tasker.set_step_backoff_atomic(uuid, int) is
  'Sets the wait of a step that waits for its retry: due p_backoff_seconds after its last attempt.';
