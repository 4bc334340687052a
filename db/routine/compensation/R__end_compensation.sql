-- Records the outcome of a compensation when its task ends, whichever statement ends it:
-- compensated when
-- each of its compensating steps is complete, otherwise incomplete; gives the cancel request back
-- to the task.
-- Locks: its row of task_compensations; the caller holds the task. Source: ADR 0046. Trigger on
-- tasks, before the update.
create or replace function tasker.end_compensation()
returns trigger
language plpgsql
set search_path = ''
as $$
declare
  v_request jsonb;
begin
  update tasker.task_compensations c
  set ended_at = new.completed_at,
      state = case when exists (select from tasker.workflow_steps s
                                where s.task_uuid = new.task_uuid
                                  and s.compensates_step_uuid is not null
                                  and s.state <> 'complete') then 'incomplete'
                   else 'compensated' end::tasker.compensation_state
  where c.task_uuid = new.task_uuid and c.state = 'running'
  returning c.cancel_request into v_request;
  if v_request is not null then
    new.cancel_requested_at := (v_request ->> 'requested_at')::timestamptz;
    new.cancel_force_at := (v_request ->> 'force_at')::timestamptz;
    new.cancel_policy := (v_request ->> 'policy')::tasker.cancel_policy;
    new.cancel_requested_by := v_request ->> 'by';
    new.cancel_claimed_actor := v_request ->> 'claimed_actor';
    new.cancel_reason := v_request ->> 'reason';
    new.cancel_children := (v_request ->> 'children')::boolean;
  end if;
  return new;
end
$$;
comment on function tasker.end_compensation() is
  'Records the outcome of a compensation when its task ends.';

create or replace trigger compensation_ends before update of state on tasker.tasks
  for each row when (
    new.compensation is not null and new.completed_at is not null and old.completed_at is null)
  execute function tasker.end_compensation();
