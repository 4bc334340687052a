-- breaking-change: no
-- History: append-only, in the same transaction as the move it tells of, by month so that old months can be dropped.
-- It has no foreign keys: dropping a month must not look at it row by row; check_history() finds orphans.
-- created_at is read off the clock when the row is written, under the lock that orders the moves of a task. now() would be
-- the start of the transaction, and one that waited for that lock would date its moves before those it waited for.

create table tasker.task_transitions (
  task_uuid      uuid        not null,
  sort_key       int         not null,
  from_state     tasker.task_state,
  to_state       tasker.task_state not null,
  actor          tasker.actor not null,
  processor_uuid uuid,
  created_at     timestamptz not null default clock_timestamp(),
  metadata       jsonb,
  primary key (task_uuid, sort_key, created_at))
partition by range (created_at);
comment on table tasker.task_transitions is 'History of tasks.state, one row per move; sort_key counts from 1 per task.';
comment on column tasker.task_transitions.processor_uuid is 'Which server made the move: audit only, in no WHERE clause.';

create table tasker.workflow_step_transitions (
  workflow_step_uuid uuid        not null,
  sort_key           int         not null,
  task_uuid          uuid        not null,
  from_state         tasker.step_state,
  to_state           tasker.step_state not null,
  actor              tasker.actor not null,
  attempt            smallint    not null,
  processor_uuid     uuid,
  created_at         timestamptz not null default clock_timestamp(),
  metadata           jsonb,
  primary key (workflow_step_uuid, sort_key, created_at))
partition by range (created_at);
comment on table tasker.workflow_step_transitions is 'History of workflow_steps.state, one row per move; sort_key counts from 1 per step.';

create table tasker.task_transitions_default partition of tasker.task_transitions default;
create table tasker.workflow_step_transitions_default partition of tasker.workflow_step_transitions default;

create table tasker.task_transition_rules (
  from_state tasker.task_state,
  to_state   tasker.task_state not null,
  actor      tasker.actor      not null,
  meaning    text              not null,
  constraint one_rule_per_task_move unique nulls not distinct (from_state, to_state, actor));
comment on table tasker.task_transition_rules is 'The moves a task may make, and who may make them; from_state null is creation.';

create table tasker.workflow_step_transition_rules (
  from_state tasker.step_state,
  to_state   tasker.step_state not null,
  actor      tasker.actor      not null,
  meaning    text              not null,
  constraint one_rule_per_step_move unique nulls not distinct (from_state, to_state, actor));
comment on table tasker.workflow_step_transition_rules is 'The moves a step may make, and who may make them; from_state null is creation.';

insert into tasker.task_transition_rules (from_state, to_state, actor, meaning) values
  (null, 'pending', 'orchestrator', 'created'),
  ('pending', 'initializing', 'orchestrator', 'started'),
  ('pending', 'error', 'orchestrator', 'the context does not fit the input schema'),
  ('initializing', 'enqueuing_steps', 'orchestrator', 'ready steps found'),
  ('initializing', 'waiting_for_dependencies', 'orchestrator', 'nothing can be enqueued yet'),
  ('enqueuing_steps', 'steps_in_process', 'orchestrator', 'steps enqueued'),
  ('steps_in_process', 'evaluating_results', 'orchestrator', 'nothing is in flight any more'),
  ('evaluating_results', 'complete', 'orchestrator', 'every step is complete or resolved'),
  ('evaluating_results', 'enqueuing_steps', 'orchestrator', 'more steps are ready'),
  ('evaluating_results', 'waiting_for_dependencies', 'orchestrator', 'nothing can be enqueued yet'),
  ('evaluating_results', 'waiting_for_retry', 'orchestrator', 'only delayed retries remain'),
  ('evaluating_results', 'blocked_by_failures', 'orchestrator', 'a step failed for good'),
  ('evaluating_results', 'cancelled', 'orchestrator', 'a cancel was requested and nothing is in flight'),
  ('waiting_for_dependencies', 'evaluating_results', 'orchestrator', 'looked at again'),
  ('waiting_for_retry', 'evaluating_results', 'orchestrator', 'looked at again'),
  ('blocked_by_failures', 'evaluating_results', 'orchestrator', 'an operator acted on a step'),
  ('blocked_by_failures', 'error', 'operator', 'given up'),
  ('blocked_by_failures', 'resolved_manually', 'operator', 'closed by a person'),
  ('error', 'resolved_manually', 'operator', 'closed by a person'),
  ('error', 'evaluating_results', 'operator', 'retried by a person'),
  ('pending', 'cancelled', 'orchestrator', 'cancelled before it started');

insert into tasker.workflow_step_transition_rules (from_state, to_state, actor, meaning) values
  (null, 'pending', 'orchestrator', 'created'),
  ('pending', 'enqueued', 'orchestrator', 'handoff: offered to the workers'),
  ('waiting_for_retry', 'enqueued', 'orchestrator', 'handoff of a retry that is due'),
  ('enqueued', 'in_progress', 'worker', 'claimed'),
  ('in_progress', 'enqueued_for_orchestration', 'worker', 'result submission of a success'),
  ('in_progress', 'enqueued_as_error_for_orchestration', 'worker', 'result submission of a failure'),
  ('in_progress', 'cancelled', 'worker', 'the handler stopped on a cancel request'),
  ('in_progress', 'pending', 'worker', 'given back before it was started'),
  ('enqueued_for_orchestration', 'complete', 'orchestrator', 'success accepted'),
  ('enqueued_as_error_for_orchestration', 'waiting_for_retry', 'orchestrator', 'will be tried again'),
  ('enqueued_as_error_for_orchestration', 'error', 'orchestrator', 'failed for good'),
  ('enqueued_as_error_for_orchestration', 'cancelled', 'orchestrator', 'would be tried again, but a cancel was requested'),
  ('pending', 'cancelled', 'orchestrator', 'cancelled before the handoff'),
  ('enqueued', 'cancelled', 'orchestrator', 'offer revoked by a cancel'),
  ('waiting_for_retry', 'cancelled', 'orchestrator', 'cancelled before its retry'),
  ('pending', 'error', 'orchestrator', 'cannot be handed off'),
  ('enqueued', 'pending', 'recovery', 'offer not claimed in time'),
  ('enqueued', 'error', 'recovery', 'offer not claimed in time, no attempt left'),
  ('in_progress', 'pending', 'recovery', 'lease expired'),
  ('in_progress', 'error', 'recovery', 'lease expired, no attempt left'),
  ('in_progress', 'cancelled', 'recovery', 'lease expired after a cancel request'),
  ('error', 'pending', 'operator', 'reset for retry'),
  ('error', 'complete', 'operator', 'completed by a person'),
  ('error', 'resolved_manually', 'operator', 'closed by a person'),
  ('pending', 'complete', 'operator', 'completed by a person'),
  ('pending', 'resolved_manually', 'operator', 'closed by a person'),
  ('waiting_for_retry', 'pending', 'operator', 'reset for retry'),
  ('waiting_for_retry', 'complete', 'operator', 'completed by a person'),
  ('waiting_for_retry', 'resolved_manually', 'operator', 'closed by a person');

create table tasker.tasks_dlq (
  dlq_entry_uuid       uuid         primary key default tasker.uuid_v7(),
  task_uuid            uuid         not null references tasker.tasks on delete cascade,
  original_state       tasker.task_state not null,
  dlq_reason           tasker.dlq_reason not null,
  dlq_timestamp        timestamptz  not null default now(),
  resolution_status    tasker.dlq_resolution_status not null default 'pending',
  resolution_timestamp timestamptz,
  resolution_notes     text,
  resolved_by          varchar(255),
  task_snapshot        jsonb        not null,
  metadata             jsonb,
  created_at           timestamptz  not null default now(),
  updated_at           timestamptz  not null default now(),
  constraint resolved_iff_not_pending check ((resolution_timestamp is null) = (resolution_status = 'pending')));
comment on table tasker.tasks_dlq is 'Dead letters: records for an investigation about a task; they never move it.';
create unique index one_open_investigation_per_task on tasker.tasks_dlq (task_uuid) where resolution_status = 'pending';
create index tasks_dlq_task_uuid_idx on tasker.tasks_dlq (task_uuid);

create unlogged table tasker.servers (
  server_uuid      uuid        primary key,
  name             varchar(255) not null,
  roles            text[]      not null,
  registered_at    timestamptz not null default now(),
  lease_expires_at timestamptz not null,
  draining         boolean     not null default false,
  capacity         int         not null default 0,
  running          int         not null default 0);
comment on table tasker.servers is
  'Who is there: one row per boot of a server, renewed by its heartbeat. Unlogged: after a crash of the database every server registers again.';
