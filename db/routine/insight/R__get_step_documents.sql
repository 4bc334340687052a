-- The steps of a task, or one of them, as the REST interface shows them: readiness and result, a
-- JSON array; empty when there is no such task, or it has no such step. Workers of batches are
-- shown one by one only; list_batch_workers has them by page. Results and errors of more than
-- p_most_bytes are null: see limit_results.
create or replace function tasker.get_step_documents(
  p_task_uuid uuid, p_step_uuid uuid default null, p_most_bytes int default null)
returns jsonb
language sql stable
set search_path = ''
as $$
  select tasker.get_documents_of_steps(
           p_task_uuid,
           case
             when p_step_uuid is not null then array[p_step_uuid]
             else array(select s.workflow_step_uuid
                        from tasker.workflow_steps s
                        where s.task_uuid = p_task_uuid and s.step_position <= 1000000) end,
           p_most_bytes)
$$;
comment on function tasker.get_step_documents(uuid, uuid, int) is
  'The steps of a task, or one of them, as the REST interface shows them.';
