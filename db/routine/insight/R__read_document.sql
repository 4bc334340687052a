-- A part of a document of a task or step: the context or output of a task; the result or error of
-- the latest attempt of a step, or of p_attempt; the inputs or checkpoint of a step. p_pointer
-- leads to a part of it (RFC 6901). The text is JSON as the database prints it, every digit as it
-- was given.
-- Returns {task_uuid, step_uuid, document, attempt, pointer, type, members, bytes, characters,
-- offset, text, next_offset}: p_limit characters from p_offset on; members is the number of members
-- or elements, null for other types, and next_offset null at the end. refused with the code
-- document-not-found when there is no such document, or invalid-request when the pointer leads to
-- nothing; null when there is no such task or step.
-- Locks: none. Source: ADR 0058.
create or replace function tasker.read_document(
  p_task_uuid uuid, p_step_uuid uuid, p_document text, p_attempt int default null,
  p_pointer text default '', p_offset int default 0, p_limit int default 16384)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_value jsonb;
  v_text  text;
begin
  if p_step_uuid is null then
    perform from tasker.tasks t where t.task_uuid = p_task_uuid;
  else
    perform from tasker.workflow_steps s
    where s.workflow_step_uuid = p_step_uuid and s.task_uuid = p_task_uuid;
  end if;
  if not found then
    return null;
  end if;
  v_value := case p_document
    when 'context' then
      (select c.context from tasker.task_contexts c where c.task_uuid = p_task_uuid)
    when 'output' then tasker.get_task_output(p_task_uuid) -> 'output'
    when 'inputs' then (select d.inputs
                        from tasker.workflow_step_documents d
                        where d.workflow_step_uuid = p_step_uuid)
    when 'checkpoint' then (select d.checkpoint
                            from tasker.workflow_step_documents d
                            where d.workflow_step_uuid = p_step_uuid)
    else (select case p_document when 'error' then r.error
                      else case when r.success then r.result end end
          from tasker.workflow_steps s
          join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
            and (p_attempt is null and r.sort_key = s.result_sort_key or r.attempt = p_attempt)
          where s.workflow_step_uuid = p_step_uuid
          order by r.sort_key desc limit 1) end;
  if v_value is null or (p_document = 'output' and v_value = 'null') then
    return jsonb_build_object('outcome', 'refused', 'code', 'document-not-found',
                              'message', format('there is no %s', p_document));
  end if;
  if coalesce(p_pointer, '') <> '' then
    v_value := v_value #> array(select replace(replace(part, '~1', '/'), '~0', '~')
                                from unnest(string_to_array(substr(p_pointer, 2), '/')) as p(part));
    if v_value is null or p_pointer not like '/%' then
      return jsonb_build_object(
        'outcome', 'refused', 'code', 'invalid-request', 'field', 'pointer',
        'message', 'leads to nothing in the document; it begins with / and has the names of '
                   'members, or the numbers of elements, with / between them');
    end if;
  end if;
  v_text := v_value::text;
  return jsonb_build_object(
    'task_uuid', p_task_uuid, 'step_uuid', p_step_uuid, 'document', p_document,
    'attempt', p_attempt, 'pointer', coalesce(p_pointer, ''), 'type', jsonb_typeof(v_value),
    'members', case jsonb_typeof(v_value) when 'array' then jsonb_array_length(v_value)
                    when 'object' then (select count(*) from jsonb_object_keys(v_value)) end,
    'bytes', octet_length(v_text), 'characters', length(v_text), 'offset', p_offset,
    'text', substr(v_text, p_offset + 1, p_limit),
    'next_offset', case when length(v_text) - p_offset > p_limit then p_offset + p_limit end);
end
$$;
comment on function tasker.read_document(uuid, uuid, text, int, text, int, int) is
  'A part of a document of a task or step, as JSON text.';
