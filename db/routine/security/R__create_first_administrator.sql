-- The first user of a database, with the role admin in everything. Returns whether it was made: not
-- when there is any user already.
-- Locks: an advisory lock of the transaction, so that of several servers that start at once one
-- makes it.
create or replace function tasker.create_first_administrator(p_name text, p_password_hash text)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('tasker.create_first_administrator', 0));
  if exists (select from tasker.access_users) then
    return false;
  end if;
  perform tasker.grant_access(tasker.save_user(p_name, p_password_hash, 'configuration'), null,
                              'admin', null, null, 'configuration');
  return true;
end
$$;
comment on function tasker.create_first_administrator(text, text) is
  'Creates the first user of a database, with the role admin in everything; false when any user '
  'exists.';
