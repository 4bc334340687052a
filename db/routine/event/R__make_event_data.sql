-- The data of a domain event, or the error for which it has none. Without a mapping the data is the
-- result, of a failure {"error": ...}. A mapping sees the document of the step's expressions, in
-- which $.results has the step's own result, too, by its name in the template. o_error {type,
-- message}:
-- expression_error when the mapping cannot be evaluated, event_too_large above 60 KiB (both without
-- data), or schema_violation, with the data as they are. Never raises for what a template or a
-- result may contain: an event must not undo the result that it tells about.
-- Locks: none. Source: ADR 0050.
create or replace function tasker.make_event_data(
  p_event jsonb, p_task_uuid uuid, p_step_uuid uuid, p_step_name text, p_result jsonb,
  p_error jsonb, out o_data jsonb, out o_error jsonb)
language plpgsql stable
set search_path = ''
as $$
declare
  v_own     jsonb := case when p_error is null then coalesce(p_result, 'null')
                          else jsonb_build_object('error', p_error) end;
  v_problem text;
begin
  if jsonb_typeof(p_event -> 'payload') = 'object' then
    begin
      o_data := tasker.evaluate_mapping(
        p_event -> 'payload',
        jsonb_set(tasker.get_expression_document(p_task_uuid, p_step_uuid),
                  array['results', p_step_name], v_own));
    exception when others then
      o_error := jsonb_build_object('type', 'expression_error', 'message', left(sqlerrm, 1000));
      return;
    end;
  else
    o_data := v_own;
  end if;
  if octet_length(o_data::text) > 61440 then
    o_error := jsonb_build_object('type', 'event_too_large', 'message',
      format('the data has %s bytes; at most 61440 are published', octet_length(o_data::text)));
    o_data := null;
    return;
  end if;
  v_problem := tasker.find_schema_problem(p_event -> 'schema', o_data);
  if v_problem is not null then
    o_error := jsonb_build_object('type', 'schema_violation', 'message', left(v_problem, 1000));
  end if;
end
$$;
comment on function tasker.make_event_data(jsonb, uuid, uuid, text, jsonb, jsonb) is
  'The data of a domain event, or the error for which it has none.';
