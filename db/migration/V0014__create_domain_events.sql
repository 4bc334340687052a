-- Domain events: what the results of steps mean to others, as their templates declare it (publishes_events). A row is written in the
-- transaction of the result (publish_events) and never changes, but for its position, which sequence_events assigns once: after the
-- commit, under one lock, so that a reader that goes by position skips nothing. Rows are deleted with their task.
create table tasker.domain_events (
  event_uuid         uuid         primary key default tasker.uuid_v7(),
  event_number       bigint       generated always as identity,
  position           bigint,
  task_uuid          uuid         not null,
  workflow_step_uuid uuid         not null,
  sort_key           int          not null,
  declaration        int          not null,
  name               varchar(255) not null,
  delivery_mode      varchar(16)  not null,
  outcome            tasker.step_outcome not null,
  attempt            int          not null,
  data               jsonb,
  error              jsonb,
  created_at         timestamptz  not null default clock_timestamp(),
  constraint one_event_per_result_and_declaration unique (workflow_step_uuid, sort_key, declaration),
  constraint one_event_per_position unique (position),
  constraint known_delivery_mode check (delivery_mode in ('durable', 'fast', 'broadcast')),
  constraint counts_from_one check (position > 0 and declaration > 0),
  constraint error_says_what check (error is null or error ->> 'type' is not null and error ->> 'message' is not null));
comment on table tasker.domain_events is 'What results of steps mean to others: one row per result and matching declaration in publishes_events of the step.';
comment on column tasker.domain_events.event_number is 'Grows with what an event follows from, because it is taken under the locks of the result; gaps and late commits are normal.';
comment on column tasker.domain_events.position is 'Place in the feed, assigned once after the commit (sequence_events): growing in the order of assignment, with gaps. Null until then.';
comment on column tasker.domain_events.sort_key is 'With workflow_step_uuid the result that it follows from.';
comment on column tasker.domain_events.declaration is 'Which element of publishes_events it is, from 1.';
comment on column tasker.domain_events.data is 'The result, or what the mapping under payload makes; null when that failed.';
comment on column tasker.domain_events.error is 'Why data is missing or does not fit the schema, {type, message}: expression_error, event_too_large or schema_violation.';
create index domain_events_without_position_idx on tasker.domain_events (event_number) where position is null;
create index domain_events_task_uuid_idx on tasker.domain_events (task_uuid);

create sequence tasker.domain_event_positions;
comment on sequence tasker.domain_event_positions is 'Taken by sequence_events under its lock only.';
