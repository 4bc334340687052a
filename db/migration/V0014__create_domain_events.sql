-- Domain events: what the results of steps mean to others, as their templates declare it
-- (publishes_events), and what becomes of tasks, approvals, dead letters and schedules. A row is
-- written in the transaction of what it tells about and never changes, but for its position, which
-- sequence_events assigns once: after the commit, under one lock, so that a reader that goes by
-- position skips nothing. Rows are deleted with their task, those of schedules with the record of
-- the fire time.
create table tasker.domain_events (
  event_uuid         uuid         primary key default tasker.uuid_v7(),
  event_number       bigint       generated always as identity,
  position           bigint,
  task_uuid          uuid,
  workflow_step_uuid uuid,
  cause_uuid         uuid,
  fire_at            timestamptz,
  sort_key           int          not null,
  declaration        int,
  kind               varchar(16)  not null default 'step',
  name               varchar(255) not null,
  delivery_mode      varchar(16)  not null default 'durable',
  outcome            tasker.step_outcome,
  attempt            int,
  data               jsonb,
  error              jsonb,
  created_at         timestamptz  not null default clock_timestamp(),
  document_hash      bigint       not null,
  constraint one_event_per_result_and_declaration unique (
    workflow_step_uuid, sort_key, declaration),
  constraint one_event_per_position unique (position),
  constraint known_kind check (kind in ('step', 'task', 'approval', 'dead_letter', 'schedule')),
  constraint known_delivery_mode check (delivery_mode in ('durable', 'fast', 'broadcast')),
  constraint counts_from_one check (position > 0 and declaration > 0),
  constraint result_iff_of_a_step check (
    (kind = 'step') = (num_nonnulls(declaration, outcome, attempt) = 3)
    and (kind = 'step' or num_nonnulls(declaration, outcome, attempt) = 0)),
  constraint step_iff_of_a_step_or_an_approval check (
    (workflow_step_uuid is not null) = (kind in ('step', 'approval'))),
  constraint task_iff_not_of_a_schedule check (
    (task_uuid is null) = (kind = 'schedule') and (fire_at is not null) = (kind = 'schedule')),
  constraint cause_iff_of_the_engine check (
    (cause_uuid is null) = (kind = 'step') and (kind = 'step') = (name not like 'tasker.%')),
  constraint error_says_what check (
    error is null or error ->> 'type' is not null and error ->> 'message' is not null));
comment on table tasker.domain_events is
  'What results of steps mean to others, one row per result and matching declaration in '
  'publishes_events of the step, and what became of tasks, approvals, dead letters and schedules.';
comment on column tasker.domain_events.event_number is
  'Grows with what an event follows from, because it is taken under the locks of the result; gaps '
  'and late commits are normal.';
comment on column tasker.domain_events.position is
  'Place in the feed, assigned once after the commit (sequence_events): growing in the order of '
  'assignment, with gaps. Null until then.';
comment on column tasker.domain_events.kind is
  'What it follows from: a result of a step, or what the engine publishes itself, with names '
  'under the prefix tasker.';
comment on column tasker.domain_events.cause_uuid is
  'Of an event of the engine: the task, approval, dead letter or schedule.';
comment on column tasker.domain_events.sort_key is
  'With workflow_step_uuid the result that it follows from; with cause_uuid the move of the task, '
  'the event of the approval, or the version of the schedule that paused itself. 0 where there is '
  'only one.';
comment on column tasker.domain_events.declaration is
  'Which element of publishes_events it is, from 1; null for events of the engine.';
comment on column tasker.domain_events.data is
  'The result, or what the mapping under payload makes; null when that failed. Of the engine: '
  'identities and states.';
comment on column tasker.domain_events.error is
  'Why data is missing or does not fit the schema, {type, message}: expression_error, '
  'event_too_large, schema_violation or erased.';
comment on column tasker.domain_events.document_hash is 'hash_documents(data, error) at insertion.';
create index domain_events_without_position_idx on tasker.domain_events (
  event_number) where position is null;
create index domain_events_task_uuid_idx on tasker.domain_events (task_uuid);
create unique index one_event_of_the_engine_per_cause on tasker.domain_events (
  cause_uuid, name, sort_key, fire_at) nulls not distinct where kind <> 'step';

create sequence tasker.domain_event_positions;
comment on sequence tasker.domain_event_positions is
  'Taken by sequence_events under its lock only.';

create table tasker.event_consumers (
  name          varchar(64)  primary key,
  position      bigint       not null,
  holder_uuid   uuid,
  lease_until   timestamptz,
  progressed_at timestamptz  not null,
  failures      int          not null default 0,
  retry_at      timestamptz,
  last_failure  varchar(1000),
  created_at    timestamptz  not null default clock_timestamp(),
  constraint position_is_not_negative check (position >= 0 and failures >= 0),
  constraint lease_has_a_holder check ((holder_uuid is null) = (lease_until is null)),
  constraint failure_is_whole check (
    (failures = 0) = (retry_at is null) and (failures = 0) = (last_failure is null)))
with (fillfactor = 50);
comment on table tasker.event_consumers is
  'Those that are sent every domain event in the order of the feed, such as the topic of Jakarta '
  'Messaging, and how far they are.';
comment on column tasker.event_consumers.position is
  'The last event that was sent, or the end of the feed when the consumer was created.';
comment on column tasker.event_consumers.holder_uuid is
  'The server that sends, until lease_until unless it extends its lease.';
comment on column tasker.event_consumers.progressed_at is
  'When something was last sent, or nothing was left to be sent; get_event_floor ignores a '
  'consumer for which that is long ago.';
comment on column tasker.event_consumers.failures is
  'Failures in a row; the next attempt is at retry_at.';
