-- Figures about past work, maintained continuously: a dashboard adds up minutes and never counts a
-- million tasks.
--
-- A roll-up counts the moves of all transactions below the oldest running one, and stores that
-- bound; a reader takes the counts and adds the visible moves from the bound on. So no move is
-- missed or counted twice, however long a transaction stays open: see roll_up_analytics.

create table tasker.analytics_progress (
  only_row   boolean     primary key default true check (only_row),
  next_xact  bigint      not null,
  rebuilt_at timestamptz not null default '-infinity',
  counted_at timestamptz not null default now());
comment on table tasker.analytics_progress is 'One row: how far the moves of tasks are counted.';
comment on column tasker.analytics_progress.next_xact is
  'The moves of all transactions below this one are in the tallies.';
comment on column tasker.analytics_progress.rebuilt_at is
  'Moves up to this time are in the tallies regardless of their transaction: they came from '
  'another database.';

insert into tasker.analytics_progress (next_xact) values (0);

create table tasker.task_state_tallies (
  state tasker.task_state primary key,
  tasks bigint not null);
comment on table tasker.task_state_tallies is
  'How many tasks are in each state, as far as moves are counted.';

create table tasker.step_state_tallies (
  state tasker.step_state primary key,
  steps bigint not null);
comment on table tasker.step_state_tallies is
  'How many steps of finished tasks are in each state, as far as moves are counted.';

create table tasker.task_tallies (
  minute          timestamptz not null,
  named_task_uuid uuid        not null,
  state           tasker.task_state not null,
  tasks           bigint      not null,
  steps           bigint      not null,
  failed_steps    bigint      not null,
  seconds         numeric     not null,
  least_seconds   numeric     not null,
  most_seconds    numeric     not null,
  last_at         timestamptz not null,
  primary key (minute, named_task_uuid, state));
comment on table tasker.task_tallies is
  'Tasks of a template that entered a state within a minute: pending means creation, the others '
  'are terminal. Durations count from creation.';

create table tasker.step_tallies (
  minute          timestamptz not null,
  named_step_uuid uuid        not null,
  executions      bigint      not null,
  errors          bigint      not null,
  seconds         numeric     not null,
  least_seconds   numeric     not null,
  most_seconds    numeric     not null,
  last_at         timestamptz not null,
  primary key (minute, named_step_uuid));
comment on table tasker.step_tallies is
  'Executions of a step of a template, in tasks that ended within a minute. One attempt is one '
  'execution.';

create table tasker.duration_tallies (
  quarter      timestamptz not null,
  subject_uuid uuid        not null,
  bucket       int         not null,
  executions   bigint      not null,
  primary key (quarter, subject_uuid, bucket));
comment on table tasker.duration_tallies is
  'How many tasks of a template that ended within a quarter of an hour, or executions of a step '
  'in them, took how long: the percentiles are made of these.';
comment on column tasker.duration_tallies.subject_uuid is
  'The named_task_uuid of a template, or the named_step_uuid of a step of one.';
comment on column tasker.duration_tallies.bucket is
  'A range of durations, each a tenth longer than the one before: see calculate_duration_bucket.';

create table tasker.metric_totals (
  metric    text    not null,
  namespace varchar not null,
  template  varchar not null,
  label     text    not null,
  bucket    int     not null,
  events    bigint  not null,
  seconds   numeric not null,
  primary key (metric, namespace, template, label, bucket));
comment on table tasker.metric_totals is
  'Totals since the installation for a monitoring system, which never decrease: tasks that ended, '
  'results of steps, and how long offers waited for their claim.';
comment on column tasker.metric_totals.metric is
  'task: an end, label is the state; step: a result, label is the outcome; retry: an attempt that '
  'was not the first; wait: a claim.';
comment on column tasker.metric_totals.bucket is
  'The position of the least of get_metric_bounds() that the duration does not exceed; one more '
  'than there are bounds when it exceeds all.';

create table tasker.metric_templates (
  namespace varchar not null,
  template  varchar not null,
  rank      bigint  generated always as identity,
  primary key (namespace, template));
comment on table tasker.metric_templates is
  'The templates in metric_totals in the order in which they were first seen: which ones have '
  'series of their own never changes.';
