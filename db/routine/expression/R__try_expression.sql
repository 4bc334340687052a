-- Evaluates an expression as the engine would, and tells what is wrong with it instead of raising
-- an error.
-- p_expression: a path, for a mapping the text of a JSON object. p_kind: as in check_expression.
-- p_document: of the form of get_expression_document, which gives that of a task.
-- Returns {outcome: done, value}, value null where a member is missing; or {outcome: refused, code:
-- expression_error, message, path}, path being the path that failed. Locks: none. Errors: TK007 for
-- another kind.
create or replace function tasker.try_expression(
  p_expression text, p_document jsonb, p_kind text default 'value')
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_given   jsonb := case when p_kind = 'mapping' then null else to_jsonb(p_expression) end;
  v_message text;
  v_path    text;
  v_value   jsonb;
  v_items   jsonb;
begin
  begin
    if p_kind = 'mapping' then
      v_given := p_expression::jsonb;
    end if;
    select c.message, nullif(v_given #>> string_to_array(substr(c.pointer, 2), '/'), '')
      into v_message, v_path
    from tasker.check_expression(v_given, p_kind) c limit 1;
    if v_message is null and p_kind = 'list' then
      select i.o_items, i.o_complaint into v_items, v_message
      from tasker.evaluate_items(p_expression, p_document) i;
    end if;
    if v_message is null then
      v_value := case p_kind
        when 'predicate' then to_jsonb(tasker.evaluate_predicate(p_expression, p_document))
        when 'value' then tasker.evaluate_value(p_expression, p_document)
        when 'list' then v_items
        when 'mapping' then tasker.evaluate_mapping(v_given, p_document) end;
      return jsonb_build_object('outcome', 'done', 'value', v_value);
    end if;
  exception
    when sqlstate 'TK010' then
      get stacked diagnostics v_message = message_text, v_path = pg_exception_detail;
    when invalid_text_representation then
      v_message := 'is not the text of a JSON object';
  end;
  return jsonb_build_object(
    'outcome', 'refused', 'code', 'expression_error', 'message', v_message,
    'path', coalesce(v_path, case when p_kind <> 'mapping' then p_expression end));
end
$$;
comment on function tasker.try_expression(text, jsonb, text) is
  'Evaluates an expression as the engine would, and tells what is wrong with it instead of '
  'raising an error.';
