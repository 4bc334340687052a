-- The document that a worker needs to run a claimed step, see get_claimed_steps. To be inlined: who
-- has everything at hand builds it without reading a row.
-- p_results: those of the direct parents by name; null for a step without parents.
create or replace function tasker.format_claimed_step(
  p_step_uuid uuid, p_task_uuid uuid, p_named_step_uuid uuid, p_name varchar, p_handoff int,
  p_attempt int, p_max_attempts int, p_idempotency_token text, p_correlation_id uuid,
  p_parent_correlation_id uuid, p_trace_parent varchar, p_cancel_requested boolean, p_context jsonb,
  p_results json, p_inputs jsonb, p_checkpoint jsonb)
returns json
language sql stable parallel safe
as $$
  select json_build_object(
    'step_uuid', p_step_uuid, 'task_uuid', p_task_uuid, 'template_step_uuid', p_named_step_uuid,
    'name', p_name, 'handoff', p_handoff, 'attempt', p_attempt, 'max_attempts', p_max_attempts,
    'idempotency_token', p_idempotency_token, 'correlation_id', p_correlation_id,
    'parent_correlation_id', p_parent_correlation_id, 'trace_parent', p_trace_parent,
    'cancel_requested', p_cancel_requested, 'context', p_context, 'results', p_results,
    'inputs', p_inputs, 'checkpoint', p_checkpoint)
$$;
comment on function tasker.format_claimed_step(
  uuid, uuid, uuid, varchar, int, int, int, text, uuid, uuid, varchar, boolean, jsonb, json, jsonb,
  jsonb) is
  'The document that a worker needs to run a claimed step.';
