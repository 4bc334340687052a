-- Creates a user, for use from psql: with a given password, or with a random one, and with a role
-- in one namespace or in all.
-- Returns {user_uuid, name, password}, where password is set only when the function generated it.
-- Errors: TK007 when the name is taken or there is no such role.
create or replace function tasker.create_user(
  p_name text, p_password text default null, p_role text default null,
  p_namespace text default null, p_by text default session_user)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_made text;
  v_user uuid;
begin
  if p_password is null then
    v_made := translate(
      encode(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
             'base64'),
      '+/=', 'xyz');
  elsif length(p_password) < 12 then
    raise exception 'a password has at least 12 characters' using errcode = 'TK007';
  end if;
  v_user := tasker.save_user(p_name, tasker.hash_password(coalesce(v_made, p_password)), p_by);
  if v_user is null then
    raise exception 'there is a user % already', p_name using errcode = 'TK007';
  end if;
  if p_role is not null then
    perform tasker.grant_access(v_user, null, p_role, null, p_namespace, p_by);
  end if;
  return jsonb_strip_nulls(
    jsonb_build_object('user_uuid', v_user, 'name', p_name, 'password', v_made));
end
$$;
comment on function tasker.create_user(text, text, text, text, text) is
  'Creates a user, for use from psql: with a given password, or with a random one that is '
  'returned once.';
