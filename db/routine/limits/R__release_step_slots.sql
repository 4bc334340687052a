-- Releases the slots of a step that leaves enqueued and in_progress, or that ends before its
-- handoff, and its positions in line, for every cause: completion, failure, a wait for a retry,
-- recovery, cancel, an operator. Source: ADR 0013.
-- Trigger on workflow_steps, only for steps under a policy: PostgreSQL reads the condition from its
-- text in each statement, so the rest of it is here.
create or replace function tasker.release_step_slots()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.state <> old.state and new.state not in ('enqueued', 'in_progress') then
    perform tasker.release_slots(array[new.workflow_step_uuid]);
  end if;
  return null;
end
$$;
comment on function tasker.release_step_slots() is
  'Releases the slots of a step that leaves enqueued and in_progress, or that ends before its '
  'handoff.';

create or replace trigger slots_are_released_by_steps after update of state on tasker.workflow_steps
  for each row when (new.is_limited) execute function tasker.release_step_slots();
