-- Releases the slots of a task that ends or is blocked, and those of its steps, none of which is in
-- flight then: a task that cannot move by itself keeps no other waiting.
-- Does not fire for tasks without a policy. Source: ADR 0013. Trigger on tasks.
create or replace function tasker.release_task_slots()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform tasker.release_slots((select array_agg(distinct s.holder_uuid)
                                from tasker.concurrency_slots s
                                where s.task_uuid = new.task_uuid));
  return null;
end
$$;
comment on function tasker.release_task_slots() is
  'Releases the slots of a task that ends or is blocked, and those of its steps.';

create or replace trigger slots_are_released_by_tasks after update of state on tasker.tasks
  for each row when (new.is_limited
                     and new.state <> old.state
                     and new.state in ('complete', 'error', 'cancelled', 'resolved_manually',
                                       'blocked_by_failures'))
  execute function tasker.release_task_slots();
