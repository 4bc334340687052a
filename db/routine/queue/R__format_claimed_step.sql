-- The document that a worker needs to run a claimed step, see get_claimed_steps. To be inlined: who
-- has the rows at hand builds it without reading them. It takes rows, so that a member that comes
-- from a column is written here only.
-- p_step: as it is once it is claimed. p_documents: null if there are none. p_results: those of the
-- direct parents by name; null for a step without parents.
create or replace function tasker.format_claimed_step(
  p_step tasker.workflow_steps, p_task tasker.tasks, p_context tasker.task_contexts,
  p_documents tasker.workflow_step_documents, p_results json)
returns json
language sql stable parallel safe
as $$
  select json_build_object(
    'step_uuid', p_step.workflow_step_uuid, 'task_uuid', p_step.task_uuid,
    'template_step_uuid', p_step.named_step_uuid, 'name', p_step.name, 'handoff', p_step.handoffs,
    'attempt', p_step.attempts,
    'max_attempts', case when p_step.retryable then p_step.max_attempts else 1 end
                      + p_step.attempts_before_reset,
    'idempotency_token', tasker.format_idempotency_token(
                           p_step.workflow_step_uuid, p_step.idempotency_resets),
    'correlation_id', p_task.correlation_id,
    'parent_correlation_id', p_task.parent_correlation_id,
    'trace_parent', p_context.trace_parent,
    'cancel_requested', p_task.cancel_requested_at is not null
                          and p_task.cancel_policy = 'cancel_running',
    'context', p_context.context, 'results', p_results, 'inputs', p_documents.inputs,
    'checkpoint', p_documents.checkpoint)
$$;
comment on function tasker.format_claimed_step(
  tasker.workflow_steps, tasker.tasks, tasker.task_contexts, tasker.workflow_step_documents,
  json) is
  'The document that a worker needs to run a claimed step.';
