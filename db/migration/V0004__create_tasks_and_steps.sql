-- The hot rows: narrow, with free space on the page and no index on a column that a state change
-- updates, so that a move is a HOT update. Documents (context, inputs, results) have tables of
-- their own and are written once. Autovacuum runs early on these tables: they have few dead rows,
-- but many queries read them.
--
-- No foreign keys between these tables: each costs a look-up and a row lock per new row, and all
-- submissions of a template would lock the same row of named_tasks. submit_tasks and create_steps
-- insert rows only from the rows that they refer to, delete_rows_of_tasks cascades a delete,
-- check_history() finds orphaned rows: docs/adr/0009.
--
-- A batch moves neighbouring rows together: two versions of each step and one of each task must fit
-- on their page before the old ones can be pruned, hence the fill factors (at 70 % a fifth to a
-- third of the moves found no space): docs/adr/0010.

create table tasker.tasks (
  task_uuid             uuid        primary key,
  named_task_uuid       uuid        not null,
  correlation_id        uuid        not null,
  parent_correlation_id uuid,
  parent_task_uuid      uuid,
  parent_step_uuid      uuid,
  replaced_by_task_uuid uuid,
  replaces_task_uuid    uuid,
  compensates_task_uuid uuid,
  created_at            timestamptz not null default now(),
  requested_at          timestamptz not null default now(),
  completed_at          timestamptz,
  cancel_requested_at   timestamptz,
  cancel_force_at       timestamptz,
  sla_breached_at       timestamptz,
  timed_out_at          timestamptz,
  erased_at             timestamptz,
  start_at              timestamptz,
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
  is_keyed              boolean     not null,
  is_delayed            boolean     not null default false,
  cancel_children       boolean,
  has_output            boolean,
  publishes_events      boolean,
  cancel_policy         tasker.cancel_policy,
  compensation          tasker.compensation_cause,
  identity_hash         bytea,
  former_identity_hash  bytea,
  initiator             varchar(128),
  source_system         varchar(128),
  reason                varchar(1000),
  cancel_requested_by   varchar(160),
  cancel_claimed_actor  varchar(128),
  cancel_reason         varchar(1000),
  tags                  jsonb)
with (fillfactor = 34, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_vacuum_cost_limit = 2000, autovacuum_analyze_scale_factor = 0.05);
comment on table tasker.tasks is
  'One run of a template. state is authoritative, moved by compare-and-set; task_transitions is '
  'its history.';
comment on column tasker.tasks.parent_task_uuid is
  'The task on whose behalf this one was submitted; a cancel of the parent may include this task.';
comment on column tasker.tasks.parent_step_uuid is
  'The step of parent_task_uuid that waits for this task; null for a task that no step has '
  'submitted.';
comment on column tasker.tasks.has_output is
  'True when the template has an output, which is stored at the end; null otherwise, which costs '
  'a row nothing.';
comment on column tasker.tasks.replaced_by_task_uuid is
  'The task that has taken over the identity of this one, which has ended and cannot be restarted.';
comment on column tasker.tasks.replaces_task_uuid is
  'The ended task whose identity this one took over.';
comment on column tasker.tasks.compensates_task_uuid is
  'The ended child task whose steps this one compensates; it consists of that compensation from '
  'its beginning. Null for every other task.';
comment on column tasker.tasks.cancel_requested_at is
  'The time of a cancel request, which is not a state: no step starts after it.';
comment on column tasker.tasks.cancel_force_at is
  'When recovery ends running steps that a cancel request asked to stop.';
comment on column tasker.tasks.sla_breached_at is
  'When the engine detected that the task exceeded lifecycle.sla_minutes; since then claim_order '
  'is lower by 100 points.';
comment on column tasker.tasks.timed_out_at is
  'When the engine ended the task because it exceeded lifecycle.max_duration; a task restarted '
  'after that has no such limit any more.';
comment on column tasker.tasks.erased_at is
  'When erase_documents emptied the documents of the task, which has ended and does not move any '
  'more; null for every other task, which costs a row nothing.';
comment on column tasker.tasks.claim_order is
  'The creation time in milliseconds since the epoch, less one minute per point of priority: '
  'steps of a lower value are claimed earlier. Lowered once, when the SLA is breached.';
comment on column tasker.tasks.transition_count is 'sort_key of the latest history row.';
comment on column tasker.tasks.unfinished_steps is
  'Steps that are neither complete nor resolved manually.';
comment on column tasker.tasks.in_flight_steps is
  'Steps in enqueued, in_progress or one of the two submitted states.';
comment on column tasker.tasks.failed_steps is 'Steps in error.';
comment on column tasker.tasks.retrying_steps is 'Steps in waiting_for_retry.';
comment on column tasker.tasks.is_limited is
  'Copied from the template, so that policies cost nothing for other tasks.';
comment on column tasker.tasks.context_checked is
  'False while a server still has to validate the context against the input schema; such a task '
  'is not started.';
comment on column tasker.tasks.is_keyed is 'Whether the request had an idempotency key.';
comment on column tasker.tasks.publishes_events is
  'Whether the template publishes the ends of its tasks; null for no.';
comment on column tasker.tasks.compensation is
  'Why its completed steps are compensated; null for every other task, which costs a row nothing. '
  'Its counters then count the compensating steps only.';
comment on column tasker.tasks.cancel_children is
  'Whether the cancel request includes the child tasks.';
comment on column tasker.tasks.start_at is
  'When the request wanted the task to start; null: at once.';
comment on column tasker.tasks.is_delayed is
  'True until start_at, when an orchestrator starts the task.';
comment on column tasker.tasks.identity_hash is
  'SHA-256 over the identity of the request; null when every request creates a new task, and when '
  'a later task has taken over the identity.';
comment on column tasker.tasks.former_identity_hash is
  'The identity_hash of this task until a later one took it over.';
comment on column tasker.tasks.cancel_claimed_actor is
  'The name that the request claimed, when cancel_requested_by is the authenticated caller.';
create unique index tasks_identity_hash_key on tasker.tasks (
  identity_hash) where identity_hash is not null;
create index tasks_correlation_id_idx on tasker.tasks (correlation_id);
create index tasks_parent_correlation_id_idx on tasker.tasks (
  parent_correlation_id) where parent_correlation_id is not null;
create index tasks_named_task_uuid_idx on tasker.tasks (named_task_uuid, task_uuid);
create index tasks_unchecked_idx on tasker.tasks (task_uuid) where not context_checked;
create unique index one_compensation_per_child on tasker.tasks (
  compensates_task_uuid) where compensates_task_uuid is not null;
create index tasks_parent_task_uuid_idx on tasker.tasks (
  parent_task_uuid) where parent_task_uuid is not null;

create table tasker.task_contexts (
  task_uuid     uuid   primary key,
  context       jsonb  not null,
  document_hash bigint not null,
  submitted_by  varchar(160),
  trace_parent  varchar(55));
comment on table tasker.task_contexts is 'The JSON given at creation, written once.';
comment on column tasker.task_contexts.document_hash is
  'hash_documents(context, submitted_by) when they were written.';
comment on column tasker.task_contexts.submitted_by is
  'The authenticated caller that submitted the task over REST; null otherwise. tasks.initiator is '
  'the name that the request claimed.';
comment on column tasker.task_contexts.trace_parent is
  'The trace of the request, a W3C Trace Context traceparent.';

create table tasker.task_search_attributes (
  task_uuid uuid         not null,
  name      varchar(63)  not null,
  value     varchar(256) not null,
  primary key (task_uuid, name)
);
comment on table tasker.task_search_attributes is
  'The values of contexts by which list_tasks finds tasks; write_search_attributes extracts them '
  'from task_contexts.';
comment on column tasker.task_search_attributes.name is
  'One of the names in named_tasks.search_attributes.';
comment on column tasker.task_search_attributes.value is
  'The value under the path of the name: a string without quotes, a number, true or false. A '
  'missing or null value has no row.';
-- In the order in which list_tasks gives pages.
create index task_search_attributes_value_idx on tasker.task_search_attributes (
  name, value, task_uuid desc);

create table tasker.task_wakeups (
  task_uuid uuid        primary key,
  wake_at   timestamptz not null)
with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_vacuum_cost_limit = 2000);
comment on table tasker.task_wakeups is
  'When a server evaluates a task at the latest; a row exists exactly while the task is neither '
  'terminal nor blocked.';
create index task_wakeups_wake_at_idx on tasker.task_wakeups (wake_at);

-- An update logs a row from the first byte that it changes to the last, so what changes together
-- stands together, between what never does.
create table tasker.workflow_steps (
  workflow_step_uuid      uuid        primary key,
  task_uuid               uuid        not null,
  named_step_uuid         uuid        not null,
  created_at              timestamptz not null default now(),
  step_position           int         not null,
  total_parents           int         not null,
  max_attempts            int         not null,
  attempts_before_reset   int         not null default 0,
  leased_by               uuid,
  enqueued_at             timestamptz,
  last_attempted_at       timestamptz,
  lease_expires_at        timestamptz,
  completed_at            timestamptz,
  next_retry_at           timestamptz,
  last_failure_at         timestamptz,
  state                   tasker.step_state not null default 'pending',
  transition_count        int         not null,
  result_sort_key         int,
  handoffs                int         not null default 0,
  attempts                int         not null default 0,
  remaining_parents       int         not null,
  backoff_request_seconds int,
  retryable               boolean     not null,
  is_limited              boolean     not null default false,
  is_decision             boolean     not null default false,
  is_automatic            boolean     not null default false,
  is_batchable            boolean,
  batch_step_uuid         uuid,
  publishes_events        boolean,
  idempotency_resets      int,
  compensates_step_uuid   uuid,
  name                    varchar(128),
  constraint one_step_per_task_and_position unique (task_uuid, step_position))
with (fillfactor = 32, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_cost_limit = 2000, autovacuum_analyze_scale_factor = 0.05);
comment on table tasker.workflow_steps is
  'One node of a task''s DAG. state is authoritative, moved by compare-and-set; '
  'workflow_step_transitions is its history.';
comment on column tasker.workflow_steps.leased_by is
  'The worker that claimed the step: for audit and heartbeat only, it grants no rights.';
comment on column tasker.workflow_steps.remaining_parents is
  'Number of parents that are neither complete nor resolved manually; a cached count, which '
  'check_history compares with a recount.';
comment on column tasker.workflow_steps.result_sort_key is
  'sort_key of the row in workflow_step_result_audit that holds the current result.';
comment on column tasker.workflow_steps.backoff_request_seconds is
  'The latest wait before a retry, rounded up to seconds.';
comment on column tasker.workflow_steps.handoffs is
  'Number of the latest handoff, 0 before the first. It never decreases and fences every call '
  'about the step.';
comment on column tasker.workflow_steps.attempts is
  'Number of the latest attempt that ran, failed or is in progress; the retry budget and the '
  'backoff count it. A handoff that is released unstarted does not consume it.';
comment on column tasker.workflow_steps.attempts_before_reset is
  'Number of attempts before the latest reset by an operator: max_attempts and backoff count from '
  'here; attempts itself continues.';
comment on column tasker.workflow_steps.idempotency_resets is
  'How often an operator gave the step a new idempotency token, see format_idempotency_token; '
  'null for never.';
comment on column tasker.workflow_steps.is_limited is
  'Copied from the template: the handoff requests slots first.';
comment on column tasker.workflow_steps.is_decision is
  'Copied from the template: its completion creates the steps that it chose.';
comment on column tasker.workflow_steps.is_automatic is
  'Copied from the template: it has no handler, or it waits; once its parents are done, the '
  'engine completes it, or arms its wait.';
-- Null costs a row nothing, false a byte.
comment on column tasker.workflow_steps.is_batchable is
  'True for a batchable step: its completion makes the batches; null for every other.';
comment on column tasker.workflow_steps.publishes_events is
  'True: the template has domain events for results of the step; null for every other.';
comment on column tasker.workflow_steps.batch_step_uuid is
  'Of a batch worker: the step of the template that stands for its batch; null for every other.';
comment on column tasker.workflow_steps.name is
  'The name of a step that add_steps added; null for an initial step, which has the name of its '
  'template''s step.';
comment on column tasker.workflow_steps.compensates_step_uuid is
  'Of a compensating step: the step of the same task whose effect it undoes; null for every other.';
-- Partial, so that a task without added steps has no entry: docs/adr/0031.
create unique index one_name_per_added_step on tasker.workflow_steps (
  task_uuid, name) where name is not null;

create table tasker.added_step_edges (
  task_uuid     uuid not null,
  from_position int  not null,
  to_position   int  not null,
  primary key (task_uuid, from_position, to_position));
comment on table tasker.added_step_edges is
  'Parent to child dependencies that a task has beside those of its template: of the steps that '
  'decisions, batches, add_steps and compensations added. The view workflow_step_edges has all.';
comment on column tasker.added_step_edges.from_position is 'step_position of the parent.';
create index added_step_edges_to_position_idx on tasker.added_step_edges (task_uuid, to_position);

create table tasker.decision_outcomes (
  workflow_step_uuid uuid        primary key,
  task_uuid          uuid        not null,
  decided_at         timestamptz not null default now(),
  handoff            int         not null,
  depth              int         not null,
  chosen             text[]      not null,
  reason             varchar(5000),
  created_steps      int,
  constraint depth_is_positive check (depth > 0),
  constraint created_is_not_negative check (created_steps >= 0));
comment on table tasker.decision_outcomes is
  'What each decision chose, one row for each that was made.';
comment on column tasker.decision_outcomes.handoff is
  'The handoff whose result chose; 0 for a decision by rules, or by an operator before the first.';
comment on column tasker.decision_outcomes.depth is
  'How many decisions lead to this one, itself included.';
comment on column tasker.decision_outcomes.chosen is
  'The names of the steps that it chose, in its order.';
comment on column tasker.decision_outcomes.reason is
  'The rule that chose, or how an operator did; null for a handler.';
comment on column tasker.decision_outcomes.created_steps is
  'How many steps its completion created, those that follow from the chosen ones included; null '
  'until the completion.';
create index decision_outcomes_task_uuid_idx on tasker.decision_outcomes (task_uuid);

create table tasker.task_compensations (
  task_uuid      uuid        primary key,
  cause          tasker.compensation_cause not null,
  state          tasker.compensation_state not null,
  asked_at       timestamptz not null,
  began_at       timestamptz,
  ended_at       timestamptz,
  planned_steps  int,
  asked_by       varchar(160),
  reason         varchar(1000),
  cancel_request jsonb,
  constraint began_iff_planned check (
    (began_at is null) = (state = 'asked') and (planned_steps is null) = (began_at is null)),
  constraint ended_iff_over check ((ended_at is null) = (state in ('asked', 'running'))),
  constraint only_a_cancel_asks_ahead check (state <> 'asked' or cause = 'cancel'),
  constraint request_is_of_a_cancel check (cancel_request is null or cause = 'cancel'));
comment on table tasker.task_compensations is
  'The compensation of a task, one row at most: why, on whose behalf, and how it went.';
comment on column tasker.task_compensations.planned_steps is
  'How many steps were added that compensate others; null until then.';
comment on column tasker.task_compensations.asked_by is
  'Who asked for it; null when the template did.';
comment on column tasker.task_compensations.cancel_request is
  'The request of a cancel while its compensation runs: the task has none then, so that it '
  'accepts handoffs; the end of the task gives it back.';

create table tasker.step_waits (
  wait_uuid          uuid        primary key default tasker.uuid_v7(),
  task_uuid          uuid        not null,
  workflow_step_uuid uuid        not null,
  kind               tasker.wait_kind not null,
  state              tasker.wait_state not null default 'open',
  armed_at           timestamptz not null,
  due_at             timestamptz,
  ended_at           timestamptz,
  signal_name        varchar(64),
  child_task_uuid    uuid,
  attempt            int,
  constraint ended_iff_not_open check ((ended_at is null) = (state = 'open')),
  constraint ends_after_it_was_armed check (ended_at >= armed_at),
  constraint timer_has_a_time check (kind <> 'timer' or due_at is not null),
  constraint times_are_finite check (isfinite(due_at) and isfinite(armed_at)),
  constraint name_iff_signal check ((signal_name is not null) = (kind = 'signal')),
  constraint child_iff_child check ((child_task_uuid is not null) = (kind = 'child')),
  constraint attempt_iff_child check (
    (attempt > 0) is not distinct from (case when kind in ('child', 'child_retry') then true end)),
  constraint retry_has_a_time check (kind <> 'child_retry' or due_at is not null),
  constraint timer_is_not_early check (
    kind <> 'timer' or state <> 'satisfied' or ended_at >= due_at),
  constraint time_out_is_not_early check (
    state not in ('timed_out', 'defaulted') or ended_at >= due_at));
comment on table tasker.step_waits is
  'What steps wait for after their parents, one row each time that a wait is armed. A step with '
  'an open wait stays pending.';
comment on column tasker.step_waits.due_at is
  'When the timer fires, the next child is submitted, or the wait for a signal or a child times '
  'out; null: it waits without a limit.';
comment on column tasker.step_waits.child_task_uuid is 'The child task that the step waits for.';
comment on column tasker.step_waits.attempt is
  'Of a wait for a child: which attempt of the step it is, 1 after a reset. Of the pause before a '
  'retry: the attempt that follows.';
-- With the task first: while statistics are young, the planner would read all open waits for those
-- of a task.
create unique index one_open_wait_per_step on tasker.step_waits (
  task_uuid, workflow_step_uuid) where state = 'open';
create index step_waits_task_uuid_idx on tasker.step_waits (task_uuid, workflow_step_uuid);

create table tasker.approvals (
  approval_uuid      uuid        primary key,
  task_uuid          uuid        not null,
  workflow_step_uuid uuid        not null,
  created_at         timestamptz not null,
  due_at             timestamptz,
  escalated_at       timestamptz,
  claimed_at         timestamptz,
  claim_ends_at      timestamptz,
  ended_at           timestamptz,
  state              tasker.approval_state not null default 'open',
  is_four_eyes       boolean     not null,
  namespace_name     varchar(29) not null,
  title              varchar(300) not null,
  claimed_by         varchar(160),
  assigned_by        varchar(160),
  decided_by         varchar(160),
  candidate_roles    text[]      not null,
  candidate_users    text[]      not null,
  escalation_roles   text[]      not null,
  escalation_users   text[]      not null,
  initiators         text[]      not null,
  shown              jsonb       not null,
  form_values        jsonb,
  decision_comment   varchar(1000),
  document_hash      bigint      not null,
  constraint ended_iff_not_open check ((ended_at is null) = (state = 'open')),
  constraint ends_after_it_was_made check (ended_at >= created_at),
  constraint claim_is_whole check (
    (claimed_by is null) = (claimed_at is null)
    and (assigned_by is null or claimed_by is not null)),
  constraint claim_end_is_of_a_claim check (claim_ends_at is null or claimed_by is not null),
  constraint decided_iff_approved_or_rejected check (
    (state in ('approved', 'rejected')) = (decided_by is not null and form_values is not null)),
  constraint comment_is_of_a_decision check (decision_comment is null or decided_by is not null),
  constraint documents_are_objects check (
    jsonb_typeof(shown) = 'object'
    and (form_values is null or jsonb_typeof(form_values) = 'object')));
comment on table tasker.approvals is
  'What users are asked to approve or reject, one row for each wait of kind approval. Its '
  'decision is the result of its step.';
comment on column tasker.approvals.approval_uuid is 'The wait_uuid of its wait.';
comment on column tasker.approvals.due_at is
  'That of its wait: when it is escalated or expires; null: neither.';
comment on column tasker.approvals.claimed_by is
  'The only candidate who may decide for now; null: every candidate may.';
comment on column tasker.approvals.claim_ends_at is
  'When the claim lapses, so that every candidate may decide again.';
comment on column tasker.approvals.assigned_by is
  'Who delegated it to claimed_by; null when claimed_by claimed it.';
comment on column tasker.approvals.candidate_users is
  'Names in lower case, as histories have them.';
comment on column tasker.approvals.escalation_roles is
  'The candidates when it is due, instead of the others or besides them.';
comment on column tasker.approvals.initiators is
  'The persons on whose behalf the task was submitted, who may not decide; empty unless '
  'is_four_eyes.';
comment on column tasker.approvals.shown is
  'What the template shows to those who decide: the value of its mapping show.';
comment on column tasker.approvals.form_values is
  'The values of the form that came with the decision.';
comment on column tasker.approvals.document_hash is
  'hash_approval of the latest write: what is asked of whom, and the decision.';
-- In the order of the inbox: of one namespace, and of all.
create index approvals_inbox_idx on tasker.approvals (
  namespace_name, coalesce(due_at, 'infinity'), approval_uuid) where state = 'open';
create index approvals_due_idx on tasker.approvals (
  coalesce(due_at, 'infinity'), approval_uuid) where state = 'open';
create index approvals_task_uuid_idx on tasker.approvals (task_uuid);

create table tasker.approval_events (
  approval_uuid uuid        not null,
  number        int         not null,
  task_uuid     uuid        not null,
  happened_at   timestamptz not null,
  event         tasker.approval_event not null,
  acted_by      varchar(160),
  given_to      varchar(160),
  note          varchar(1000),
  primary key (approval_uuid, number),
  constraint numbers_count_from_one check (number > 0),
  constraint delegated_iff_given check ((event = 'delegated') = (given_to is not null)));
comment on table tasker.approval_events is 'What happened to approvals, in its order.';
comment on column tasker.approval_events.acted_by is 'Null for what the engine did.';
create index approval_events_task_uuid_idx on tasker.approval_events (task_uuid);

create table tasker.task_notices (
  notice_uuid uuid        primary key default tasker.uuid_v7(),
  task_uuid   uuid        not null,
  sender_uuid uuid        not null,
  kind        tasker.notice_kind not null,
  sent_at     timestamptz not null default clock_timestamp(),
  details     jsonb);
comment on table tasker.task_notices is
  'What one task has to tell another, which must not be locked together: that a child has ended, '
  'or that it is to be cancelled. A server acts upon each under the lock of its receiver, and '
  'deletes it.';
comment on column tasker.task_notices.task_uuid is
  'The receiver: the parent for child_ended, the child for cancel.';
create index task_notices_task_uuid_idx on tasker.task_notices (task_uuid);

create table tasker.task_outputs (
  task_uuid     uuid   primary key,
  output        jsonb,
  error         jsonb,
  document_hash bigint not null,
  constraint output_or_error check ((output is null) <> (error is null)));
comment on table tasker.task_outputs is
  'The outputs of ended tasks whose template has an output, written once. Others are computed '
  'from the results of the leaves: get_task_output.';
comment on column tasker.task_outputs.error is 'Why there is none: {type, message, details}.';
comment on column tasker.task_outputs.document_hash is
  'hash_documents(output, error) at insertion.';

create table tasker.task_signals (
  signal_uuid   uuid        primary key default tasker.uuid_v7(),
  task_uuid     uuid        not null,
  name          varchar(64) not null,
  number        int         not null,
  signal_id     varchar(128),
  sent_at       timestamptz not null,
  sent_by       varchar(160),
  payload       jsonb       not null,
  document_hash bigint      not null,
  wait_uuid     uuid        unique,
  consumed_at   timestamptz,
  constraint one_signal_per_number unique (task_uuid, number),
  constraint numbers_count_from_one check (number > 0),
  constraint consumed_by_a_wait check ((wait_uuid is null) = (consumed_at is null)));
comment on table tasker.task_signals is
  'Signals that a task received, in the order of their arrival. Each is kept until a wait '
  'consumes it.';
comment on column tasker.task_signals.number is
  'Given under the lock of the task: 1 is the first signal of the task, whatever its name.';
comment on column tasker.task_signals.signal_id is
  'The id that the sender gave it; a second one with the same id and name is a duplicate.';
comment on column tasker.task_signals.document_hash is
  'hash_signal at insertion: the payload, the name, the number, the id, and who sent it when.';
comment on column tasker.task_signals.wait_uuid is
  'The wait that it satisfied; null while no step has consumed it.';
create index task_signals_kept_idx on tasker.task_signals (
  task_uuid, name, number) where wait_uuid is null;
create unique index one_signal_per_id on tasker.task_signals (
  task_uuid, name, signal_id) where signal_id is not null;
-- Inserted by transactions of applications, which hold no lock of the task; the key is in the order
-- of the inserts.
create table tasker.queued_signals (
  queued_uuid   uuid        primary key default tasker.uuid_v7(),
  task_uuid     uuid        not null,
  name          varchar(64) not null,
  signal_id     varchar(128),
  sent_at       timestamptz not null default clock_timestamp(),
  sent_by       varchar(160),
  payload       jsonb       not null,
  refused_at    timestamptz,
  code          varchar(64),
  message       varchar(1000),
  constraint reason_iff_refused check ((refused_at is null) = (code is null)));
comment on table tasker.queued_signals is
  'Signals that a transaction queued and no server has delivered yet, and those that their task '
  'refused; see queue_signal.';
comment on column tasker.queued_signals.sent_at is
  'The sent_at that the signal gets: when it was queued.';
comment on column tasker.queued_signals.code is
  'Why the task refused it, as send_signals calls it.';
create index queued_signals_task_uuid_idx on tasker.queued_signals (task_uuid);
create index queued_signals_undelivered_idx on tasker.queued_signals (
  queued_uuid) where refused_at is null;
create table tasker.batches (
  workflow_step_uuid  uuid        primary key,
  task_uuid           uuid        not null,
  batchable_step_uuid uuid        not null,
  recorded_at         timestamptz not null default now(),
  closed_at           timestamptz,
  handoff             int         not null,
  parallelism         int         not null,
  tolerate            int,
  total_workers       int         not null,
  created_workers     int         not null default 0,
  in_flight_workers   int         not null default 0,
  done_workers        int         not null default 0,
  failed_workers      int         not null default 0,
  cancelled_workers   int         not null default 0,
  first_position      int,
  failure_strategy    varchar(32) not null,
  constraint parallelism_is_kept check (
    in_flight_workers between 0 and parallelism and parallelism > 0),
  constraint workers_are_counted check (
    done_workers >= 0
    and failed_workers >= 0
    and cancelled_workers >= 0
    and created_workers <= total_workers
    and in_flight_workers + done_workers + failed_workers + cancelled_workers <= created_workers),
  constraint closed_means_nothing_in_flight check (closed_at is null or in_flight_workers = 0),
  constraint created_means_placed check (created_workers = 0 or first_position is not null))
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on table tasker.batches is
  'One row for each batchable step that made its batches: what limits their workers, and how many '
  'there are.';
comment on column tasker.batches.workflow_step_uuid is
  'The batch step: the step of type batch_worker of the template, which stands for all of its '
  'workers and is never handed off.';
comment on column tasker.batches.handoff is
  'The handoff of the batchable step whose result made the batches; 0 without a handler, or by an '
  'operator before the first.';
comment on column tasker.batches.closed_at is
  'When the batch step was completed: every worker had ended, or an operator closed it.';
comment on column tasker.batches.parallelism is
  'How many workers may be in flight at once, on all servers together.';
comment on column tasker.batches.tolerate is
  'How many workers may fail before the batch does; null: any number.';
comment on column tasker.batches.total_workers is
  'How many batches there are; fewer workers while not all are created.';
comment on column tasker.batches.done_workers is 'Workers that are complete or resolved manually.';
comment on column tasker.batches.first_position is
  'step_position of the first worker; null until the batch step is ready.';
create index batches_task_uuid_idx on tasker.batches (task_uuid);

create table tasker.batch_items (
  batch_step_uuid uuid   not null,
  ordinal         int    not null,
  item            jsonb  not null,
  document_hash   bigint not null,
  primary key (batch_step_uuid, ordinal));
comment on table tasker.batch_items is
  'What the workers that are still to be created will get; deleted with the creation, which '
  'copies it into their inputs.';
comment on column tasker.batch_items.item is
  'The cursor that the handler returned, or the array of items of one batch.';
comment on column tasker.batch_items.document_hash is 'hash_documents(item) at insertion.';

create table tasker.batch_live_workers (
  task_uuid          uuid        not null,
  workflow_step_uuid uuid        not null,
  batch_step_uuid    uuid        not null,
  due_at             timestamptz,
  primary key (task_uuid, workflow_step_uuid))
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on table tasker.batch_live_workers is
  'Workers of open batches that have been created and have not ended: an evaluation of their task '
  'reads these, however many have ended.';
comment on column tasker.batch_live_workers.due_at is
  'When a worker that waits for a retry or for another handoff may have a free slot; null for one '
  'in flight.';
create index batch_live_workers_due_idx on tasker.batch_live_workers (
  batch_step_uuid, due_at) where due_at is not null;

create table tasker.workflow_step_documents (
  workflow_step_uuid uuid   primary key,
  task_uuid          uuid   not null,
  inputs             jsonb,
  checkpoint         jsonb,
  document_hash      bigint not null,
  yields             int    not null default 0,
  stalled_yields     int    not null default 0,
  yielded_handoff    int,
  constraint yields_are_counted check (
    stalled_yields between 0 and yields and (yields = 0 or yielded_handoff > 0)));
comment on table tasker.workflow_step_documents is
  'The step''s own inputs and its latest checkpoint, for steps that have any.';
comment on column tasker.workflow_step_documents.document_hash is
  'hash_documents(inputs, checkpoint) of the latest write.';
comment on column tasker.workflow_step_documents.yields is
  'How often the step has yielded since its creation or its latest reset by an operator.';
comment on column tasker.workflow_step_documents.stalled_yields is
  'How many of the latest yields in a row had no progress: they asked for no wait and brought no '
  'other checkpoint.';
comment on column tasker.workflow_step_documents.yielded_handoff is
  'The latest handoff that ended in a yield; null before the first.';

-- Without gaps between columns: ten bytes of each result.
create table tasker.workflow_step_result_audit (
  workflow_step_uuid uuid        not null,
  task_uuid          uuid        not null,
  worker_uuid        uuid,
  recorded_at        timestamptz not null default now(),
  execution_time_ms  bigint,
  document_hash      bigint      not null,
  sort_key           int         not null,
  handoff            int         not null,
  attempt            int         not null,
  outcome            tasker.step_outcome not null,
  success            boolean     not null generated always as (
    outcome in ('success', 'manual_completion')) stored,
  may_publish        boolean,
  is_time_measured   boolean,
  result             jsonb,
  error              jsonb,
  primary key (workflow_step_uuid, sort_key));
comment on table tasker.workflow_step_result_audit is
  'One row per recorded result, written once; (workflow_step_uuid, sort_key) identifies its '
  'transition.';
comment on column tasker.workflow_step_result_audit.handoff is
  'The handoff of the result, 0 when an operator completed the step before its first.';
comment on column tasker.workflow_step_result_audit.may_publish is
  'False: no domain event follows from this result, because its step has none or a fork copied '
  'it. Null: publish_events looks at the template.';
comment on column tasker.workflow_step_result_audit.is_time_measured is
  'True: execution_time_ms is the time from the claim to the result, because the worker named '
  'none.';
comment on column tasker.workflow_step_result_audit.document_hash is
  'hash_documents(result, error) at insertion.';

create table tasker.task_forks (
  task_uuid        uuid        primary key,
  source_task_uuid uuid        not null,
  forked_at        timestamptz not null,
  from_steps       text[]      not null,
  copied_steps     int         not null,
  constraint not_its_own_source check (task_uuid <> source_task_uuid),
  constraint runs_from_a_step check (cardinality(from_steps) > 0),
  constraint copied_is_not_negative check (copied_steps >= 0));
comment on table tasker.task_forks is
  'Tasks that were made from another one. The source may have been deleted since.';
comment on column tasker.task_forks.from_steps is
  'The steps from which on the fork runs again, as the request named them.';
comment on column tasker.task_forks.copied_steps is
  'How many steps were done from the start, with the results of the source.';
create index task_forks_source_task_uuid_idx on tasker.task_forks (source_task_uuid, forked_at);
