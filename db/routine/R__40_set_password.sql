-- Gives a user another password, by its hash. Returns whether there is such a user. Called by Accounts; people at psql give hash_password('…').
create or replace function tasker.set_password(p_user_uuid uuid, p_password_hash text)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  update tasker.access_users u set password_hash = p_password_hash, password_changed_at = clock_timestamp() where u.user_uuid = p_user_uuid;
  return found;
end
$$;
comment on function tasker.set_password(uuid, text) is 'Gives a user another password, by its hash.';
