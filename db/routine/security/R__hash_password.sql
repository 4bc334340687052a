-- A password as access_users keeps it: PBKDF2 (RFC 8018) with HMAC-SHA-512 (RFC 2104), 32 bytes, in
-- the form of Jakarta Security's Pbkdf2PasswordHash. For people at psql: it takes a second or two,
-- and what is typed there may be in a log. Servers compute the same in Java.
create or replace function tasker.hash_password(
  p_password text, p_iterations int default 210000, p_salt bytea default null)
returns text
language plpgsql
set search_path = ''
as $$
declare
  v_salt  bytea := coalesce(
    p_salt, decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
  v_key   bytea := convert_to(p_password, 'UTF8');
  v_block bit(1024);
  v_inner bytea;
  v_outer bytea;
  v_last  bytea;
  v_sum   bit(512);
begin
  if p_password is null or p_iterations < 1 then
    raise exception 'a password and at least one iteration are needed' using errcode = 'TK007';
  end if;
  if octet_length(v_key) > 128 then
    v_key := sha512(v_key);
  end if;
  v_block := ('x' || rpad(encode(v_key, 'hex'), 256, '0'))::bit(1024);
  v_inner := decode(string_agg(lpad(to_hex((substring(v_block from i * 8 + 1 for 8)::int) # 54), 2,
                                    '0'),
                               '' order by i),
                    'hex') from generate_series(0, 127) i;
  v_outer := decode(string_agg(lpad(to_hex((substring(v_block from i * 8 + 1 for 8)::int) # 92), 2,
                                    '0'),
                               '' order by i),
                    'hex') from generate_series(0, 127) i;
  v_last := sha512(v_outer || sha512(v_inner || v_salt || '\x00000001'::bytea));
  v_sum := ('x' || encode(v_last, 'hex'))::bit(512);
  for i in 2 .. p_iterations loop
    v_last := sha512(v_outer || sha512(v_inner || v_last));
    v_sum := v_sum # ('x' || encode(v_last, 'hex'))::bit(512);
  end loop;
  v_last := decode(string_agg(lpad(to_hex(substring(v_sum from i * 8 + 1 for 8)::int), 2, '0'),
                              '' order by i),
                   'hex') from generate_series(0, 31) i;
  return format('PBKDF2WithHmacSHA512:%s:%s:%s', p_iterations, encode(v_salt, 'base64'),
                encode(v_last, 'base64'));
end
$$;
comment on function tasker.hash_password(text, int, bytea) is
  'A password as access_users keeps it: PBKDF2 with HMAC-SHA-512.';
