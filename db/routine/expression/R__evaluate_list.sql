-- All values that a path gives, a JSON array in their order; empty when a member on the way is missing.
-- Errors: TK010, with the path as its detail, for a text that is no path, and for one that cannot be evaluated over this document.
-- Immutable: times without a time zone are not compared with times that have one. Locks: none. Source: ADR 0033.
create or replace function tasker.evaluate_list(p_path text, p_document jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
begin
  return jsonb_path_query_array(p_document, p_path::jsonpath);
exception when data_exception or syntax_error or undefined_object or feature_not_supported then
  raise exception '%', sqlerrm using errcode = 'TK010', detail = p_path;
end
$$;
comment on function tasker.evaluate_list(text, jsonb) is 'All values that a path gives, a JSON array in their order.';
