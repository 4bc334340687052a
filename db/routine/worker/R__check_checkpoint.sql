-- Why a checkpoint may not be stored: a sentence, with its size if it is too long, or null. Each
-- save rewrites the whole document, so it has at most 64 KiB in PostgreSQL's text form; the other
-- limits are those of check_document.
create or replace function tasker.check_checkpoint(p_checkpoint jsonb)
returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case when octet_length(c.written) > 65536 then format(
                'the checkpoint has %s bytes, and may have at most 65536', octet_length(c.written))
              else 'the checkpoint ' || tasker.check_document(p_checkpoint, p_text => c.written) end
  from (select p_checkpoint::text as written) c
$$;
comment on function tasker.check_checkpoint(jsonb) is
  'Why a checkpoint may not be stored: a sentence, with its size if it is too long, or null.';
