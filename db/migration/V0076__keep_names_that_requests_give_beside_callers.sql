-- breaking-change: no
-- Who paused, set, closed, cancelled or sent again is who was authenticated; the name that the request gave stands beside it. Rows from before have the given name only.

alter table tasker.task_namespaces
  alter column paused_by type varchar(160),
  add column pause_claimed_actor varchar(128);
comment on column tasker.task_namespaces.pause_claimed_actor is 'The name that the request gave, where paused_by is who was authenticated.';
alter table tasker.template_pauses
  alter column paused_by type varchar(160),
  add column claimed_actor varchar(128);
comment on column tasker.template_pauses.claimed_actor is 'The name that the request gave, where paused_by is who was authenticated.';
alter table tasker.concurrency_policies
  alter column set_by type varchar(160),
  add column claimed_actor varchar(128);
comment on column tasker.concurrency_policies.claimed_actor is 'The name that the request gave, where set_by is who was authenticated.';
alter table tasker.retention_policies
  alter column set_by type varchar(160),
  add column claimed_actor varchar(128);
comment on column tasker.retention_policies.claimed_actor is 'The name that the request gave, where set_by is who was authenticated.';
alter table tasker.tasks_dlq
  add column claimed_actor varchar(128);
comment on column tasker.tasks_dlq.claimed_actor is 'The name that the request gave, where resolved_by is who was authenticated.';
alter table tasker.dead_messages
  alter column replayed_by type varchar(160),
  add column claimed_actor varchar(128);
comment on column tasker.dead_messages.claimed_actor is 'The name that the request gave, where replayed_by is who was authenticated.';
alter table tasker.tasks
  alter column cancel_requested_by type varchar(160),
  add column cancel_claimed_actor varchar(128);
comment on column tasker.tasks.cancel_claimed_actor is 'The name that the request gave, where cancel_requested_by is who was authenticated.';
