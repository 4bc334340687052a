-- The moves of the models: db/model/moves.tsv as rows, which a test writes with schema.write and
-- compares, as it compares both with the rules tables. A copy apart from those tables, so that a
-- history is not judged by rows that were changed together with it.
-- handoff, attempt: by how much a move changes the numbers of a step; null for tasks. A move of
-- which attempt is -1 carries the number that it gives back.
-- Locks: none. Source: ADR 0075.
create or replace function tasker.get_model_moves()
returns table (
  kind text, from_state text, to_state text, actor text, handoff int, attempt int)
language sql immutable parallel safe
set search_path = ''
as $$
  values
    ('task', null::text, 'pending', 'orchestrator', null::int, null::int),
    ('task', 'pending', 'initializing', 'orchestrator', null, null),
    ('task', 'pending', 'error', 'orchestrator', null, null),
    ('task', 'initializing', 'enqueuing_steps', 'orchestrator', null, null),
    ('task', 'initializing', 'waiting_for_dependencies', 'orchestrator', null, null),
    ('task', 'enqueuing_steps', 'steps_in_process', 'orchestrator', null, null),
    ('task', 'steps_in_process', 'evaluating_results', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'complete', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'enqueuing_steps', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'waiting_for_dependencies', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'waiting_for_retry', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'blocked_by_failures', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'cancelled', 'orchestrator', null, null),
    ('task', 'waiting_for_dependencies', 'evaluating_results', 'orchestrator', null, null),
    ('task', 'waiting_for_retry', 'evaluating_results', 'orchestrator', null, null),
    ('task', 'blocked_by_failures', 'evaluating_results', 'orchestrator', null, null),
    ('task', 'evaluating_results', 'error', 'recovery', null, null),
    ('task', 'evaluating_results', 'error', 'orchestrator', null, null),
    ('task', 'pending', 'error', 'recovery', null, null),
    ('task', 'blocked_by_failures', 'error', 'operator', null, null),
    ('task', 'blocked_by_failures', 'resolved_manually', 'operator', null, null),
    ('task', 'error', 'resolved_manually', 'operator', null, null),
    ('task', 'error', 'evaluating_results', 'operator', null, null),
    ('task', 'pending', 'cancelled', 'orchestrator', null, null),
    ('step', null, 'pending', 'orchestrator', 0, 0),
    ('step', 'pending', 'enqueued', 'orchestrator', 1, 1),
    ('step', 'waiting_for_retry', 'enqueued', 'orchestrator', 1, 1),
    ('step', 'enqueued', 'in_progress', 'worker', 0, 0),
    ('step', 'in_progress', 'enqueued_for_orchestration', 'worker', 0, 0),
    ('step', 'in_progress', 'enqueued_as_error_for_orchestration', 'worker', 0, 0),
    ('step', 'in_progress', 'cancelled', 'worker', 0, 0),
    ('step', 'in_progress', 'pending', 'worker', 0, -1),
    ('step', 'in_progress', 'waiting_for_retry', 'worker', 0, -1),
    ('step', 'enqueued_for_orchestration', 'complete', 'orchestrator', 0, 0),
    ('step', 'enqueued_for_orchestration', 'error', 'orchestrator', 0, 0),
    ('step', 'enqueued_as_error_for_orchestration', 'waiting_for_retry', 'orchestrator', 0, 0),
    ('step', 'enqueued_as_error_for_orchestration', 'error', 'orchestrator', 0, 0),
    ('step', 'enqueued_as_error_for_orchestration', 'cancelled', 'orchestrator', 0, 0),
    ('step', 'pending', 'cancelled', 'orchestrator', 0, 0),
    ('step', 'enqueued', 'cancelled', 'orchestrator', 0, -1),
    ('step', 'waiting_for_retry', 'cancelled', 'orchestrator', 0, 0),
    ('step', 'pending', 'error', 'orchestrator', 0, 0),
    ('step', 'pending', 'complete', 'orchestrator', 0, 0),
    ('step', 'enqueued', 'pending', 'recovery', 0, 0),
    ('step', 'enqueued', 'error', 'recovery', 0, 0),
    ('step', 'in_progress', 'pending', 'recovery', 0, 0),
    ('step', 'in_progress', 'error', 'recovery', 0, 0),
    ('step', 'in_progress', 'cancelled', 'recovery', 0, 0),
    ('step', 'error', 'pending', 'operator', 0, 0),
    ('step', 'error', 'complete', 'operator', 0, 0),
    ('step', 'error', 'resolved_manually', 'operator', 0, 0),
    ('step', 'pending', 'complete', 'operator', 0, 0),
    ('step', 'pending', 'resolved_manually', 'operator', 0, 0),
    ('step', 'waiting_for_retry', 'pending', 'operator', 0, 0),
    ('step', 'waiting_for_retry', 'complete', 'operator', 0, 0),
    ('step', 'waiting_for_retry', 'resolved_manually', 'operator', 0, 0),
    ('step', 'complete', 'pending', 'operator', 0, 0),
    ('step', 'resolved_manually', 'pending', 'operator', 0, 0)
$$;
comment on function tasker.get_model_moves() is
  'The moves of the models: db/model/moves.tsv as rows.';
