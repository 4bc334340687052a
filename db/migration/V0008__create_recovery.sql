-- breaking-change: no
-- What recovery, cancellation with a grace period, and the parking of poison need. Every column that is new on a hot row is
-- null until somebody asks for what it stands for.

create type tasker.server_state as enum ('healthy', 'degraded', 'draining', 'stopped');
create type tasker.lost_worker_policy as enum ('reschedule', 'abandon');

alter table tasker.servers
  drop column draining,
  add column state             tasker.server_state not null default 'healthy',
  add column heartbeat_at      timestamptz not null default now(),
  add column heartbeat_seconds int         not null default 10,
  add column present_since     timestamptz not null default now(),
  add column lost_at           timestamptz,
  add column problems          text[]      not null default '{}',
  add constraint heartbeat_is_positive check (heartbeat_seconds > 0);
comment on column tasker.servers.state is 'What the server says of itself; an overdue heartbeat outweighs it, see get_servers.';
comment on column tasker.servers.lease_expires_at is 'Three heartbeats after the last one: from then on the server counts as lost.';
comment on column tasker.servers.present_since is 'Since when its heartbeats have come without a gap; who was away itself says of nobody that he is lost.';
comment on column tasker.servers.lost_at is 'When the leases of a server that fell silent were ended.';

alter table tasker.named_tasks_named_steps
  add column on_worker_lost tasker.lost_worker_policy not null default 'reschedule';
comment on column tasker.named_tasks_named_steps.on_worker_lost is
  'retry.on_worker_lost: whether an attempt whose worker is lost, or that no worker claimed, is followed by the next one.';

alter table tasker.named_tasks
  add column cancel_grace_seconds int generated always as ((configuration #>> '{lifecycle,cancel_grace_seconds}')::int) stored,
  add constraint grace_is_not_negative check (cancel_grace_seconds >= 0);
comment on column tasker.named_tasks.cancel_grace_seconds is
  'lifecycle.cancel_grace_seconds: how long running steps may take to stop after a cancel request; null for the server''s setting.';

alter table tasker.tasks
  add column parent_task_uuid uuid,
  add column cancel_force_at  timestamptz,
  add column cancel_children  boolean;
comment on column tasker.tasks.parent_task_uuid is 'The task on whose behalf this one was submitted; a cancel may reach it through that.';
comment on column tasker.tasks.cancel_force_at is 'When running steps that a cancel request asked to stop are ended for them.';
comment on column tasker.tasks.cancel_children is 'Whether the cancel request is also one for the tasks whose parent this is.';
create index tasks_parent_task_uuid_idx on tasker.tasks (parent_task_uuid) where parent_task_uuid is not null;

create table tasker.unclaimed_offers (
  task_uuid          uuid        not null references tasker.tasks on delete cascade,
  workflow_step_uuid uuid        not null,
  attempt            smallint    not null,
  why                text        not null,
  since              timestamptz not null,
  due_at             timestamptz,
  primary key (task_uuid, workflow_step_uuid),
  constraint why_is_known check (why in ('unclaimed', 'unserved')));
comment on table tasker.unclaimed_offers is
  'Offers that recovery keeps an eye on: a worker could claim them and none does (unclaimed), or no live server serves them (unserved).';
comment on column tasker.unclaimed_offers.due_at is 'When the offer is taken back if nothing changes; null for never.';

create table tasker.task_faults (
  task_uuid     uuid        primary key references tasker.tasks on delete cascade,
  faults        int         not null,
  first_at      timestamptz not null,
  last_at       timestamptz not null,
  parked_at     timestamptz,
  sqlstate      varchar(5)  not null,
  cause         text        not null,
  constraint faults_are_counted check (faults > 0));
comment on table tasker.task_faults is 'Tasks whose processing raised an error: how often in a row, and the latest cause.';

create table tasker.dead_messages (
  dead_message_uuid uuid        primary key default tasker.uuid_v7(),
  queue_name        text        not null,
  msg_id            bigint      not null,
  read_ct           int         not null,
  enqueued_at       timestamptz not null,
  parked_at         timestamptz not null default now(),
  replayed_at       timestamptz,
  replayed_by       varchar(128),
  sqlstate          varchar(5),
  cause             text        not null,
  message           jsonb,
  headers           jsonb,
  constraint replay_is_whole check ((replayed_at is null) = (replayed_by is null)));
comment on table tasker.dead_messages is 'Messages that could not be processed, taken off their queues, with the cause.';
create index dead_messages_queue_name_idx on tasker.dead_messages (queue_name, dead_message_uuid) where replayed_at is null;
