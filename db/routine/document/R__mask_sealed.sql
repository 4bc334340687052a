-- A document as it can be compared: with what is sealed in it replaced by its being sealed, since
-- the same value is sealed differently each time. Two documents that differ in sealed values alone
-- are the same then.
-- Locks: none. Source: ADR 0095.
create or replace function tasker.mask_sealed(p_document jsonb)
returns jsonb
language sql immutable
set search_path = ''
as $$
  -- In a text of the document the quotes would have a backslash before them.
  select case
           when p_document::text not like '%"$sealed": {"key": "%' then p_document
           else regexp_replace(
             p_document::text, '"\$sealed": \{"key": "[^"]*", "data": "[^"]*"\}', '"$sealed": {}',
             'g')::jsonb end
$$;
comment on function tasker.mask_sealed(jsonb) is
  'A document as it can be compared: with what is sealed in it replaced by its being sealed.';
