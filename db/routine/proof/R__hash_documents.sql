-- A 64-bit hash of a document, or of two that are written together. Hashes the jsonb text, which has one order of keys and
-- one form of each number, so that the hash is the same on every machine and release. Null counts as empty text.
-- Source: docs/promises.md, documents.
create or replace function tasker.hash_documents(p_document jsonb, p_other jsonb default null)
returns bigint
language sql immutable parallel safe
as $$
  select hashtextextended(coalesce(p_document::text, ''), case when p_other is null then 0 else hashtextextended(p_other::text, 0) end)
$$;
comment on function tasker.hash_documents(jsonb, jsonb) is
  'A 64-bit hash of a document, or of two that are written together.';
