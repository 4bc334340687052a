-- The value that a path gives; null when a member on the way is missing.
-- Errors: TK010 when it gives several values, and as evaluate_list. Locks: none. Source: ADR 0033.
create or replace function tasker.evaluate_value(p_path text, p_document jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_found jsonb := tasker.evaluate_list(p_path, p_document);
begin
  if jsonb_array_length(v_found) > 1 then
    raise exception 'gives % values, but one is expected', jsonb_array_length(v_found)
      using errcode = 'TK010', detail = p_path;
  end if;
  return v_found -> 0;
end
$$;
comment on function tasker.evaluate_value(text, jsonb) is
  'The value that a path gives; null when a member on the way is missing.';
