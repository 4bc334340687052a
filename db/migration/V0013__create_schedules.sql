-- Schedules: tasks that are submitted at fire times, by cron or by interval. The servers calculate
-- fire times, because the zone rules of the JVM are the only ones in use; the database only
-- compares instants.

create table tasker.schedules (
  schedule_uuid    uuid          primary key default tasker.uuid_v7(),
  namespace_name   varchar(29)   not null,
  name             varchar(64)   not null,
  template_name    varchar(64)   not null,
  template_version varchar(16),
  context          jsonb         not null default '{}',
  options          jsonb         not null default '{}',
  time_member      varchar(64),
  cron             varchar(200),
  every_seconds    int,
  zone             varchar(64)   not null default 'UTC',
  starts_at        timestamptz,
  ends_at          timestamptz,
  anchor_at        timestamptz   not null,
  jitter_seconds   int           not null default 0,
  overlap          varchar(16)   not null default 'skip',
  catch_up         varchar(8)    not null default 'last',
  catch_up_seconds int           not null default 86400,
  pause_after_failures smallint  not null default 10,
  next_fire_at     timestamptz,
  next_due_at      timestamptz,
  queued_fire_at   timestamptz,
  recheck_at       timestamptz,
  paused_at        timestamptz,
  paused_by        varchar(160),
  pause_reason     varchar(1000),
  last_fire_at     timestamptz,
  last_task_uuid   uuid,
  started_count    bigint        not null default 0,
  skipped_count    bigint        not null default 0,
  missed_count     bigint        not null default 0,
  failed_count     bigint        not null default 0,
  failures_in_a_row int          not null default 0,
  last_failure     jsonb,
  version          int           not null default 1,
  created_at       timestamptz   not null default clock_timestamp(),
  created_by       varchar(160)  not null,
  updated_at       timestamptz   not null default clock_timestamp(),
  updated_by       varchar(160)  not null,
  deleted_at       timestamptz,
  wake_at          timestamptz   generated always as (
    case
      when paused_at is null and deleted_at is null then least(next_due_at, recheck_at) end) stored,
  constraint cron_or_interval check (num_nonnulls(cron, every_seconds) = 1 and every_seconds > 0),
  constraint ends_after_its_start check (ends_at > starts_at),
  constraint known_overlap check (overlap in ('skip', 'queue_one', 'allow', 'cancel_previous')),
  constraint known_catch_up check (catch_up in ('last', 'all')),
  constraint ranges_are_kept check (
    jitter_seconds between 0 and 86400
    and catch_up_seconds between 1 and 31622400
    and pause_after_failures between 0 and 1000),
  constraint due_no_earlier_than_its_fire_time check (
    (next_fire_at is null) = (next_due_at is null) and next_due_at >= next_fire_at),
  constraint queued_fire_is_rechecked check ((queued_fire_at is null) = (recheck_at is null)),
  constraint pause_has_actor_and_reason check (
    num_nonnulls(paused_at, paused_by, pause_reason) in (0, 3)),
  constraint documents_are_objects check (
    jsonb_typeof(context) = 'object' and jsonb_typeof(options) = 'object'))
with (fillfactor = 60);
comment on table tasker.schedules is
  'Tasks that are submitted at fire times. A deleted schedule stays as a row with deleted_at, so '
  'that its fires keep their meaning.';
comment on column tasker.schedules.options is
  'Members of the task request besides namespace, name, version and context: tags, priority and '
  'source_system.';
comment on column tasker.schedules.time_member is
  'The member of the context that gets the fire time; null: none.';
comment on column tasker.schedules.anchor_at is
  'Fire times of an interval are this instant and whole intervals after it.';
comment on column tasker.schedules.next_fire_at is
  'The fire time that is decided next: the cursor, which only moves forward except by a change of '
  'the timing. Null: there is none.';
comment on column tasker.schedules.next_due_at is 'next_fire_at and its jitter.';
comment on column tasker.schedules.queued_fire_at is
  'A fire time that waits for the previous task to end.';
comment on column tasker.schedules.wake_at is
  'When a server has to process the schedule; null while it is paused, deleted or over.';
create unique index schedules_name_key on tasker.schedules (
  namespace_name, name) where deleted_at is null;
create index schedules_wake_at_idx on tasker.schedules (wake_at) where wake_at is not null;
-- For take_stalled_schedules.
create index schedules_without_fire_time_idx on tasker.schedules (
  coalesce(ends_at, 'infinity'), schedule_uuid)
  where next_fire_at is null and paused_at is null and deleted_at is null;

create table tasker.schedule_backfills (
  backfill_uuid uuid          primary key default tasker.uuid_v7(),
  schedule_uuid uuid          not null references tasker.schedules on delete cascade,
  from_at       timestamptz   not null,
  to_at         timestamptz   not null,
  cursor_at     timestamptz   not null,
  overlap       varchar(16)   not null,
  state         varchar(16)   not null default 'running',
  started_count int           not null default 0,
  present_count int           not null default 0,
  failure       jsonb,
  created_at    timestamptz   not null default clock_timestamp(),
  created_by    varchar(160)  not null,
  reason        varchar(1000) not null,
  ended_at      timestamptz,
  wake_at       timestamptz,
  constraint range_is_not_empty check (to_at > from_at and cursor_at <= to_at),
  constraint known_overlap check (overlap in ('allow', 'one_by_one')),
  constraint known_state check (state in ('running', 'complete', 'cancelled', 'failed')),
  constraint ended_iff_not_running check (
    (ended_at is null) = (state = 'running') and (wake_at is null) = (state <> 'running')),
  constraint failure_iff_failed check ((failure is not null) = (state = 'failed')));
comment on table tasker.schedule_backfills is
  'Requests to submit tasks for the fire times of a past period that have no task. cursor_at is '
  'the last fire time that was decided.';
comment on column tasker.schedule_backfills.present_count is
  'Fire times of the period that had a task already.';
create index schedule_backfills_wake_at_idx on tasker.schedule_backfills (
  wake_at) where wake_at is not null;
create index schedule_backfills_schedule_uuid_idx on tasker.schedule_backfills (schedule_uuid);

create table tasker.schedule_fires (
  schedule_uuid uuid          not null references tasker.schedules on delete cascade,
  fire_at       timestamptz   not null,
  is_range      boolean       not null default false,
  until_at      timestamptz,
  fire_count    int,
  origin        varchar(16)   not null,
  outcome       varchar(16)   not null,
  reason        varchar(64),
  message       varchar(1000),
  task_uuid     uuid,
  is_open       boolean       not null default false,
  backfill_uuid uuid,
  decided_at    timestamptz   not null,
  primary key (schedule_uuid, fire_at, is_range),
  constraint known_origin check (origin in ('schedule', 'trigger', 'backfill')),
  constraint known_outcome check (outcome in ('started', 'queued', 'skipped', 'missed', 'failed')),
  constraint task_iff_started check ((task_uuid is not null) = (outcome = 'started')),
  constraint only_a_started_fire_is_open check (not is_open or outcome = 'started'),
  constraint only_missed_fires_are_a_range check (
    is_range = (until_at is not null)
    and (not is_range or outcome = 'missed')
    and until_at >= fire_at),
  constraint reason_iff_not_started check ((reason is null) = (outcome = 'started')));
comment on table tasker.schedule_fires is
  'What became of a fire time of a schedule: one row per fire time, and one per range of fire '
  'times that were missed together.';
comment on column tasker.schedule_fires.fire_count is
  'How many fire times a range has; null: more than a thousand.';
comment on column tasker.schedule_fires.is_open is
  'The task was unfinished when the schedule was last processed.';
create unique index schedule_fires_task_uuid_key on tasker.schedule_fires (
  task_uuid) where task_uuid is not null;
create index schedule_fires_open_idx on tasker.schedule_fires (schedule_uuid) where is_open;
create index schedule_fires_decided_at_idx on tasker.schedule_fires (decided_at);

create table tasker.schedule_declines (
  schedule_uuid uuid          not null references tasker.schedules on delete cascade,
  server_uuid   uuid          not null references tasker.servers on delete cascade,
  version       int           not null,
  message       varchar(1000) not null,
  declined_at   timestamptz   not null,
  primary key (schedule_uuid, server_uuid));
comment on table tasker.schedule_declines is
  'Servers that cannot calculate the fire times of a schedule, such as one whose JVM does not '
  'know its zone.';
comment on column tasker.schedule_declines.version is
  'Of the schedule: a decline says nothing about another version.';
create index schedule_declines_server_uuid_idx on tasker.schedule_declines (server_uuid);

insert into tasker.expiring_tables (table_name, time_column, keep_days)
values ('schedule_fires', 'decided_at', 400);
