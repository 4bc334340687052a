-- The hot rows. Narrow, with room on the page and no index on anything that a state change touches, so that a move is
-- a HOT update; documents (context, inputs, results) stand apart and are written once.
-- Autovacuum runs early on these tables: their dead rows are few but the queries that meet them are many.
--
-- No foreign keys between these tables: a look-up and a row lock per new row, and on named_tasks one row that all submissions
-- of a template lock together. submit_tasks and create_steps insert them from the very rows they belong to,
-- delete_rows_of_tasks follows a delete, check_history() finds rows that belong to nothing: docs/adr/0009.
--
-- A batch moves neighbours together: two versions of each step and one of each task must find room on their page before the
-- old ones can go, hence the fill factors (at 70 % a fifth to a third of the moves found none): docs/adr/0010.

create table tasker.tasks (
  task_uuid             uuid        primary key,
  named_task_uuid       uuid        not null,
  correlation_id        uuid        not null,
  parent_correlation_id uuid,
  parent_task_uuid      uuid,
  replaced_by_task_uuid uuid,
  replaces_task_uuid    uuid,
  created_at            timestamptz not null default now(),
  requested_at          timestamptz not null default now(),
  completed_at          timestamptz,
  cancel_requested_at   timestamptz,
  cancel_force_at       timestamptz,
  sla_breached_at       timestamptz,
  claim_order           bigint      not null,
  state                 tasker.task_state not null default 'pending',
  priority              int         not null default 0,
  transition_count      int         not null,
  total_steps           int         not null,
  unfinished_steps      int         not null,
  in_flight_steps       int         not null default 0,
  failed_steps          int         not null default 0,
  retrying_steps        int         not null default 0,
  continue_on_error     boolean     not null default false,
  is_limited            boolean     not null default false,
  context_checked       boolean     not null default true,
  is_keyed              boolean,
  cancel_children       boolean,
  cancel_policy         tasker.cancel_policy,
  identity_hash         bytea,
  former_identity_hash  bytea,
  initiator             varchar(128),
  source_system         varchar(128),
  reason                varchar(128),
  cancel_requested_by   varchar(160),
  cancel_claimed_actor  varchar(128),
  cancel_reason         varchar(1000),
  tags                  jsonb,
  constraint completed_at_iff_terminal check
    ((completed_at is not null) = (state in ('complete', 'error', 'cancelled', 'resolved_manually'))),
  constraint complete_iff_no_step_is_left check (state <> 'complete' or unfinished_steps = 0),
  constraint terminal_means_nothing_in_flight check (completed_at is null or in_flight_steps = 0),
  constraint counters_are_sane check
    (in_flight_steps >= 0 and failed_steps >= 0 and retrying_steps >= 0
     and unfinished_steps >= in_flight_steps + failed_steps + retrying_steps and total_steps >= unfinished_steps),
  constraint priority_is_in_range check (priority between -100 and 100),
  constraint cancel_request_is_whole check
    ((cancel_requested_at is null) = (cancel_policy is null)),
  constraint identity_is_held_or_given_up check
    ((former_identity_hash is not null) = (replaced_by_task_uuid is not null) and (former_identity_hash is null or identity_hash is null)),
  constraint identity_is_given_up_after_the_end check (replaced_by_task_uuid is null or completed_at is not null))
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_vacuum_cost_limit = 2000, autovacuum_analyze_scale_factor = 0.05);
comment on table tasker.tasks is 'One run of a template. state is the truth, moved by compare-and-set; task_transitions is its history.';
comment on column tasker.tasks.parent_task_uuid is 'The task on whose behalf this one was submitted; a cancel may reach it through that.';
comment on column tasker.tasks.replaced_by_task_uuid is 'The task that has taken the identity of this one over; this one has ended and is not started again.';
comment on column tasker.tasks.replaces_task_uuid is 'The ended task whose identity this one has taken over.';
comment on column tasker.tasks.cancel_requested_at is 'A request, not a state: nothing new starts from here on.';
comment on column tasker.tasks.cancel_force_at is 'When running steps that a cancel request asked to stop are ended for them.';
comment on column tasker.tasks.sla_breached_at is
  'When it was noticed that the task is older than lifecycle.sla_minutes; from then on claim_order is lower by 100 points.';
comment on column tasker.tasks.claim_order is
  'Milliseconds since the epoch of creation, less one minute per point of priority: the lower, the earlier its steps are claimed. Age and priority in one number; lowered once, when the SLA is breached.';
comment on column tasker.tasks.transition_count is 'sort_key of the latest history row.';
comment on column tasker.tasks.unfinished_steps is 'Steps that are neither complete nor resolved manually.';
comment on column tasker.tasks.in_flight_steps is 'Steps in enqueued, in_progress or one of the two submitted states.';
comment on column tasker.tasks.failed_steps is 'Steps in error.';
comment on column tasker.tasks.retrying_steps is 'Steps in waiting_for_retry.';
comment on column tasker.tasks.is_limited is 'Copied from the template, so that all others pay nothing for policies.';
comment on column tasker.tasks.context_checked is 'False while the context still has to be checked against the input schema by a server; such a task is not started.';
comment on column tasker.tasks.is_keyed is 'Whether the request brought an idempotency key.';
comment on column tasker.tasks.cancel_children is 'Whether the cancel request is also one for the tasks whose parent this is.';
comment on column tasker.tasks.identity_hash is
  'SHA-256 over what makes a request the same as another; null when every request is a new task, and when a later task has taken the identity over.';
comment on column tasker.tasks.former_identity_hash is 'The identity_hash that this task had until a later one took it over.';
comment on column tasker.tasks.cancel_claimed_actor is 'The name that the request gave, where cancel_requested_by is who was authenticated.';
create unique index tasks_identity_hash_key on tasker.tasks (identity_hash) where identity_hash is not null;
create index tasks_correlation_id_idx on tasker.tasks (correlation_id);
create index tasks_parent_correlation_id_idx on tasker.tasks (parent_correlation_id) where parent_correlation_id is not null;
create index tasks_named_task_uuid_idx on tasker.tasks (named_task_uuid, task_uuid);
create index tasks_parent_task_uuid_idx on tasker.tasks (parent_task_uuid) where parent_task_uuid is not null;

create table tasker.task_contexts (
  task_uuid     uuid   primary key,
  context       jsonb  not null,
  document_hash bigint not null,
  submitted_by  varchar(160),
  trace_parent  varchar(55),
  constraint context_is_an_object check (jsonb_typeof(context) = 'object'),
  constraint trace_parent_is_of_w3c check (trace_parent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'));
comment on table tasker.task_contexts is 'The JSON given at creation, written once.';
comment on column tasker.task_contexts.document_hash is 'hash_documents(context), as it was written.';
comment on column tasker.task_contexts.submitted_by is 'Who submitted the task over REST, as authenticated; null when it came another way. tasks.initiator is what the request says.';
comment on column tasker.task_contexts.trace_parent is 'The trace that the task was asked for in, as W3C Trace Context has it in the header traceparent.';

create table tasker.task_search_attributes (
  task_uuid uuid         not null,
  name      varchar(63)  not null,
  value     varchar(256) not null,
  primary key (task_uuid, name)
);
comment on table tasker.task_search_attributes is 'The values of contexts by which tasks are found: what write_search_attributes took out of task_contexts.';
comment on column tasker.task_search_attributes.name is 'One of the names in named_tasks.search_attributes.';
comment on column tasker.task_search_attributes.value is 'The value under the path of the name: a string without quotes, a number, true or false. What is missing or null has no row.';
-- In the order in which list_tasks gives pages.
create index task_search_attributes_value_idx on tasker.task_search_attributes (name, value, task_uuid desc);

create table tasker.task_wakeups (
  task_uuid uuid        primary key,
  wake_at   timestamptz not null)
with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_vacuum_cost_limit = 2000);
comment on table tasker.task_wakeups is
  'When somebody is to look at a task again even if nothing happens; there is a row exactly while the task can move by itself.';
create index task_wakeups_wake_at_idx on tasker.task_wakeups (wake_at);

create table tasker.workflow_steps (
  workflow_step_uuid      uuid        primary key,
  task_uuid               uuid        not null,
  named_step_uuid         uuid        not null,
  leased_by               uuid,
  created_at              timestamptz not null default now(),
  enqueued_at             timestamptz,
  last_attempted_at       timestamptz,
  lease_expires_at        timestamptz,
  last_failure_at         timestamptz,
  next_retry_at           timestamptz,
  completed_at            timestamptz,
  state                   tasker.step_state not null default 'pending',
  step_position           int         not null,
  transition_count        int         not null,
  total_parents           int         not null,
  remaining_parents       int         not null,
  result_sort_key         int,
  backoff_request_seconds int,
  handoffs                int         not null default 0,
  attempts                int         not null default 0,
  attempts_before_reset   int         not null default 0,
  max_attempts            int         not null,
  retryable               boolean     not null,
  is_limited              boolean     not null default false,
  name                    varchar(128),
  constraint one_step_per_task_and_position unique (task_uuid, step_position),
  constraint parents_are_counted check (remaining_parents between 0 and total_parents),
  constraint leased_iff_in_progress check ((lease_expires_at is not null) = (state = 'in_progress')),
  constraint retry_time_iff_waiting check ((next_retry_at is not null) = (state = 'waiting_for_retry')),
  constraint completed_at_iff_finished check
    ((completed_at is not null) = (state in ('complete', 'error', 'cancelled', 'resolved_manually'))),
  constraint started_means_parents_are_done check
    (remaining_parents = 0 or state in ('pending', 'cancelled', 'error', 'complete', 'resolved_manually')),
  constraint attempts_are_not_negative check (attempts >= 0 and max_attempts >= 0),
  constraint attempts_were_handed_off check (attempts <= handoffs),
  constraint reset_is_behind check (attempts_before_reset between 0 and attempts))
with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_cost_limit = 2000, autovacuum_analyze_scale_factor = 0.05);
comment on table tasker.workflow_steps is 'One node of a task''s DAG. state is the truth, moved by compare-and-set; workflow_step_transitions is its history.';
comment on column tasker.workflow_steps.leased_by is 'The server that claimed the step: audit and heartbeat, never a permission.';
comment on column tasker.workflow_steps.remaining_parents is 'Parents that are neither complete nor resolved manually; a cached count, checked against a recount.';
comment on column tasker.workflow_steps.result_sort_key is 'sort_key of the row in workflow_step_result_audit that holds the current result.';
comment on column tasker.workflow_steps.backoff_request_seconds is 'The wait before the next attempt, as last decided, rounded up to seconds.';
comment on column tasker.workflow_steps.handoffs is
  'Number of the latest handoff, 0 before the first. It never goes back and fences every call about the step.';
comment on column tasker.workflow_steps.attempts is
  'Number of the latest attempt that ran, failed or is under way: what the retry budget and the backoff count. A handoff that is given back unstarted keeps it.';
comment on column tasker.workflow_steps.attempts_before_reset is
  'Attempts that an operator has forgiven: max_attempts and backoff count from here. attempts itself goes on from where it was.';
comment on column tasker.workflow_steps.is_limited is 'Copied from the template: the handoff asks for slots first.';
comment on column tasker.workflow_steps.name is
  'The name of a step that add_steps added; null for one that the task began with, whose name is that of its template''s step.';
-- Partial, so that a task that does not grow writes nothing into it: docs/adr/0031.
create unique index one_name_per_added_step on tasker.workflow_steps (task_uuid, name) where name is not null;

create table tasker.workflow_step_edges (
  from_step_uuid uuid        not null,
  to_step_uuid   uuid        not null,
  task_uuid      uuid        not null,
  name           varchar(32) not null default 'provides',
  primary key (from_step_uuid, to_step_uuid),
  constraint no_step_depends_on_itself check (from_step_uuid <> to_step_uuid));
comment on table tasker.workflow_step_edges is 'Parent to child dependencies between two steps of one task.';
create index workflow_step_edges_to_step_uuid_idx on tasker.workflow_step_edges (to_step_uuid);

create table tasker.workflow_step_documents (
  workflow_step_uuid uuid   primary key references tasker.workflow_steps on delete cascade,
  task_uuid          uuid   not null,
  inputs             jsonb,
  checkpoint         jsonb,
  document_hash      bigint not null);
comment on table tasker.workflow_step_documents is 'Inputs of its own and the latest checkpoint, for the steps that have any.';
comment on column tasker.workflow_step_documents.document_hash is 'hash_documents(inputs, checkpoint), as they were written last.';

create table tasker.workflow_step_result_audit (
  workflow_step_uuid uuid        not null,
  sort_key           int         not null,
  task_uuid          uuid        not null,
  worker_uuid        uuid,
  recorded_at        timestamptz not null default now(),
  execution_time_ms  bigint,
  handoff            int         not null,
  attempt            int         not null,
  outcome            tasker.step_outcome not null,
  success            boolean     not null generated always as (outcome in ('success', 'manual_completion')) stored,
  result             jsonb,
  error              jsonb,
  document_hash      bigint      not null,
  primary key (workflow_step_uuid, sort_key),
  constraint failure_has_an_error check (outcome not in ('retryable_failure', 'permanent_failure') or error is not null));
comment on table tasker.workflow_step_result_audit is
  'One row per recorded result, written once: the transition it belongs to is (workflow_step_uuid, sort_key).';
comment on column tasker.workflow_step_result_audit.handoff is 'The handoff that the result is of, 0 when an operator completed the step before its first.';
comment on column tasker.workflow_step_result_audit.document_hash is 'hash_documents(result, error), as they were inserted.';
