-- The value under a JSON pointer (RFC 6901) as the text by which slots are counted: JSON text, so
-- that 1 and "1" differ; 'null' when there is nothing; a SHA-256 when it is long; '' without a
-- pointer.
create or replace function tasker.calculate_slot_key(p_context jsonb, p_pointer text)
returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
declare
  v_key text;
begin
  if p_pointer is null then
    return '';
  end if;
  v_key := coalesce((p_context #> array(
                       select replace(replace(part, '~1', '/'), '~0', '~')
                       from unnest(string_to_array(substr(p_pointer, 2), '/')) as p(part)))::text,
                    'null');
  return case when length(v_key) <= 200 then v_key
              else 'sha256:' || encode(sha256(convert_to(v_key, 'UTF8')), 'hex') end;
end
$$;
comment on function tasker.calculate_slot_key(jsonb, text) is
  'The value under a JSON pointer as the text by which slots are counted.';
