-- What a template seals of its tasks, from its normal form: {context?, errors?}, the places of the
-- context (read_sealed_places) and whether messages of errors are sealed; an object also when only
-- schemas of steps mark something; null when nothing is sealed.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.read_sealing(p_template jsonb)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
           'context', tasker.read_sealed_places(p_template -> 'input_schema'),
           'errors', nullif(p_template -> 'seal_errors', 'false')))
  where p_template -> 'seal_errors' = 'true'
    or tasker.read_sealed_places(p_template -> 'input_schema') is not null
    or exists (select from jsonb_array_elements(p_template -> 'steps') s
               where tasker.read_sealed_places(s.value -> 'result_schema') is not null
                 or tasker.read_sealed_places(s.value #> '{signal,schema}') is not null
                 or tasker.read_sealed_places(s.value #> '{approval,form}') is not null)
$$;
comment on function tasker.read_sealing(jsonb) is
  'What a template seals of its tasks, from its normal form.';
