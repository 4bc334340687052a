-- Why a document may not be stored: a sentence, or null as a predicate for its name.
-- Every reader can read what this function lets through: a number such as 1e999 is a few bytes in a
-- request and a thousand in PostgreSQL's text, which is what is kept, sent and read again, so that
-- the size counts as PostgreSQL writes it. Numbers have at most 1000 digits before and after the
-- point.
-- p_most_bytes: of the text; 32 MiB unless the caller has a lower limit. p_deepest: levels of
-- objects and arrays.
-- p_text: the text of the document, if the caller has it: writing it is what costs most. A text of
-- at most 1000 bytes has no number of more digits and is not nested deeper, which spares most
-- documents the rest.
-- Locks: none. JsonbCheck has the same limits. Source: ADR 0065.
create or replace function tasker.check_document(
  p_document jsonb, p_most_bytes int default 33554432, p_deepest int default 500,
  p_text text default null)
returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_text  text := coalesce(p_text, p_document::text);
  v_bytes bytea;
begin
  if octet_length(v_text) > p_most_bytes then
    return format('must have at most %s bytes with all digits of its numbers, but has %s',
                  p_most_bytes, octet_length(v_text));
  end if;
  if octet_length(v_text) <= 1000 or v_text is null then
    return null;
  end if;
  -- More than 1000 digits in a row fill one of the stretches of 500 bytes from its first byte to
  -- its last.
  v_bytes := convert_to(v_text, 'UTF8');
  for i in 0 .. octet_length(v_bytes) / 500 - 1 loop
    if get_byte(v_bytes, i * 500) between 48 and 57
       and get_byte(v_bytes, i * 500 + 499) between 48 and 57
       and btrim(substring(v_bytes from i * 500 + 1 for 500), '0123456789') = '' then
      -- They may also be in a string.
      if exists (select from jsonb_array_elements_text(
                   jsonb_path_query_array(p_document,
                                          'strict $.** ? (@.type() == "number")')) as n(value)
                 where length(ltrim(split_part(n.value, '.', 1), '-')) > 1000
                   or length(split_part(n.value, '.', 2)) > 1000) then
        return 'must not contain numbers of more than 1000 digits before or after the point';
      end if;
      exit;
    end if;
  end loop;
  if jsonb_path_exists(p_document, ('strict $.**{' || p_deepest || '}')::jsonpath) then
    return format('must not be nested more than %s deep', p_deepest);
  end if;
  return null;
end
$$;
comment on function tasker.check_document(jsonb, int, int, text) is
  'Why a document may not be stored: a sentence, or null.';
