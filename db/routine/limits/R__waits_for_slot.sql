-- Whether a step, or its task, waits for a slot of a concurrency policy.
create or replace function tasker.waits_for_slot(p_step tasker.workflow_steps)
returns boolean
language sql stable parallel safe
as $$
  select p_step.is_limited and exists (
    select from tasker.concurrency_slots w
    where w.holder_uuid in (p_step.workflow_step_uuid, p_step.task_uuid) and w.admitted_at is null)
$$;
comment on function tasker.waits_for_slot(tasker.workflow_steps) is
  'Whether a step, or its task, waits for a slot of a concurrency policy.';
