-- Explains why a task waits: the rows of explain_waiting_steps for it, in the order of the
-- template. An ended task and an unknown task have no row; a waiting task always has at least one.
-- Locks: none. Source: ADR 0016.
create or replace function tasker.explain_waiting(p_task_uuid uuid, p_now timestamptz default null)
returns table (workflow_step_uuid uuid, step_name varchar, state tasker.step_state, cause text,
               sentence text, details jsonb)
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off
as $$
begin
  return query
  select e.workflow_step_uuid, e.step_name, e.state, e.cause, e.sentence, e.details
  from tasker.explain_waiting_steps(array[p_task_uuid], p_now) e
  order by e.step_position, e.workflow_step_uuid;
end
$$;
comment on function tasker.explain_waiting(uuid, timestamptz) is
  'Explains why a task waits: one row for every unfinished step of an unfinished task, with a '
  'cause, a sentence and the details.';
