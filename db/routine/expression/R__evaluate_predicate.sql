-- Whether a predicate holds. False when a member that it asks for is missing; an unknown one is an
-- error and never quietly false.
-- Errors: TK010 when it is unknown, for instance because it compares a text with a number, or gives
-- anything else than one truth value, and as evaluate_list. Locks: none. Source: ADR 0033.
create or replace function tasker.evaluate_predicate(p_path text, p_document jsonb)
returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  v_found jsonb := tasker.evaluate_list(p_path, p_document);
begin
  if v_found = '[]' then
    return false;
  end if;
  if jsonb_array_length(v_found) = 1 and jsonb_typeof(v_found -> 0) = 'boolean' then
    return (v_found -> 0)::boolean;
  end if;
  raise exception '%',
    case
      when jsonb_array_length(v_found) > 1 then
        format('gives %s values, but true or false is expected', jsonb_array_length(v_found))
      when v_found = '[null]' then 'is unknown, neither true nor false: it compares values of '
                                   'different types, or computes with what is no number'
      else format('gives a value of type %s, but true or false is expected',
                  jsonb_typeof(v_found -> 0)) end
    using errcode = 'TK010', detail = p_path;
end
$$;
comment on function tasker.evaluate_predicate(text, jsonb) is
  'Whether a predicate holds; an unknown one is an error and never quietly false.';
