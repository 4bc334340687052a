-- A page of the workers of a batch as the REST interface shows steps, in the order of the batches: {steps, next}. p_after is the number of the batch that
-- the page before ended with, 0 for the first page; next that of the next page as a text, null on the last. {} when the task has no such batch.
-- Results and errors of more than p_most_bytes are null: see limit_documents.
-- Locks: none. Source: ADR 0039.
create or replace function tasker.list_batch_workers(p_task_uuid uuid, p_batch_step_uuid uuid, p_after int default 0, p_limit int default 100, p_most_bytes int default null)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_page    uuid[];
  v_last    int;
  v_created int;
begin
  select b.created_workers into v_created from tasker.batches b where b.task_uuid = p_task_uuid and b.workflow_step_uuid = p_batch_step_uuid;
  if not found then
    return '{}';
  end if;
  select coalesce(array_agg(w.workflow_step_uuid), '{}'), max(w.batch_number) into v_page, v_last
  from tasker.get_batch_results(p_batch_step_uuid, p_after, p_limit) w;
  return jsonb_build_object('steps', tasker.get_documents_of_steps(p_task_uuid, v_page, p_most_bytes),
                            'next', case when v_last < v_created then v_last::text end);
end
$$;
comment on function tasker.list_batch_workers(uuid, uuid, int, int, int) is
  'A page of the workers of a batch as the REST interface shows steps, in the order of the batches.';
