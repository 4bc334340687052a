-- Whether a step of the task stands in error: of this name, with an error of this type, and with
-- this signature (see normalize_error). Each that is null is not asked. All of them are of the same
-- step, so that a group of group_failures finds exactly its tasks.
-- Locks: none. Inlined into the query that calls it.
create or replace function tasker.has_failed_step(
  p_task_uuid uuid, p_step text, p_error_type text, p_error_signature text)
returns boolean
language sql stable
as $$
  select exists (select from tasker.workflow_steps s
                 join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
                 left join tasker.workflow_step_result_audit a
                   on a.workflow_step_uuid = s.workflow_step_uuid
                     and a.sort_key = s.result_sort_key
                 where s.task_uuid = p_task_uuid
                   and s.state = 'error'
                   and (p_step is null or coalesce(s.name, n.name) = p_step)
                   and (p_error_type is null or a.error ->> 'type' = p_error_type)
                   and (p_error_signature is null
                        or tasker.normalize_error(a.error ->> 'message') = p_error_signature))
$$;
comment on function tasker.has_failed_step(uuid, text, text, text) is
  'Whether a task has a failed step of this name, error type and error signature.';
