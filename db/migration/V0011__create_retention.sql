-- How long finished tasks are kept, and the records of purged ones. Without a policy every task is
-- kept.

create table tasker.retention_policies (
  namespace_name varchar(29),
  template_name  varchar(64),
  state          tasker.task_state,
  keep_days      int,
  set_by         varchar(160)  not null,
  claimed_actor  varchar(128),
  reason         varchar(1000) not null,
  set_at         timestamptz   not null default now(),
  constraint one_policy_per_place_and_state unique nulls not distinct (
    namespace_name, template_name, state),
  constraint a_template_has_a_namespace check (template_name is null or namespace_name is not null),
  constraint only_terminal_states_are_purged check (
    state in ('complete', 'error', 'cancelled', 'resolved_manually')),
  constraint days_are_in_range check (keep_days between 0 and 36500));
comment on table tasker.retention_policies is
  'How long finished tasks are kept: all (no namespace), those of a namespace, or those of a '
  'template, in any state or in one. The most specific policy applies.';
comment on column tasker.retention_policies.keep_days is
  'Days after the end of the task; null: without limit.';
comment on column tasker.retention_policies.claimed_actor is
  'The name that the request claimed, when set_by is the authenticated caller.';

create table tasker.retention_progress (
  named_task_uuid uuid        primary key references tasker.named_tasks on delete cascade,
  next_pass_at    timestamptz not null default '-infinity',
  cursor_uuid     uuid,
  purged_tasks    bigint      not null default 0,
  last_purged_at  timestamptz)
with (fillfactor = 50);
comment on table tasker.retention_progress is
  'The progress of the clean-up of a template''s tasks; the session that cleans them up locks the '
  'row.';
comment on column tasker.retention_progress.cursor_uuid is
  'The last task that was examined; null between two passes.';

create table tasker.purged_tasks (
  task_uuid    uuid        primary key,
  created_at   timestamptz not null,
  last_move_at timestamptz not null,
  purged_at    timestamptz not null default now());
comment on table tasker.purged_tasks is
  'Purged tasks whose history may still exist; deleted when the months of that history are '
  'dropped.';

create table tasker.dropped_history (
  month         timestamptz primary key,
  outcome       varchar(16) not null,
  kept_tasks    bigint      not null,
  done_at       timestamptz not null default now(),
  is_cleaned_up boolean     not null default false,
  constraint outcome_is_known check (outcome in ('dropped', 'rewritten')));
comment on table tasker.dropped_history is
  'Months of history that were dropped, or rewritten without the rows of purged tasks.';
comment on column tasker.dropped_history.is_cleaned_up is
  'Whether forget_purged_tasks has processed purged_tasks since.';

create table tasker.expiring_tables (
  table_name  varchar(128) primary key,
  time_column varchar(63)  not null,
  keep_days   int,
  constraint days_are_in_range check (keep_days between 0 and 36500));
comment on table tasker.expiring_tables is
  'Tables of schema tasker whose rows are deleted some days after the time in one of their '
  'columns; missing tables are skipped.';
comment on column tasker.expiring_tables.keep_days is 'Null: without limit.';

-- Requests for changes are kept for a year plus a margin for an audit.
insert into tasker.expiring_tables (table_name, time_column, keep_days) values
  ('bulk_actions', 'expires_at', 30),
  ('queued_signals', 'refused_at', 30),
  ('bulk_action_tasks', 'acted_at', 30),
  ('write_requests', 'requested_at', 400);
