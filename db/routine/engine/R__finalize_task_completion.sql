-- Finalizes a task from the state of its steps. finalized: this call moved it to complete,
-- cancelled or blocked_by_failures;
-- already: an earlier call did, so that the second of two callers is not refused. Both false: the
-- task continues, and state tells where. No row when there is no such task. Enqueues nothing.
-- Locks: the task. For manual use: the engine finalizes tasks as it processes them.
create or replace function tasker.finalize_task_completion(
  p_task_uuid uuid, p_processor_uuid uuid default null, p_now timestamptz default null)
returns table (finalized boolean, state varchar, already boolean)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  v_task tasker.tasks;
begin
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found then
    return;
  end if;
  -- A task that has not started is neither terminal nor blocked: it waits for its start.
  if v_task.completed_at is null
     and not (v_task.state = 'pending' and v_task.cancel_requested_at is null) then
    perform tasker.roll_up_task_states(
      array[(p_task_uuid, 0, 0, 0, 0)::tasker.task_delta], p_processor_uuid, p_now);
  end if;
  return query
  select t.state <> v_task.state
           and (t.completed_at is not null or t.state = 'blocked_by_failures'),
         t.state::varchar,
         t.state = v_task.state and (t.completed_at is not null or t.state = 'blocked_by_failures')
  from tasker.tasks t
  where t.task_uuid = p_task_uuid;
end
$$;
comment on function tasker.finalize_task_completion(uuid, uuid, timestamptz) is
  'Finalizes a task from the state of its steps; the second of two callers gets already.';
