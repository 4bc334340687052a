-- The readiness of the steps of a task as the REST interface shows it with the task, in the order
-- of the template, a JSON array; without the workers of batches.
create or replace function tasker.get_readiness_documents(p_task_uuid uuid)
returns json
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (select coalesce(
                   json_agg(
                     json_build_object(
                       'step_uuid', r.workflow_step_uuid, 'template_step_uuid', r.named_step_uuid,
                       'name', r.name, 'state', r.current_state,
                       'dependencies_satisfied', r.dependencies_satisfied,
                       'retry_eligible', r.retry_eligible,
                       'ready_for_execution', r.ready_for_execution,
                       'last_failure_at', r.last_failure_at, 'next_retry_at', r.next_retry_at,
                       'total_parents', r.total_parents, 'completed_parents', r.completed_parents,
                       'attempts', r.attempts, 'max_attempts', r.max_attempts,
                       'backoff_request_seconds', r.backoff_request_seconds,
                       'last_attempted_at', r.last_attempted_at)),
                   '[]')
          from tasker.get_step_readiness_status_batch(
            array[p_task_uuid],
            array(select w.workflow_step_uuid
                  from tasker.workflow_steps w
                  where w.task_uuid = p_task_uuid and w.step_position <= 1000000)) r);
end
$$;
comment on function tasker.get_readiness_documents(uuid) is
  'The readiness of the steps of a task as the REST interface shows it with the task.';
