-- The moves that lead a task from one resting state to another, the first being p_from itself.
-- Resting states are the ones that a commit can leave behind; initializing, enqueuing_steps and evaluating_results are
-- passed through within one transaction and are seen in the history only.
-- Source: ADR 0003. Called by conclude_tasks and submit_tasks.
create or replace function tasker.task_path(p_from tasker.task_state, p_to tasker.task_state)
returns tasker.task_state[]
language sql immutable parallel safe
as $$
  select case
    when p_from = p_to then array[p_from]
    when p_from = 'pending' and p_to in ('cancelled', 'error') then array[p_from, p_to]
    when p_from = 'pending' and p_to = 'steps_in_process'
      then array['pending', 'initializing', 'enqueuing_steps', 'steps_in_process']::tasker.task_state[]
    when p_from = 'pending' then array['pending', 'initializing', 'waiting_for_dependencies']::tasker.task_state[]
    when p_to = 'steps_in_process'
      then array[p_from, 'evaluating_results', 'enqueuing_steps', 'steps_in_process']::tasker.task_state[]
    else array[p_from, 'evaluating_results', p_to]::tasker.task_state[]
  end
$$;
comment on function tasker.task_path(tasker.task_state, tasker.task_state) is
  'The moves that lead a task from one resting state to another, the first being p_from itself.';
