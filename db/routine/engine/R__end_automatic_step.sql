-- Ends one step that the engine completes itself: pending to complete with p_result, or to error
-- with p_error; see end_automatic_steps.
-- Locks: the step; the caller holds its task. Returns what the caller has to roll up.
create or replace function tasker.end_automatic_step(
  p_step_uuid uuid, p_result jsonb, p_error jsonb, p_server_uuid uuid, p_now timestamptz)
returns tasker.task_delta
language plpgsql
set search_path = ''
as $$
begin
  return (tasker.end_automatic_steps(
            jsonb_build_array(jsonb_build_object('step_uuid', p_step_uuid, 'result', p_result,
                                                 'error', p_error)),
            p_server_uuid, p_now))[1];
end
$$;
comment on function tasker.end_automatic_step(uuid, jsonb, jsonb, uuid, timestamptz) is
  'Ends one step that the engine completes itself: pending to complete with p_result, or to error '
  'with p_error.';
