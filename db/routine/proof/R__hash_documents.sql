-- A 64-bit hash of a document, or of two that are written together. Hashes the jsonb text, which
-- has one order of keys and one form of each number, so that the hash is the same on every machine
-- and release. Null counts as empty text.
-- Source: docs/reference/invariants.md.
create or replace function tasker.hash_documents(p_document jsonb, p_other jsonb default null)
returns bigint
language sql immutable parallel safe
as $$
  select tasker.hash_texts(p_document::text, p_other::text)
$$;
comment on function tasker.hash_documents(jsonb, jsonb) is
  'A 64-bit hash of a document, or of two that are written together.';
