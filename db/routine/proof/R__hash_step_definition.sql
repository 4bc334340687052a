-- A hash of a step of a template: every column that the engine reads, except keys and what is
-- calculated from others. A release that adds a column to named_tasks_named_steps and reads it adds
-- it here, as options are: the hash of a row without it stays what it was. A key of a step that
-- only its handler reads needs no column, see get_handler_options.
-- Source: docs/reference/invariants.md.
create or replace function tasker.hash_step_definition(p_step tasker.named_tasks_named_steps)
returns bigint
language sql stable parallel safe
set search_path = ''
as $$
  select tasker.hash_documents(
           jsonb_build_array(p_step.step_position, p_step.parent_positions, p_step.child_count,
                             p_step.step_type, p_step.handler_callable, p_step.handler_method,
                             p_step.handler_resolver, p_step.default_retryable,
                             p_step.default_max_attempts, p_step.backoff, p_step.backoff_base_ms,
                             p_step.max_backoff_ms, p_step.timeout_seconds,
                             p_step.queue_timeout_seconds, p_step.on_worker_lost,
                             p_step.growth_rank, p_step.runs_on_none, p_step.undoes_attempts),
           jsonb_build_array(p_step.initialization, p_step.result_schema, p_step.rules,
                             p_step.wait_for, p_step.batch, p_step.events)
             || case when p_step.handler_options is null then '[]'
                     else jsonb_build_array(p_step.handler_options) end)
$$;
comment on function tasker.hash_step_definition(tasker.named_tasks_named_steps) is
  'A hash of a step of a template: every column that the engine reads, except keys and what is '
  'calculated from others.';
