-- Whether the database has room for what is written: writes a row that needs pages of its own and
-- deletes it again, so that no other transaction sees it. Called only after a write was refused for
-- want of room, to find out when there is some again.
-- Errors: that of the write, such as 53100 for a full disk. Returns nothing.
create or replace function tasker.check_storage()
returns void
language plpgsql
set search_path = ''
as $$
declare
  v_uuid constant uuid := gen_random_uuid();
begin
  insert into tasker.servers (server_uuid, name, roles, lease_expires_at, problems)
  select v_uuid, 'check_storage', '{}', now(), array_agg(md5(random()::text))
  from generate_series(1, 2000);
  delete from tasker.servers s
  where s.server_uuid = v_uuid;
end
$$;
comment on function tasker.check_storage() is
  'Writes a row that needs room on disk and deletes it again; raises the error of the write when '
  'there is no room.';
