-- All values that a path gives, a JSON array in their order; empty when a member on the way is
-- missing.
-- Errors: TK010, with the path as its detail, for a text that is no path, one that cannot be
-- evaluated over this document, and one that would read too much of it (bound_path).
-- Immutable in what it gives: times without a time zone are not compared with times that have one.
-- It counts what a task reads (charge_expressions).
-- Locks: none. Source: ADR 0033, ADR 0066.
create or replace function tasker.evaluate_list(p_path text, p_document jsonb)
returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  v_bytes bigint := pg_column_size(p_document #> '{}');
  v_reads double precision := 0;
begin
  -- Most paths read each value at most once: they compare with literals, and a list is filtered
  -- without a look at another. The others are measured.
  if p_path ~* '[,\\]|[*][*]|/[*]|keyvalue|like_regex|[=<>]\s*[-+(\s]*[$@]|\[[^]]*@'
     or (p_path ~ '[?[]' and p_path ~ '[$].*[$]')
     or length(p_path) * v_bytes > 24000000 then
    v_reads := tasker.bound_path(p_path, p_document);
  end if;
  if (v_reads > 4096 or v_bytes > 65536)
     and not tasker.charge_expressions(coalesce(p_document #>> '{task,uuid}', ''), v_reads) then
    raise exception 'is one too many: the expressions of this task read more than 20000000 values '
                    'in one transaction'
      using errcode = 'TK010', detail = p_path;
  end if;
  return jsonb_path_query_array(p_document, p_path::jsonpath);
exception
  when data_exception or syntax_error or undefined_object or feature_not_supported
    or program_limit_exceeded then
  raise exception '%', sqlerrm using errcode = 'TK010', detail = p_path;
end
$$;
comment on function tasker.evaluate_list(text, jsonb) is
  'All values that a path gives, a JSON array in their order.';
