-- breaking-change: no
-- A token of a bulk action is for the caller that made it. Tokens that are open while this is applied, and those made in SQL, have no maker and are run in SQL.

alter table tasker.bulk_actions
  add column made_by varchar(300);
comment on column tasker.bulk_actions.made_by is
  'The caller over REST that the token was given to, by kind and uuid, as user:…; a name where there is no uuid; null when it was made in SQL.';
