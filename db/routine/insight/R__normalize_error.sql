-- What errors of the same cause have in common: the message without the parts that differ from task
-- to task. Identifiers, numbers and quoted values become #, white space one space, and what is
-- longer than 200 characters is cut.
create or replace function tasker.normalize_error(p_message text)
returns text
language sql immutable
set search_path = ''
as $$
  -- Of a message that is a whole document only the beginning is read.
  select left(btrim(regexp_replace(regexp_replace(regexp_replace(left(p_message, 1000),
    '"[^"]*"|''[^'']*''', '#', 'g'),
    '[0-9a-f]{8}-[0-9a-f-]{27,}|0x[0-9a-f]+|[0-9a-f]{16,}|\d+', '#', 'gi'),
    '\s+', ' ', 'g')), 200)
$$;
comment on function tasker.normalize_error(text) is
  'The signature of an error: its message without identifiers, numbers and quoted values.';
