-- breaking-change: no
-- The heartbeats of a server that ends together with the database are the evidence that it is lost: they are logged, so that
-- they are there after a crash and on a standby.

alter table tasker.servers set logged;
alter table tasker.servers alter column heartbeat_seconds set default 2;
comment on table tasker.servers is 'Who is there: one row per boot of a server, renewed by its heartbeat and kept for a day after the last.';
comment on column tasker.servers.lease_expires_at is 'Four heartbeats after the last one: from then on the server counts as lost.';
