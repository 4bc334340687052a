-- breaking-change: no
-- A caller's name is kept with its kind before it ("token:", "external:"): 128 characters of a name and 10 of a kind do not fit into 128.

alter table tasker.operator_actions alter column acted_by type varchar(160);
alter table tasker.access_users
  alter column created_by type varchar(160),
  alter column disabled_by type varchar(160);
alter table tasker.access_keys
  alter column created_by type varchar(160),
  alter column revoked_by type varchar(160);
alter table tasker.access_grants alter column granted_by type varchar(160);
