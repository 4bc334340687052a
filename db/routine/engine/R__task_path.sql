-- The states through which a task goes from one state to another, p_from first.
-- A commit of the engine leaves a task in a stable state; it passes through initializing,
-- enqueuing_steps and evaluating_results within one transaction, so only the history shows them. A
-- caller of transition_task_state_atomic may leave a task in one of them, so each has a way out.
-- Source: ADR 0003.
create or replace function tasker.task_path(p_from tasker.task_state, p_to tasker.task_state)
returns tasker.task_state[]
language sql immutable parallel safe
as $$
  select case
           when p_from = p_to then array[p_from]
           when p_from = 'pending' and p_to in ('cancelled', 'error') then array[p_from, p_to]
           when p_from = 'pending' and p_to = 'steps_in_process' then array[
             'pending', 'initializing', 'enqueuing_steps', 'steps_in_process']::tasker.task_state[]
           when p_from = 'initializing' and p_to = 'steps_in_process' then
             array['initializing', 'enqueuing_steps', 'steps_in_process']::tasker.task_state[]
           when p_from = 'enqueuing_steps' and p_to = 'steps_in_process' then array[p_from, p_to]
           when p_from = 'evaluating_results' and p_to = 'steps_in_process' then
             array['evaluating_results', 'enqueuing_steps', 'steps_in_process']::tasker.task_state[]
           when p_to = 'steps_in_process' then
             array[p_from, 'evaluating_results', 'enqueuing_steps',
                   'steps_in_process']::tasker.task_state[]
           when p_from = 'evaluating_results' then array[p_from, p_to]
           when p_from = 'enqueuing_steps' then
             array['enqueuing_steps', 'steps_in_process', 'evaluating_results',
                   p_to]::tasker.task_state[]
           -- Not started yet, and it ends or waits although no step has run: an operator completed
           -- its steps.
           when p_from in ('pending', 'initializing') then
             case when p_from = 'pending' then array['pending']::tasker.task_state[] else '{}' end
             || array['initializing', 'waiting_for_dependencies']::tasker.task_state[]
             || case when p_to = 'waiting_for_dependencies' then '{}'
                     else array['evaluating_results', p_to]::tasker.task_state[] end
           else array[p_from, 'evaluating_results', p_to]::tasker.task_state[] end
$$;
comment on function tasker.task_path(tasker.task_state, tasker.task_state) is
  'The states through which a task goes from one state to another, p_from first.';
