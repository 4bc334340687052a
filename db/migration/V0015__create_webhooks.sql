-- Webhooks: subscriptions to domain events, whose events the servers send to an address over HTTP.
-- The database decides which event is sent when; a server sends it outside of any transaction and
-- reports what came back (ADR 0054).

create table tasker.webhooks (
  webhook_uuid      uuid          primary key default tasker.uuid_v7(),
  namespace_name    varchar(29),
  name              varchar(64)   not null,
  url               varchar(2000) not null,
  description       varchar(1000),
  event_types       text[],
  template_name     varchar(64),
  timeout_seconds   int           not null default 15,
  max_attempts      int           not null default 20,
  max_in_flight     int           not null default 4,
  backoff_seconds   int           not null default 5,
  backoff_cap_seconds int         not null default 21600,
  pause_after_hours int           not null default 120,
  position          bigint        not null,
  first_position    bigint        not null,
  replayed_to       bigint        not null default 0,
  starts_at         timestamptz,
  wait_until        timestamptz,
  failing_since     timestamptz,
  failures_in_a_row int           not null default 0,
  last_failure      varchar(500),
  last_delivered_at timestamptz,
  delivered_count   bigint        not null default 0,
  failed_count      bigint        not null default 0,
  dead_count        bigint        not null default 0,
  paused_at         timestamptz,
  paused_by         varchar(160),
  pause_reason      varchar(1000),
  version           int           not null default 1,
  created_at        timestamptz   not null default clock_timestamp(),
  created_by        varchar(160)  not null,
  updated_at        timestamptz   not null default clock_timestamp(),
  updated_by        varchar(160)  not null,
  deleted_at        timestamptz,
  constraint ranges_are_kept check (
    timeout_seconds between 1 and 60
    and max_attempts between 1 and 100
    and max_in_flight between 1 and 32
    and backoff_seconds between 1 and 3600
    and backoff_cap_seconds between 1 and 86400
    and pause_after_hours between 1 and 720),
  constraint positions_go_forward check (first_position >= 0 and position >= first_position),
  constraint failing_iff_failures check ((failing_since is null) = (failures_in_a_row = 0)),
  constraint pause_has_actor_and_reason check (
    num_nonnulls(paused_at, paused_by, pause_reason) in (0, 3)),
  constraint types_are_not_empty check (cardinality(event_types) > 0))
with (fillfactor = 60);
comment on table tasker.webhooks is
  'Subscriptions to domain events that are sent to an address. A deleted one stays as a row with '
  'deleted_at, so that its deliveries keep their meaning.';
comment on column tasker.webhooks.namespace_name is 'Null: the events of all namespaces.';
comment on column tasker.webhooks.event_types is 'The names of the events; null: all.';
comment on column tasker.webhooks.template_name is 'Of the tasks whose events are sent; null: all.';
comment on column tasker.webhooks.position is
  'The place in the feed of events up to which each matching event has its row in '
  'webhook_deliveries.';
comment on column tasker.webhooks.first_position is
  'The place behind which the present filter holds: events behind it and up to position have '
  'their delivery.';
comment on column tasker.webhooks.replayed_to is
  'The position that the webhook had when it was set back last: deliveries up to there are '
  'repetitions.';
comment on column tasker.webhooks.starts_at is
  'Earlier events are not sent, even if they have got their place in the feed since; null: no '
  'limit.';
comment on column tasker.webhooks.wait_until is
  'Until then nothing is sent but pings: the receiver asked for it, or it has failed often in a '
  'row.';
comment on column tasker.webhooks.failing_since is 'The first failure after the last success.';
create unique index webhooks_name_key on tasker.webhooks (
  namespace_name, name) nulls not distinct where deleted_at is null;

create table tasker.webhook_secrets (
  webhook_uuid uuid         not null references tasker.webhooks on delete cascade,
  secret       varchar(100) not null,
  created_at   timestamptz  not null default clock_timestamp(),
  valid_until  timestamptz,
  primary key (webhook_uuid, secret),
  constraint secret_is_prefixed check (secret like 'whsec\_%'));
comment on table tasker.webhook_secrets is
  'The keys with which deliveries are signed, in plain text because signing needs them. Only '
  'claim_deliveries reads them; no role of hardened-grants.sql may.';
comment on column tasker.webhook_secrets.valid_until is
  'Null: the present secret. An earlier one signs beside it until then.';
create unique index webhook_secrets_present_key on tasker.webhook_secrets (
  webhook_uuid) where valid_until is null;

create table tasker.webhook_deliveries (
  delivery_uuid    uuid          primary key default tasker.uuid_v7(),
  webhook_uuid     uuid          not null references tasker.webhooks on delete cascade,
  event_uuid       uuid          not null,
  is_ping          boolean       not null default false,
  task_uuid        uuid,
  schedule_uuid    uuid,
  position         bigint,
  event_type       varchar(255)  not null,
  event_at         timestamptz   not null,
  state            varchar(16)   not null default 'pending',
  attempts         int           not null default 0,
  claims           int           not null default 0,
  replays          int           not null default 0,
  due_at           timestamptz   not null,
  leased_by        uuid,
  last_attempt_at  timestamptz,
  last_status      int,
  last_error       varchar(500),
  last_response    varchar(1024),
  last_duration_ms int,
  created_at       timestamptz   not null default clock_timestamp(),
  ended_at         timestamptz,
  constraint one_delivery_per_event unique (webhook_uuid, event_uuid),
  constraint known_state check (
    state in ('pending', 'in_flight', 'delivered', 'dead', 'discarded')),
  constraint ended_iff_not_open check (
    (ended_at is not null) = (state in ('delivered', 'dead', 'discarded'))),
  constraint leased_iff_in_flight check ((leased_by is not null) = (state = 'in_flight')),
  constraint event_of_a_task_or_a_schedule_or_ping check (
    num_nonnulls(task_uuid, schedule_uuid) = case when is_ping then 0 else 1 end
    and (position is null) = is_ping),
  constraint counts_are_not_negative check (attempts >= 0 and claims >= 0 and replays >= 0))
with (fillfactor = 60);
comment on table tasker.webhook_deliveries is
  'One row per webhook and event: to be sent, in flight, or what became of it. Dead ones are the '
  'dead letters. Deleted with the task or the fire time, and 14 days after their end '
  '(expiring_tables).';
comment on column tasker.webhook_deliveries.attempts is
  'Attempts that ended, failed or not. An attempt of which no server reported the end does not '
  'count.';
comment on column tasker.webhook_deliveries.claims is
  'Grows with each claim: a result of an earlier one is stale.';
comment on column tasker.webhook_deliveries.due_at is
  'When a server may claim it: of a pending one the next attempt, of one in flight the end of the '
  'lease.';
comment on column tasker.webhook_deliveries.replays is
  'How often it was sent again at the request of an operator.';
create index webhook_deliveries_open_idx on tasker.webhook_deliveries (
  webhook_uuid, due_at) where ended_at is null;
create index webhook_deliveries_dead_idx on tasker.webhook_deliveries (
  webhook_uuid, delivery_uuid) where state = 'dead';
create index webhook_deliveries_webhook_uuid_idx on tasker.webhook_deliveries (
  webhook_uuid, delivery_uuid);
create index webhook_deliveries_task_uuid_idx on tasker.webhook_deliveries (
  task_uuid) where task_uuid is not null;
create index webhook_deliveries_schedule_uuid_idx on tasker.webhook_deliveries (
  schedule_uuid) where schedule_uuid is not null;
create index webhook_deliveries_ended_at_idx on tasker.webhook_deliveries (
  ended_at) where ended_at is not null;

insert into tasker.expiring_tables (table_name, time_column, keep_days)
values ('webhook_deliveries', 'ended_at', 14);
