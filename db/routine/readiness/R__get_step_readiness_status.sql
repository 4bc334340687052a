-- The readiness of the steps of one task, or of some of them. No row when there is no such task or
-- step.
create or replace function tasker.get_step_readiness_status(
  input_task_uuid uuid, step_uuids uuid[] default null, p_now timestamptz default null)
returns table (
  workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, name text, current_state text,
  dependencies_satisfied boolean, retry_eligible boolean, ready_for_execution boolean,
  last_failure_at timestamptz, next_retry_at timestamptz, total_parents int, completed_parents int,
  attempts int, max_attempts int, backoff_request_seconds int, last_attempted_at timestamptz)
language sql stable parallel safe
as $$
  select * from tasker.get_step_readiness_status_batch(array[input_task_uuid], step_uuids, p_now)
$$;
comment on function tasker.get_step_readiness_status(uuid, uuid[], timestamptz) is
  'The readiness of the steps of one task, or of some of them.';
