-- A new user with a password hash, or none. Returns its uuid; null when there is one of that name.
create or replace function tasker.save_user(p_name text, p_password_hash text, p_by text)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_user uuid;
begin
  insert into tasker.access_users (name, password_hash, password_changed_at, created_by)
  values (p_name, p_password_hash, case when p_password_hash is not null then clock_timestamp() end,
          p_by)
  on conflict (lower(name)) do nothing
  returning user_uuid into v_user;
  return v_user;
end
$$;
comment on function tasker.save_user(text, text, text) is
  'Creates a user with a password hash, or without one; null when the name is taken.';
