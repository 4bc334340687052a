-- Whether a task accepts handoffs of its steps, regardless of their states: not when the task has
-- ended, is being cancelled, is delayed, has a context that no server has validated, is blocked by
-- a failure, or has a paused template. evaluate_tasks, grow_tasks and start_admitted_steps repeat
-- these conditions in the form that their plans need; a test compares.
create or replace function tasker.accepts_handoffs(p_task tasker.tasks)
returns boolean
language sql stable parallel safe
as $$
  select p_task.completed_at is null
         and p_task.cancel_requested_at is null
         and p_task.context_checked
         and not p_task.is_delayed
         and (p_task.failed_steps = 0 or p_task.continue_on_error)
         and not exists (select from tasker.template_pauses p
                         where p.named_task_uuid = p_task.named_task_uuid)
$$;
comment on function tasker.accepts_handoffs(tasker.tasks) is
  'Whether a task accepts handoffs of its steps, regardless of their states.';
