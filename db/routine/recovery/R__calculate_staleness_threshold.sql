-- For how many minutes a task may stay in a state after it should have moved, by its template's
-- lifecycle, else by the given default; null for states without such a limit.
create or replace function tasker.calculate_staleness_threshold(
  p_task_state varchar, p_template_config jsonb, p_default_waiting_deps int default 60,
  p_default_waiting_retry int default 30,
  p_default_steps_process int default 30)
returns int
language sql immutable parallel safe
as $$
  select case p_task_state
           when 'waiting_for_dependencies' then coalesce(
             (p_template_config #>> '{lifecycle,max_waiting_for_dependencies_minutes}')::int,
             p_default_waiting_deps)
           when 'pending' then p_default_waiting_deps
           when 'waiting_for_retry' then
             coalesce((p_template_config #>> '{lifecycle,max_waiting_for_retry_minutes}')::int,
                      p_default_waiting_retry)
           when 'steps_in_process' then
             coalesce((p_template_config #>> '{lifecycle,max_steps_in_process_minutes}')::int,
                      p_default_steps_process) end
$$;
comment on function tasker.calculate_staleness_threshold(varchar, jsonb, int, int, int) is
  'For how many minutes a task may stay in a state after it should have moved; null for states '
  'without such a limit.';
