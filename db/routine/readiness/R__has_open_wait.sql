-- Whether a step waits for a time or a signal at p_now: it has an open wait that is not due.
create or replace function tasker.has_open_wait(
  p_step tasker.workflow_steps, p_now timestamptz default null)
returns boolean
language sql stable parallel safe
as $$
  select p_step.is_automatic
         and p_step.state = 'pending'
         and exists (select from tasker.step_waits w
                     where w.task_uuid = p_step.task_uuid
                       and w.workflow_step_uuid = p_step.workflow_step_uuid
                       and w.state = 'open'
                       and (w.due_at is null or w.due_at > coalesce(p_now, clock_timestamp())))
$$;
comment on function tasker.has_open_wait(tasker.workflow_steps, timestamptz) is
  'Whether a step waits for a time or a signal: it has an open wait that is not due.';
