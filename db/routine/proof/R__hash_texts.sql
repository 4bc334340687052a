-- A 64-bit hash of the text of a document, or of two that are written together: hash_documents for
-- a caller that has the texts.
create or replace function tasker.hash_texts(p_document text, p_other text)
returns bigint
language sql immutable parallel safe
as $$
  select hashtextextended(coalesce(p_document, ''),
                          case when p_other is null then 0 else hashtextextended(p_other, 0) end)
$$;
comment on function tasker.hash_texts(text, text) is
  'A 64-bit hash of the text of a document, or of two that are written together.';
