-- A document as it is, with the sizes of some of its members in document_bytes, in bytes of their JSON text: members that are null have none. Members of more than
-- p_most bytes are null then; read_document reads them in parts. p_most: null for all.
create or replace function tasker.limit_documents(p_document jsonb, p_names text[], p_most int)
returns jsonb
language sql immutable parallel safe
as $$
  select p_document || coalesce(jsonb_object_agg(m.name, null::text) filter (where m.bytes > p_most), '{}')
         || jsonb_build_object('document_bytes', coalesce(jsonb_object_agg(m.name, m.bytes) filter (where m.name is not null), '{}'))
  from (select n.name, octet_length((p_document -> n.name)::text) as bytes from unnest(p_names) n(name) where jsonb_typeof(p_document -> n.name) <> 'null') m
$$;
comment on function tasker.limit_documents(jsonb, text[], int) is 'A document with the sizes of some of its members, without those that are longer than p_most bytes.';
