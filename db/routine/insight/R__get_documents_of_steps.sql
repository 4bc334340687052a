-- Steps of a task as the REST interface shows them, in the order of the template: readiness and
-- result, a JSON array; others are left out. document_bytes has the sizes of result and error, in
-- bytes of their JSON text; one that is null has none. Those of more than p_most_bytes are null,
-- and so are those of the steps behind the first 4 MiB of them: read_document reads them in parts.
create or replace function tasker.get_documents_of_steps(
  p_task_uuid uuid, p_step_uuids uuid[], p_most_bytes int default null)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
begin
  -- In plpgsql, which caches its plans: PostgreSQL would plan a function in SQL at every call.
  return (
    select coalesce(
             jsonb_agg(
               jsonb_build_object(
                 'step_uuid', s.workflow_step_uuid, 'task_uuid', s.task_uuid, 'name', r.name,
                 'state', s.state, 'created_at', s.created_at, 'enqueued_at', s.enqueued_at,
                 'completed_at', s.completed_at, 'dependencies_satisfied', r.dependencies_satisfied,
                 'retry_eligible', r.retry_eligible, 'ready_for_execution', r.ready_for_execution,
                 'total_parents', r.total_parents, 'completed_parents', r.completed_parents,
                 'attempts', s.attempts, 'attempts_before_reset', s.attempts_before_reset,
                 'max_attempts', s.max_attempts, 'retryable', s.retryable,
                 'idempotency_token', tasker.format_idempotency_token(
                   s.workflow_step_uuid, s.idempotency_resets),
                 'last_failure_at', s.last_failure_at, 'next_retry_at', s.next_retry_at,
                 'last_attempted_at', s.last_attempted_at, 'lease_expires_at', s.lease_expires_at,
                 'leased_by', s.leased_by, 'result', case when d.shows_result then d.result end,
                 'error', case when d.shows_error then d.error end,
                 'execution_time_ms', d.execution_time_ms,
                 'is_time_measured', coalesce(d.is_time_measured, false),
                 'document_bytes', jsonb_strip_nulls(
                   jsonb_build_object('result', d.result_bytes, 'error', d.error_bytes)),
                 'allowed_actions', tasker.get_allowed_step_actions(
                   t, s)) order by s.step_position),
             '[]')
    from tasker.get_step_readiness_status_batch(array[p_task_uuid], p_step_uuids) r
    join tasker.workflow_steps s on s.workflow_step_uuid = r.workflow_step_uuid
    join tasker.tasks t on t.task_uuid = s.task_uuid
    left join tasker.limit_results(p_step_uuids, null, p_most_bytes) d
      on d.workflow_step_uuid = s.workflow_step_uuid);
end
$$;
comment on function tasker.get_documents_of_steps(uuid, uuid[], int) is
  'Steps of a task as the REST interface shows them, in the order of the template.';
