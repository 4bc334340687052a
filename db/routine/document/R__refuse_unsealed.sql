-- The refusal of a document with a value in clear that is to be sealed: {outcome: refused, code:
-- not-sealed, field, message}; null when there is none. p_field: the document's name in the
-- request. The others: as of find_unsealed.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.refuse_unsealed(
  p_document jsonb, p_places jsonb, p_field text)
returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_object(
    'outcome', 'refused', 'code', 'not-sealed', 'field', p_field || f.pointer,
    'message', 'must be sealed, as the schema says: send it over REST, where a server seals it')
  from (select tasker.find_unsealed(p_document, p_places) as pointer
        where p_places is not null) f
  where f.pointer is not null
$$;
comment on function tasker.refuse_unsealed(jsonb, jsonb, text) is
  'The refusal of a document with a value in clear that is to be sealed.';
