-- Who is there to work, and what goes wrong: servers and their heartbeats, offers without a claim, tasks whose processing
-- fails, dead messages and dead letters, and the walk of the reconciler over all tasks.

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
  capacity          int          not null default 0,
  running           int          not null default 0,
  problems          text[]       not null default '{}',
  namespaces        text[],
  handlers          text[],
  resolvers         text[],
  missing           text[]       not null default '{}',
  elsewhere         jsonb,
  constraint heartbeat_is_positive check (heartbeat_seconds > 0));
comment on table tasker.servers is 'Who is there: one row per boot of a server, renewed by its heartbeat and kept for a day after the last.';
comment on column tasker.servers.state is 'What the server says of itself; an overdue heartbeat outweighs it, see get_servers.';
comment on column tasker.servers.present_since is 'Since when its heartbeats have come without a gap; who was away itself says of nobody that he is lost.';
comment on column tasker.servers.lease_expires_at is 'Four heartbeats after the last one: from then on the server counts as lost.';
comment on column tasker.servers.lost_at is 'When the leases of a server that fell silent were ended.';
comment on column tasker.servers.namespaces is 'The namespaces whose steps it takes; null: all.';
comment on column tasker.servers.handlers is 'The names that handler.callable may have on it; null: not told, or a resolver that knows more.';
comment on column tasker.servers.resolvers is 'The names that handler.resolver may have on it; null: not told.';
comment on column tasker.servers.missing is
  'handler_key of steps that it was given and could not run although it has a bean of that name: no such method, or its resolver found nothing.';
comment on column tasker.servers.elsewhere is
  'By namespace the handler_key of the steps that other servers have the handler of and it has not: it leaves them to the others. Null: none. Renewed by heartbeat and decline_steps.';

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
  'Offers that recovery keeps an eye on: a worker could claim them and none does (unclaimed), or no live server serves them (unserved).';
comment on column tasker.unclaimed_offers.due_at is 'When the offer is taken back if nothing changes; null for never.';

create table tasker.task_faults (
  task_uuid uuid        primary key references tasker.tasks on delete cascade,
  faults    int         not null,
  first_at  timestamptz not null,
  last_at   timestamptz not null,
  parked_at timestamptz,
  sqlstate  varchar(5)  not null,
  cause     text        not null,
  constraint faults_are_counted check (faults > 0));
comment on table tasker.task_faults is 'Tasks whose processing raised an error: how often in a row, and the latest cause.';

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
comment on table tasker.dead_messages is 'Messages that could not be processed, taken off their queues, with the cause.';
comment on column tasker.dead_messages.claimed_actor is 'The name that the request gave, where replayed_by is who was authenticated.';
create index dead_messages_queue_name_idx on tasker.dead_messages (queue_name, dead_message_uuid) where replayed_at is null;

create table tasker.tasks_dlq (
  dlq_entry_uuid       uuid        primary key default tasker.uuid_v7(),
  task_uuid            uuid        not null references tasker.tasks on delete cascade,
  original_state       tasker.task_state not null,
  dlq_reason           tasker.dlq_reason not null,
  dlq_timestamp        timestamptz not null default now(),
  resolution_status    tasker.dlq_resolution_status not null default 'pending',
  resolution_timestamp timestamptz,
  resolution_notes     text,
  resolved_by          varchar(255),
  claimed_actor        varchar(128),
  task_snapshot        jsonb       not null,
  metadata             jsonb,
  created_at           timestamptz not null default now(),
  updated_at           timestamptz not null default now(),
  constraint resolved_iff_not_pending check ((resolution_timestamp is null) = (resolution_status = 'pending')));
comment on table tasker.tasks_dlq is 'Dead letters: records for an investigation about a task; they never move it.';
comment on column tasker.tasks_dlq.claimed_actor is 'The name that the request gave, where resolved_by is who was authenticated.';
create unique index one_open_investigation_per_task on tasker.tasks_dlq (task_uuid) where resolution_status = 'pending';
create index tasks_dlq_task_uuid_idx on tasker.tasks_dlq (task_uuid);

create table tasker.reconciler_progress (
  only_row      boolean     primary key default true check (only_row),
  cursor_uuid   uuid,
  pass_began_at timestamptz not null default now(),
  last_pass_at  timestamptz)
with (fillfactor = 50);
comment on table tasker.reconciler_progress is 'One row: how far the reconciler has come on its walk over all tasks; the server that works on the next part holds it.';
comment on column tasker.reconciler_progress.cursor_uuid is 'The last task that was looked at; null between two passes.';
comment on column tasker.reconciler_progress.last_pass_at is 'When the latest pass over all tasks ended.';

insert into tasker.reconciler_progress default values;
