-- Returns an answer for a program unchanged, or refuses it when it is longer than 16 MiB: a server
-- reads it whole into its memory, where JSON takes many times its length.
-- Errors: TK012 for one of more than 16 MiB; its reader asks for fewer objects, or leaves out long
-- documents and reads them in parts.
-- Locks: none. Source: ADR 0065.
create or replace function tasker.limit_answer(p_answer text)
returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  if octet_length(p_answer) > 16777216 then
    raise exception 'the answer has % bytes, and at most 16777216 are sent', octet_length(p_answer)
      using errcode = 'TK012',
        hint = 'Ask for fewer objects, or leave out long documents and read them in parts.';
  end if;
  return p_answer;
end
$$;
comment on function tasker.limit_answer(text) is
  'Returns an answer for a program unchanged, or refuses it when it is longer than 16 MiB.';
