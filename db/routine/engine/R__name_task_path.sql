-- The name of the path that task_path takes from one state to another: which states lie between
-- them. Null when there are none. Written beside task_path, so that the planner inlines both; a
-- test compares them by task_paths.
-- Source: ADR 0088.
create or replace function tasker.name_task_path(p_from tasker.task_state, p_to tasker.task_state)
returns tasker.task_path_name
language sql immutable parallel safe
as $$
  -- With the type in the first branch: a cast of the whole would not be inlined.
  select case
           when p_from = p_to
             or p_from = 'evaluating_results' and p_to <> 'steps_in_process'
             or p_from = 'pending' and p_to in ('cancelled', 'error')
             or p_from = 'initializing' and p_to = 'waiting_for_dependencies'
             or p_from = 'enqueuing_steps' and p_to = 'steps_in_process' then
             null::tasker.task_path_name
           when p_from = 'pending' and p_to = 'steps_in_process' then 'started'
           when p_from in ('initializing', 'evaluating_results') and p_to = 'steps_in_process' then
             'enqueued'
           when p_to = 'steps_in_process' then 'continued'
           when p_from = 'enqueuing_steps' then 'enqueued_and_evaluated'
           when p_from = 'pending' and p_to = 'waiting_for_dependencies' then 'initialized'
           when p_from = 'pending' then 'initialized_and_waited'
           when p_from = 'initializing' then 'waited'
           else 'evaluated' end
$$;
comment on function tasker.name_task_path(tasker.task_state, tasker.task_state) is
  'The name of the path that task_path takes from one state to another.';
