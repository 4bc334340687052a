-- The tasks that a completion ended, as complete_steps returns them, and with it the document of
-- the task whose result says that a caller waits for its end: the caller's server then answers
-- without another call. Without the document of a task that is not plain, see get_plain_document,
-- or where other tasks ended too; the server reads it then. A document that cannot be made does
-- not undo the completion.
-- p_ended: [{task_uuid, state, correlation_id}], the ends of this transaction.
-- Returns the same array; its only element may also have document.
-- Locks: none.
create or replace function tasker.describe_awaited_end(p_ended jsonb, p_task_uuid uuid)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_document json;
begin
  if jsonb_array_length(p_ended) = 1
      and (p_ended #>> '{0,task_uuid}')::uuid = p_task_uuid then
    v_document := tasker.get_plain_document(p_task_uuid);
  end if;
  if v_document is null then
    return p_ended;
  end if;
  return json_build_array(
    json_build_object(
      'task_uuid', p_task_uuid, 'state', p_ended #> '{0,state}',
      'correlation_id', p_ended #> '{0,correlation_id}', 'document', v_document));
exception when others then
  return p_ended;
end
$$;
comment on function tasker.describe_awaited_end(jsonb, uuid) is
  'The tasks that a completion ended, with the document of the one that a caller waits for.';
