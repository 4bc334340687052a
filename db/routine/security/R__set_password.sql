-- Sets the password of a user by its hash. Returns {outcome}: done, or refused with the code
-- user-not-found.
-- Errors: TK007 when the hash is null; 23514 when it is none. At psql, hash_password('…') makes the
-- hash.
create or replace function tasker.set_password(p_user_uuid uuid, p_password_hash text)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  if p_password_hash is null then
    raise exception 'password_hash is null: the caller must give hash_password(''…'')'
      using errcode = 'TK007';
  end if;
  update tasker.access_users u
  set password_hash = p_password_hash, password_changed_at = clock_timestamp()
  where u.user_uuid = p_user_uuid;
  return case when found then jsonb_build_object('outcome', 'done')
              else tasker.refuse_unknown('user', p_user_uuid::text) end;
end
$$;
comment on function tasker.set_password(uuid, text) is 'Sets the password of a user by its hash.';
