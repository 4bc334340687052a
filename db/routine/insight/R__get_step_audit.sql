-- Every recorded result of a step, oldest first, a JSON array; empty when there is no such step.
-- Results and errors of more than p_most_bytes are null, and those of attempts behind the first 4
-- MiB: see limit_results.
create or replace function tasker.get_step_audit(
  p_task_uuid uuid, p_step_uuid uuid, p_most_bytes int default null)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'step_uuid', a.workflow_step_uuid, 'sort_key', a.sort_key,
                              'task_uuid', a.task_uuid, 'recorded_at', a.recorded_at,
                              'worker_uuid', a.worker_uuid, 'attempt', a.attempt,
                              'outcome', a.outcome, 'success', a.success,
                              'execution_time_ms', a.execution_time_ms,
                              'is_time_measured', coalesce(a.is_time_measured, false),
                              'result', case when d.shows_result then d.result end,
                              'error', case when d.shows_error then d.error end,
                              'document_bytes', jsonb_strip_nulls(
                                jsonb_build_object('result', d.result_bytes,
                                                   'error', d.error_bytes))) order by a.sort_key),
                  '[]')
  from tasker.workflow_step_result_audit a
  join tasker.limit_results(null, p_step_uuid, p_most_bytes) d on d.sort_key = a.sort_key
  where a.workflow_step_uuid = p_step_uuid and a.task_uuid = p_task_uuid
$$;
comment on function tasker.get_step_audit(uuid, uuid, int) is
  'Every recorded result of a step, oldest first.';
