-- Why a checkpoint may not be stored: null, or a sentence with its size. Each save rewrites the whole document, so it has at most
-- 64 KiB in PostgreSQL's text form.
create or replace function tasker.check_checkpoint(p_checkpoint jsonb)
returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select format('the checkpoint has %s bytes, and may have at most 65536', octet_length(p_checkpoint::text))
  where octet_length(p_checkpoint::text) > 65536
$$;
comment on function tasker.check_checkpoint(jsonb) is
  'Why a checkpoint may not be stored: null, or a sentence with its size.';
