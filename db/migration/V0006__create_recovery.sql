-- Servers, workers and failures: heartbeats, unclaimed offers, tasks whose processing fails, dead
-- messages and dead letters, and the progress of the reconciler.

create table tasker.servers (
  server_uuid       uuid         primary key,
  name              varchar(255) not null,
  roles             text[]       not null,
  state             tasker.server_state not null default 'healthy',
  registered_at     timestamptz  not null default now(),
  heartbeat_at      timestamptz  not null default now(),
  heartbeat_seconds int          not null default 2,
  present_since     timestamptz  not null default now(),
  lease_expires_at  timestamptz  not null,
  lost_at           timestamptz,
  problems          text[]       not null default '{}',
  constraint heartbeat_is_positive check (heartbeat_seconds > 0));
comment on table tasker.servers is
  'One row per start of a server, renewed by its heartbeat and kept for a day after the last.';
comment on column tasker.servers.state is
  'The state that the server reports; get_servers shows lost when its heartbeat is overdue.';
comment on column tasker.servers.present_since is
  'Since when its heartbeats have arrived without a gap; a server that was absent itself does not '
  'declare others lost.';
comment on column tasker.servers.lease_expires_at is
  'Four heartbeats after the last one: from then on the server counts as lost.';
comment on column tasker.servers.lost_at is 'When the leases of the lost server were ended.';

create type tasker.worker_state as enum ('healthy', 'degraded', 'paused', 'draining', 'stopped');
comment on type tasker.worker_state is
  'The state that a worker reports; healthy and degraded workers can claim steps.';

create table tasker.workers (
  worker_uuid       uuid                primary key,
  server_uuid       uuid                references tasker.servers on delete cascade,
  name              varchar(255)        not null,
  state             tasker.worker_state not null default 'healthy',
  namespaces        text[],
  handlers          text[],
  resolvers         text[],
  unable            text[]              not null default '{}',
  declared_at       timestamptz         not null default now(),
  served            jsonb,
  served_version    bigint              not null,
  capacity          int                 not null,
  running           int                 not null default 0,
  registered_at     timestamptz         not null default now(),
  heartbeat_at      timestamptz         not null default now(),
  heartbeat_seconds int                 not null default 2,
  lease_expires_at  timestamptz         not null,
  present_since     timestamptz         not null default now(),
  lost_at           timestamptz,
  owner             varchar(160),
  registered_by     varchar(160),
  constraint worker_of_a_server_has_its_key check (server_uuid = worker_uuid),
  constraint capacity_is_not_negative check (capacity >= 0 and running >= 0),
  constraint worker_heartbeat_is_positive check (heartbeat_seconds > 0)) with (fillfactor = 50);
comment on table tasker.workers is
  'Workers run steps: the handlers of a server, registered by its heartbeat, or an external '
  'worker. Kept for a day after the last heartbeat.';
comment on column tasker.workers.server_uuid is
  'The server whose handlers it runs; null: an external worker.';
comment on column tasker.workers.namespaces is 'The namespaces that it serves; null: all.';
comment on column tasker.workers.handlers is
  'The values of handler.callable that it serves; null: any.';
comment on column tasker.workers.resolvers is
  'The values of handler.resolver that it serves; null: any.';
comment on column tasker.workers.unable is
  'Handler keys that it declined although it declared the handler or the resolver. It cannot '
  'claim their steps until it registers anew.';
comment on column tasker.workers.declared_at is
  'When namespaces, handlers and resolvers last changed.';
comment on column tasker.workers.served is
  'The handler keys whose steps it may claim, by namespace. It serves namespaces that are not '
  'named completely; null: all namespaces.';
comment on column tasker.workers.served_version is
  'The version of the handler catalog from which served was calculated.';
comment on column tasker.workers.lease_expires_at is
  'Four heartbeats after the last one: from then on the worker counts as lost.';
comment on column tasker.workers.present_since is
  'Since when its heartbeats have arrived without a gap.';
comment on column tasker.workers.lost_at is
  'When the leases of the lost external worker were ended.';
comment on column tasker.workers.owner is
  'The caller of the REST interface that registered it and alone acts for it, by its key; null: '
  'registered by SQL.';
comment on column tasker.workers.registered_by is 'The name of that caller.';

create table tasker.worker_claims (
  worker_uuid        uuid        not null references tasker.workers on delete cascade,
  workflow_step_uuid uuid        not null,
  task_uuid          uuid        not null references tasker.tasks on delete cascade,
  handoff            int         not null,
  request_id         varchar(128),
  claimed_at         timestamptz not null,
  acknowledged_at    timestamptz,
  primary key (worker_uuid, workflow_step_uuid));
comment on table tasker.worker_claims is
  'The steps that workers claimed over the REST interface: the basis of their capacity, and of '
  'what a lost answer is repeated from. A row whose handoff is no longer in progress counts for '
  'nothing; the next call of its worker deletes it.';
comment on column tasker.worker_claims.request_id is
  'The request whose answer had the step; the same request again gets it again.';
comment on column tasker.worker_claims.acknowledged_at is
  'When a heartbeat of the worker first named the step; null: its answer may have been lost.';
create index worker_claims_task_uuid_idx on tasker.worker_claims (task_uuid);

create table tasker.unclaimed_offers (
  task_uuid          uuid        not null references tasker.tasks on delete cascade,
  workflow_step_uuid uuid        not null,
  handoff            int         not null,
  why                text        not null,
  since              timestamptz not null,
  due_at             timestamptz,
  primary key (task_uuid, workflow_step_uuid),
  constraint why_is_known check (why in ('unclaimed', 'unserved')));
comment on table tasker.unclaimed_offers is
  'Offers that recovery watches: a worker could claim them and none does (unclaimed), or no live '
  'worker serves them (unserved).';
comment on column tasker.unclaimed_offers.due_at is
  'When recovery withdraws the offer unless a worker claims it; null for never.';

create table tasker.task_faults (
  task_uuid uuid        primary key references tasker.tasks on delete cascade,
  faults    int         not null,
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  parked_at timestamptz,
  sqlstate  varchar(5)  not null,
  cause     text        not null,
  constraint faults_are_counted check (faults > 0));
comment on table tasker.task_faults is
  'Tasks whose processing raised an error: how often in a row, and the latest cause.';

create table tasker.dead_messages (
  dead_message_uuid uuid        primary key default tasker.uuid_v7(),
  queue_name        text        not null,
  msg_id            bigint,
  read_ct           int         not null,
  enqueued_at       timestamptz not null,
  parked_at         timestamptz not null default now(),
  replayed_at       timestamptz,
  replayed_by       varchar(160),
  claimed_actor     varchar(128),
  sqlstate          varchar(5),
  cause             text        not null,
  message           jsonb,
  headers           jsonb,
  constraint replay_is_whole check ((replayed_at is null) = (replayed_by is null)));
comment on table tasker.dead_messages is
  'Messages that could not be processed, taken off their queues, with the cause.';
comment on column tasker.dead_messages.claimed_actor is
  'The name that the request claimed, when replayed_by is the authenticated caller.';
create index dead_messages_queue_name_idx on tasker.dead_messages (
  queue_name, dead_message_uuid) where replayed_at is null;

create table tasker.tasks_dlq (
  dlq_entry_uuid       uuid        primary key default tasker.uuid_v7(),
  task_uuid            uuid        not null references tasker.tasks on delete cascade,
  original_state       tasker.task_state not null,
  dlq_reason           tasker.dlq_reason not null,
  dlq_timestamp        timestamptz not null default now(),
  resolution_status    tasker.dlq_resolution_status not null default 'pending',
  resolution_timestamp timestamptz,
  sla_due_at           timestamptz,
  resolution_notes     text,
  resolved_by          varchar(255),
  claimed_actor        varchar(128),
  task_snapshot        jsonb       not null,
  metadata             jsonb,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint resolved_iff_not_pending check (
    (resolution_timestamp is null) = (resolution_status = 'pending')));
comment on table tasker.tasks_dlq is
  'Dead letters: records for the investigation of a task; they never move it.';
comment on column tasker.tasks_dlq.claimed_actor is
  'The name that the request claimed, when resolved_by is the authenticated caller.';
comment on column tasker.tasks_dlq.sla_due_at is
  'When the task, which is blocked, breaches its SLA, whether the investigation is open or '
  'closed; infinity once it has. Null without an SLA, and when it is not blocked.';
create unique index one_open_investigation_per_task on tasker.tasks_dlq (
  task_uuid) where resolution_status = 'pending';
create index tasks_dlq_task_uuid_idx on tasker.tasks_dlq (task_uuid);
create index tasks_dlq_sla_due_at_idx on tasker.tasks_dlq (sla_due_at) where sla_due_at is not null;

create table tasker.reconciler_progress (
  only_row      boolean     primary key default true check (only_row),
  cursor_uuid   uuid,
  pass_began_at timestamptz not null default now(),
  last_pass_at  timestamptz)
with (fillfactor = 50);
comment on table tasker.reconciler_progress is
  'One row: the progress of the reconciler over all tasks; the session that processes the next '
  'part locks it.';
comment on column tasker.reconciler_progress.cursor_uuid is
  'The last task that was checked; null between two passes.';
comment on column tasker.reconciler_progress.last_pass_at is
  'When the latest pass over all tasks ended.';

insert into tasker.reconciler_progress default values;
