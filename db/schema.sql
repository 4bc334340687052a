-- Schema tasker as the migrations make it, for readers: nothing runs this file. Columns,
-- constraints and indexes come from db/migration, functions from db/routine/<room>. Made by
-- SchemaDump from the catalogue; SchemaDumpTest fails when it differs. Written anew by
--   ./mvnw test -pl src -am -Dtest=SchemaDumpTest -Dschema.write=true
-- Not here: the monthly partitions of the two transition tables, and schema pgmq, which may
-- be an extension.


-- Types
-- -----
create type tasker.actor as enum ('orchestrator', 'worker', 'recovery', 'operator');
create type tasker.approval_event as enum ('made', 'claimed', 'unclaimed', 'lapsed', 'delegated',
    'escalated', 'approved', 'rejected', 'expired', 'cancelled');
-- Of an approval: open until a user approves or rejects it, its due time ends it, or its step or
--   task ends otherwise.
create type tasker.approval_state as enum ('open', 'approved', 'rejected', 'expired', 'cancelled');
create type tasker.backoff_kind as enum ('exponential', 'linear', 'fibonacci', 'none');
create type tasker.cancel_policy as enum ('allow_finish', 'cancel_running');
-- Why the completed steps of a task are compensated; parent: the task compensates an ended child,
--   because the parent of both is compensated.
create type tasker.compensation_cause as enum ('failure', 'cancel', 'operator', 'parent');
-- asked: with a cancel, whose task has steps in flight; running: its steps have been added;
--   compensated: the task has ended, and each is complete; incomplete: it has ended without that.
create type tasker.compensation_state as enum ('asked', 'running', 'compensated', 'incomplete');
create type tasker.dlq_reason as enum ('staleness_timeout', 'max_retries_exceeded',
    'permanent_failure', 'dependency_cycle_detected', 'worker_unavailable', 'manual_dlq');
create type tasker.dlq_resolution_status as enum ('pending', 'manually_resolved',
    'permanently_failed', 'cancelled');
-- When a new task may take over the identity of an earlier one: never, after it ended as error or
--   cancelled, or after it ended in any state.
create type tasker.identity_reuse as enum ('never', 'after_failure', 'after_end');
create type tasker.identity_strategy as enum ('strict', 'caller_provided', 'always_unique');
create type tasker.limited_unit as enum ('tasks', 'steps');
create type tasker.lost_worker_policy as enum ('reschedule', 'abandon');
-- What a row of task_notices tells its receiver.
create type tasker.notice_kind as enum ('child_ended', 'cancel');
create type tasker.server_state as enum ('healthy', 'degraded', 'draining', 'stopped');
create type tasker.step_outcome as enum ('success', 'retryable_failure', 'permanent_failure',
    'cancelled', 'manual_completion');
create type tasker.step_path_name as enum ('created_and_offered', 'created_and_claimed',
    'claimed_at_once', 'completed_at_once');
create type tasker.step_state as enum ('pending', 'enqueued', 'in_progress',
    'enqueued_for_orchestration', 'enqueued_as_error_for_orchestration', 'waiting_for_retry',
    'complete', 'error', 'cancelled', 'resolved_manually');
create type tasker.task_path_name as enum ('evaluated', 'continued', 'enqueued', 'started',
    'created_and_started', 'enqueued_and_evaluated', 'initialized', 'waited',
    'initialized_and_waited');
create type tasker.task_state as enum ('pending', 'initializing', 'enqueuing_steps',
    'steps_in_process', 'evaluating_results', 'waiting_for_dependencies', 'waiting_for_retry',
    'blocked_by_failures', 'complete', 'error', 'cancelled', 'resolved_manually');
-- How a task ends that has run for longer than lifecycle.max_duration of its template.
create type tasker.timeout_action as enum ('fail', 'cancel', 'compensate');
create type tasker.wait_kind as enum ('timer', 'signal', 'approval', 'child', 'child_retry');
-- Of a wait: open until its time or signal comes, its default is taken, it times out as an error,
--   its child task fails, or its step or task ends otherwise.
create type tasker.wait_state as enum ('open', 'satisfied', 'defaulted', 'timed_out', 'failed',
    'cancelled');
create type tasker.when_full as enum ('queue', 'fail_fast');
-- The state that a worker reports; healthy and degraded workers can claim steps.
create type tasker.worker_state as enum ('healthy', 'degraded', 'paused', 'draining', 'stopped');
-- A step that insert_steps adds to a task: its place, the positions of its parents and how many of
--   them are not done, and the metadata of its first history.
create type tasker.step_birth as (step_uuid uuid, task_uuid uuid, named_step_uuid uuid,
    step_position integer, name character varying(128), parents integer[], remaining integer,
    is_automatic boolean, batch_step_uuid uuid, compensates_step_uuid uuid, inputs jsonb,
    metadata jsonb);
-- One step that was just handed off, to a queue or directly to a worker; queue_seconds: how long
--   its offer may stay unclaimed, null for no limit.
create type tasker.step_handoff as (step_uuid uuid, task_uuid uuid, handoff integer,
    is_claimed boolean, namespace character varying, claim_order bigint, correlation_id uuid,
    handler_key text, attempt integer, queue_seconds integer);
-- What apply_step_moves is to do with one step: the state and handoff that it compares, the move,
--   its result, if it has an outcome, and when it is retried.
create type tasker.step_move as (step_uuid uuid, handoff integer, from_state tasker.step_state,
    to_state tasker.step_state, actor tasker.actor, metadata jsonb, outcome tasker.step_outcome,
    result jsonb, error jsonb, worker_uuid uuid, next_retry_at timestamp with time zone);
-- What apply_task_moves is to do with one task: the state that it compares, the move, and the
--   metadata of its history.
create type tasker.task_change as (task_uuid uuid, from_state tasker.task_state,
    to_state tasker.task_state, actor tasker.actor, metadata jsonb);
-- The change of a task's step counters.
create type tasker.task_delta as (task_uuid uuid, in_flight integer, unfinished integer,
    failed integer, retrying integer);
-- A task that was moved: the states before and after, and the sort_key of the last history row of
--   the move.
create type tasker.task_move as (task_uuid uuid, transition_count integer,
    from_state tasker.task_state, to_state tasker.task_state);
-- One accepted request of a batch, before its task is inserted.
create type tasker.task_request as (request_position integer, task_uuid uuid, named_task_uuid uuid,
    identity_hash bytea, claim_order bigint, context_checked boolean, request jsonb);


-- Tables
-- ------

-- Grants of a role or permission to a user or key, in one namespace or, when that is null, in all
--   and for objects without one.
create table tasker.access_grants (
  grant_uuid uuid not null default tasker.uuid_v7(),
  user_uuid  uuid,
  key_uuid   uuid,
  role       character varying(64),
  permission character varying(64),
  namespace  character varying(29),
  granted_at timestamp with time zone not null default now(),
  granted_by character varying(160) not null,
  constraint access_grants_pkey PRIMARY KEY (grant_uuid),
  constraint granted_once UNIQUE NULLS NOT DISTINCT (user_uuid, key_uuid, role, permission,
      namespace),
  constraint access_grants_key_uuid_fkey FOREIGN KEY (key_uuid)
      REFERENCES tasker.access_keys(key_uuid) ON DELETE CASCADE,
  constraint access_grants_permission_fkey FOREIGN KEY (permission)
      REFERENCES tasker.access_permissions(permission),
  constraint access_grants_role_fkey FOREIGN KEY (role) REFERENCES tasker.access_roles(role),
  constraint access_grants_user_uuid_fkey FOREIGN KEY (user_uuid)
      REFERENCES tasker.access_users(user_uuid) ON DELETE CASCADE,
  constraint one_grantee CHECK (num_nonnulls(user_uuid, key_uuid) = 1),
  constraint role_or_permission CHECK (num_nonnulls(role, permission) = 1)
);

-- API keys. The key is shown once and not stored; this table has its SHA-256.
create table tasker.access_keys (
  key_uuid     uuid not null default tasker.uuid_v7(),
  name         character varying(128) not null,
  key_hash     bytea not null,
  -- The first characters of the key, to tell keys apart.
  hint         character varying(16) not null,
  created_at   timestamp with time zone not null default now(),
  created_by   character varying(160) not null,
  expires_at   timestamp with time zone,
  -- Accurate to the hour: updated when the stored value is older than an hour.
  last_used_at timestamp with time zone,
  revoked_at   timestamp with time zone,
  revoked_by   character varying(160),
  constraint access_keys_pkey PRIMARY KEY (key_uuid),
  constraint access_keys_key_hash_key UNIQUE (key_hash),
  constraint hash_is_sha256 CHECK (octet_length(key_hash) = 32),
  constraint name_is_printable CHECK (name::text ~ '^[^[:cntrl:]]+$'::text AND btrim(name::text) =
      name::text),
  constraint revoked_has_time_and_actor CHECK ((revoked_at IS NULL) = (revoked_by IS NULL))
);

-- The permissions that can be granted, with resource:* for all of a resource and *:* for all.
--   Filled by db/routine/security/R__access_permissions.sql.
create table tasker.access_permissions (
  permission character varying(64) not null,
  constraint access_permissions_pkey PRIMARY KEY (permission),
  constraint resource_and_verb CHECK (permission::text ~ '^([a-z]+:([a-z_]+|\*)|\*:\*)$'::text)
);

-- What each role may do.
create table tasker.access_role_permissions (
  role       character varying(64) not null,
  permission character varying(64) not null,
  constraint access_role_permissions_pkey PRIMARY KEY (role, permission),
  constraint access_role_permissions_permission_fkey FOREIGN KEY (permission)
      REFERENCES tasker.access_permissions(permission),
  constraint access_role_permissions_role_fkey FOREIGN KEY (role)
      REFERENCES tasker.access_roles(role) ON DELETE CASCADE
);

-- Named sets of permissions. Groups of an external identity store, and of a token, are roles of the
--   same name.
create table tasker.access_roles (
  role        character varying(64) not null,
  description text not null,
  constraint access_roles_pkey PRIMARY KEY (role)
);

-- Sessions of the console. The token is in the browser's cookie and not stored; this table has its
--   SHA-256.
create table tasker.access_sessions (
  session_uuid uuid not null default tasker.uuid_v7(),
  token_hash   bytea not null,
  user_uuid    uuid not null,
  created_at   timestamp with time zone not null default clock_timestamp(),
  expires_at   timestamp with time zone not null,
  constraint access_sessions_pkey PRIMARY KEY (session_uuid),
  constraint access_sessions_token_hash_key UNIQUE (token_hash),
  constraint access_sessions_user_uuid_fkey FOREIGN KEY (user_uuid)
      REFERENCES tasker.access_users(user_uuid) ON DELETE CASCADE,
  constraint expires_after_creation CHECK (expires_at > created_at),
  constraint hash_is_sha256 CHECK (octet_length(token_hash) = 32)
);
CREATE INDEX access_sessions_expires_at_idx ON tasker.access_sessions USING btree (expires_at);
CREATE INDEX access_sessions_user_uuid_idx ON tasker.access_sessions USING btree (user_uuid);

-- Users and programs that log in by name and password. Stores only the PBKDF2 hash of the password.
create table tasker.access_users (
  user_uuid           uuid not null default tasker.uuid_v7(),
  name                character varying(128) not null,
  -- algorithm:iterations:salt:hash, as Pbkdf2PasswordHash of Jakarta Security writes it; null:
  --   cannot log in by password.
  password_hash       character varying(300),
  password_changed_at timestamp with time zone,
  created_at          timestamp with time zone not null default now(),
  created_by          character varying(160) not null,
  disabled_at         timestamp with time zone,
  disabled_by         character varying(160),
  constraint access_users_pkey PRIMARY KEY (user_uuid),
  constraint disabled_has_time_and_actor CHECK ((disabled_at IS NULL) = (disabled_by IS NULL)),
  constraint hash_has_its_time CHECK ((password_hash IS NULL) = (password_changed_at IS NULL)),
  constraint name_fits_http_basic CHECK (name::text ~ '^[^[:cntrl:]:]+$'::text AND btrim(name::text)
      = name::text),
  constraint password_is_a_hash CHECK (password_hash::text ~~ 'PBKDF2WithHmacSHA%:%:%:%'::text)
);
CREATE UNIQUE INDEX access_users_name_key ON tasker.access_users USING btree (lower((name)::text));

-- Parent to child dependencies that a task has beside those of its template: of the steps that
--   decisions, batches, add_steps and compensations added. The view workflow_step_edges has all.
create table tasker.added_step_edges (
  task_uuid     uuid not null,
  -- step_position of the parent.
  from_position integer not null,
  to_position   integer not null,
  constraint added_step_edges_pkey PRIMARY KEY (task_uuid, from_position, to_position),
  constraint no_step_depends_on_itself CHECK (from_position <> to_position) NOT VALID
);
CREATE INDEX added_step_edges_to_position_idx ON tasker.added_step_edges USING btree (task_uuid,
    to_position);

-- One row: how far the moves of tasks are counted.
create table tasker.analytics_progress (
  only_row   boolean not null default true,
  -- The moves of all transactions below this one are in the tallies.
  next_xact  bigint not null,
  -- Moves up to this time are in the tallies regardless of their transaction: they came from
  --   another database.
  rebuilt_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  counted_at timestamp with time zone not null default now(),
  constraint analytics_progress_pkey PRIMARY KEY (only_row),
  constraint analytics_progress_only_row_check CHECK (only_row)
);

-- What happened to approvals, in its order.
create table tasker.approval_events (
  approval_uuid uuid not null,
  number        integer not null,
  task_uuid     uuid not null,
  happened_at   timestamp with time zone not null,
  event         tasker.approval_event not null,
  -- Null for what the engine did.
  acted_by      character varying(160),
  given_to      character varying(160),
  note          character varying(1000),
  constraint approval_events_pkey PRIMARY KEY (approval_uuid, number),
  constraint delegated_iff_given CHECK ((event = 'delegated'::tasker.approval_event) = (given_to
      IS NOT NULL)),
  constraint numbers_count_from_one CHECK (number > 0)
);
CREATE INDEX approval_events_task_uuid_idx ON tasker.approval_events USING btree (task_uuid);
CREATE TRIGGER events_follow_approvals AFTER INSERT ON tasker.approval_events FOR EACH ROW
    EXECUTE FUNCTION tasker.publish_approval_events();

-- What users are asked to approve or reject, one row for each wait of kind approval. Its decision
--   is the result of its step.
create table tasker.approvals (
  -- The wait_uuid of its wait.
  approval_uuid      uuid not null,
  task_uuid          uuid not null,
  workflow_step_uuid uuid not null,
  created_at         timestamp with time zone not null,
  -- That of its wait: when it is escalated or expires; null: neither.
  due_at             timestamp with time zone,
  escalated_at       timestamp with time zone,
  claimed_at         timestamp with time zone,
  -- When the claim lapses, so that every candidate may decide again.
  claim_ends_at      timestamp with time zone,
  ended_at           timestamp with time zone,
  state              tasker.approval_state not null default 'open'::tasker.approval_state,
  is_four_eyes       boolean not null,
  namespace_name     character varying(29) not null,
  title              character varying(300) not null,
  -- The only candidate who may decide for now; null: every candidate may.
  claimed_by         character varying(160),
  -- Who delegated it to claimed_by; null when claimed_by claimed it.
  assigned_by        character varying(160),
  decided_by         character varying(160),
  candidate_roles    text[] not null,
  -- Names in lower case, as histories have them.
  candidate_users    text[] not null,
  -- The candidates when it is due, instead of the others or besides them.
  escalation_roles   text[] not null,
  escalation_users   text[] not null,
  -- The persons on whose behalf the task was submitted, who may not decide; empty unless
  --   is_four_eyes.
  initiators         text[] not null,
  -- What the template shows to those who decide: the value of its mapping show.
  shown              jsonb not null,
  -- The values of the form that came with the decision.
  form_values        jsonb,
  decision_comment   character varying(1000),
  -- hash_approval of the latest write: what is asked of whom, and the decision.
  document_hash      bigint not null,
  constraint approvals_pkey PRIMARY KEY (approval_uuid),
  constraint claim_end_is_of_a_claim CHECK (claim_ends_at IS NULL OR claimed_by IS NOT NULL),
  constraint claim_is_whole CHECK ((claimed_by IS NULL) = (claimed_at IS NULL) AND (assigned_by
      IS NULL OR claimed_by IS NOT NULL)),
  constraint comment_is_of_a_decision CHECK (decision_comment IS NULL OR decided_by IS NOT NULL),
  constraint decided_iff_approved_or_rejected CHECK ((state =
      ANY (ARRAY['approved'::tasker.approval_state, 'rejected'::tasker.approval_state])) =
      (decided_by IS NOT NULL AND form_values IS NOT NULL)),
  constraint documents_are_objects CHECK (jsonb_typeof(shown) = 'object'::text AND (form_values
      IS NULL OR jsonb_typeof(form_values) = 'object'::text)),
  constraint ended_iff_not_open CHECK ((ended_at IS NULL) = (state =
      'open'::tasker.approval_state)),
  constraint ends_after_it_was_made CHECK (ended_at >= created_at)
);
CREATE INDEX approvals_due_idx ON tasker.approvals USING btree (COALESCE(due_at,
    'infinity'::timestamp with time zone), approval_uuid) WHERE (state =
    'open'::tasker.approval_state);
CREATE INDEX approvals_inbox_idx ON tasker.approvals USING btree (namespace_name, COALESCE(due_at,
    'infinity'::timestamp with time zone), approval_uuid) WHERE (state =
    'open'::tasker.approval_state);
CREATE INDEX approvals_task_uuid_idx ON tasker.approvals USING btree (task_uuid);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.approvals FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- What the workers that are still to be created will get; deleted with the creation, which copies
--   it into their inputs.
create table tasker.batch_items (
  batch_step_uuid uuid not null,
  ordinal         integer not null,
  -- The cursor that the handler returned, or the array of items of one batch.
  item            jsonb not null,
  -- hash_documents(item) at insertion.
  document_hash   bigint not null,
  constraint batch_items_pkey PRIMARY KEY (batch_step_uuid, ordinal)
);

-- Workers of open batches that have been created and have not ended: an evaluation of their task
--   reads these, however many have ended.
create table tasker.batch_live_workers (
  task_uuid          uuid not null,
  workflow_step_uuid uuid not null,
  batch_step_uuid    uuid not null,
  -- When a worker that waits for a retry or for another handoff may have a free slot; null for one
  --   in flight.
  due_at             timestamp with time zone,
  constraint batch_live_workers_pkey PRIMARY KEY (task_uuid, workflow_step_uuid)
)
with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500);
CREATE INDEX batch_live_workers_due_idx ON tasker.batch_live_workers USING btree (batch_step_uuid,
    due_at) WHERE (due_at IS NOT NULL);

-- One row for each batchable step that made its batches: what limits their workers, and how many
--   there are.
create table tasker.batches (
  -- The batch step: the step of type batch_worker of the template, which stands for all of its
  --   workers and is never handed off.
  workflow_step_uuid  uuid not null,
  task_uuid           uuid not null,
  batchable_step_uuid uuid not null,
  recorded_at         timestamp with time zone not null default now(),
  -- When the batch step was completed: every worker had ended, or an operator closed it.
  closed_at           timestamp with time zone,
  -- The handoff of the batchable step whose result made the batches; 0 without a handler, or by an
  --   operator before the first.
  handoff             integer not null,
  -- How many workers may be in flight at once, on all servers together.
  parallelism         integer not null,
  -- How many workers may fail before the batch does; null: any number.
  tolerate            integer,
  -- How many batches there are; fewer workers while not all are created.
  total_workers       integer not null,
  created_workers     integer not null default 0,
  in_flight_workers   integer not null default 0,
  -- Workers that are complete or resolved manually.
  done_workers        integer not null default 0,
  failed_workers      integer not null default 0,
  cancelled_workers   integer not null default 0,
  -- step_position of the first worker; null until the batch step is ready.
  first_position      integer,
  failure_strategy    character varying(32) not null,
  constraint batches_pkey PRIMARY KEY (workflow_step_uuid),
  constraint closed_means_nothing_in_flight CHECK (closed_at IS NULL OR in_flight_workers = 0),
  constraint created_means_placed CHECK (created_workers = 0 OR first_position IS NOT NULL),
  constraint parallelism_is_kept CHECK (in_flight_workers >= 0 AND in_flight_workers <= parallelism
      AND parallelism > 0),
  constraint workers_are_counted CHECK (done_workers >= 0 AND failed_workers >= 0
      AND cancelled_workers >= 0 AND created_workers <= total_workers
      AND (in_flight_workers + done_workers + failed_workers + cancelled_workers) <=
      created_workers)
)
with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500, fillfactor=50);
CREATE INDEX batches_task_uuid_idx ON tasker.batches USING btree (task_uuid);

-- The verdict on each task of a bulk action: done, already or refused. Expires: see
--   expiring_tables.
create table tasker.bulk_action_tasks (
  token     uuid not null,
  task_uuid uuid not null,
  outcome   character varying(16) not null,
  code      character varying(64),
  message   text,
  acted_at  timestamp with time zone not null,
  constraint bulk_action_tasks_pkey PRIMARY KEY (token, task_uuid),
  constraint refused_iff_it_has_a_code CHECK ((outcome::text = 'refused'::text) = (code
      IS NOT NULL))
);
CREATE INDEX bulk_action_tasks_acted_at_idx ON tasker.bulk_action_tasks USING btree (acted_at);

-- Dry runs of actions on many tasks: the real run must present the token, and the set of tasks must
--   still have set_hash.
create table tasker.bulk_actions (
  token         uuid not null default gen_random_uuid(),
  action        character varying(32) not null,
  filter        jsonb not null,
  acted_by      character varying(128) not null,
  -- The REST caller that received the token, by kind and uuid, as user:…; a name when there is no
  --   uuid; null when it was made in SQL.
  made_by       character varying(300),
  reason        character varying(1000) not null,
  task_count    integer not null,
  set_hash      bytea not null,
  created_at    timestamp with time zone not null default now(),
  expires_at    timestamp with time zone not null,
  -- Whether servers do it in parts after the run has started it (advance_bulk_actions), instead of
  --   the run in one transaction.
  is_background boolean not null default false,
  -- The tasks that the dry run of an action in the background counted; the first done + already +
  --   refused of them have their verdicts.
  tasks         uuid[],
  started_at    timestamp with time zone,
  -- The authenticated caller that started it, for the records of the actions on its tasks.
  run_as        character varying(160),
  done_tasks    integer not null default 0,
  already_tasks integer not null default 0,
  refused_tasks integer not null default 0,
  -- Who cancelled the rest of an action in the background; null when it ended otherwise.
  ended_by      character varying(160),
  resolution    character varying(32),
  executed_at   timestamp with time zone,
  result        jsonb,
  constraint bulk_actions_pkey PRIMARY KEY (token),
  constraint background_has_its_tasks CHECK ((tasks IS NOT NULL) = (is_background AND executed_at
      IS NULL)),
  constraint executed_iff_it_has_a_result CHECK ((executed_at IS NULL) = (result IS NULL)),
  constraint no_more_verdicts_than_tasks CHECK ((done_tasks + already_tasks + refused_tasks) <=
      task_count),
  constraint only_what_closes_has_a_resolution CHECK ((action::text = 'close_dead_letters'::text) =
      (resolution IS NOT NULL))
);
CREATE INDEX bulk_actions_created_at_idx ON tasker.bulk_actions USING btree (created_at, token);
CREATE INDEX bulk_actions_in_progress_idx ON tasker.bulk_actions USING btree (started_at, token)
    WHERE ((started_at IS NOT NULL) AND (executed_at IS NULL));

-- Limits how many tasks or steps of a template, of one of its steps, or with the same value in
--   their context run at a time. All versions of a template share its policies.
create table tasker.concurrency_policies (
  policy_uuid    uuid not null default tasker.uuid_v7(),
  namespace_name character varying(29) not null,
  template_name  character varying(64) not null,
  -- Null: the policy of the whole template.
  step_name      character varying(128),
  counts         tasker.limited_unit not null,
  -- JSON pointer into the task's context: each value has its own slots. Null: all share them.
  key_pointer    character varying(255),
  when_full      tasker.when_full not null default 'queue'::tasker.when_full,
  -- The limit in the version registered last.
  template_limit integer not null,
  -- The limit set at run time, which overrides template_limit; 0 lets nothing start.
  set_limit      integer,
  set_by         character varying(160),
  -- The name that the request claimed, when set_by is the authenticated caller.
  claimed_actor  character varying(128),
  created_at     timestamp with time zone not null default now(),
  updated_at     timestamp with time zone not null default now(),
  constraint concurrency_policies_pkey PRIMARY KEY (policy_uuid),
  constraint one_policy_per_place_unit_and_key UNIQUE NULLS NOT DISTINCT (namespace_name,
      template_name, step_name, counts, key_pointer),
  constraint a_step_counts_steps CHECK (step_name IS NULL OR counts = 'steps'::tasker.limited_unit),
  constraint limits_are_not_negative CHECK (template_limit >= 0 AND set_limit >= 0)
);

-- Slots that became free while another transaction held the gate: a server has to promote the next
--   waiter.
create table tasker.concurrency_releases (
  release_id  bigint not null generated always as identity,
  policy_uuid uuid not null,
  key         character varying(255) not null,
  constraint concurrency_releases_pkey PRIMARY KEY (release_id),
  constraint concurrency_releases_policy_uuid_fkey FOREIGN KEY (policy_uuid)
      REFERENCES tasker.concurrency_policies(policy_uuid) ON DELETE CASCADE
);

-- Holders of slots and waiters: at most one row per holder and policy. The transaction that ends
--   the holder's use deletes the row.
create table tasker.concurrency_slots (
  -- The step, or the task for a policy that counts tasks.
  holder_uuid      uuid not null,
  policy_uuid      uuid not null,
  task_uuid        uuid not null,
  -- The value under the policy's pointer, as JSON text; empty without a pointer.
  key              character varying(255) not null,
  waiting_position bigint not null generated always as identity,
  -- The order among waiters, before waiting_position: that of the claim (calculate_claim_rank), so
  --   by priority, then age, with the points of retries and of the SLA.
  claim_rank       bigint not null,
  requested_at     timestamp with time zone not null default clock_timestamp(),
  -- Since when the slot is held; null while waiting.
  admitted_at      timestamp with time zone,
  admitted_limit   integer,
  -- The handoff for which the slot is held, 0 for a task; null before.
  handoff          integer,
  -- A server has to handle the holder: it got a slot, or the gate was busy when it asked for one.
  is_due           boolean not null default false,
  constraint concurrency_slots_pkey PRIMARY KEY (holder_uuid, policy_uuid),
  constraint concurrency_slots_policy_uuid_fkey FOREIGN KEY (policy_uuid)
      REFERENCES tasker.concurrency_policies(policy_uuid),
  constraint concurrency_slots_task_uuid_fkey FOREIGN KEY (task_uuid)
      REFERENCES tasker.tasks(task_uuid) ON DELETE CASCADE,
  constraint admitted_under_a_limit CHECK ((admitted_at IS NULL) = (admitted_limit IS NULL)),
  constraint handed_off_means_admitted CHECK (handoff IS NULL OR admitted_at IS NOT NULL)
) with (autovacuum_vacuum_cost_limit=2000, autovacuum_vacuum_scale_factor=0.02,
    autovacuum_vacuum_threshold=500, fillfactor=70);
CREATE INDEX concurrency_slots_due_idx ON tasker.concurrency_slots USING btree (claim_rank,
    waiting_position) WHERE is_due;
CREATE INDEX concurrency_slots_held_idx ON tasker.concurrency_slots USING btree (policy_uuid, key)
    WHERE (admitted_at IS NOT NULL);
CREATE INDEX concurrency_slots_task_uuid_idx ON tasker.concurrency_slots USING btree (task_uuid);
CREATE INDEX concurrency_slots_waiting_idx ON tasker.concurrency_slots USING btree (policy_uuid,
    key, claim_rank, waiting_position) WHERE (admitted_at IS NULL);

-- Messages that could not be processed, taken off their queues, with the cause.
create table tasker.dead_messages (
  dead_message_uuid uuid not null default tasker.uuid_v7(),
  queue_name        text not null,
  msg_id            bigint,
  read_ct           integer not null,
  enqueued_at       timestamp with time zone not null,
  parked_at         timestamp with time zone not null default now(),
  replayed_at       timestamp with time zone,
  replayed_by       character varying(160),
  -- The name that the request claimed, when replayed_by is the authenticated caller.
  claimed_actor     character varying(128),
  sqlstate          character varying(5),
  cause             text not null,
  message           jsonb,
  headers           jsonb,
  constraint dead_messages_pkey PRIMARY KEY (dead_message_uuid),
  constraint replay_is_whole CHECK ((replayed_at IS NULL) = (replayed_by IS NULL))
);
CREATE INDEX dead_messages_queue_name_idx ON tasker.dead_messages USING btree (queue_name,
    dead_message_uuid) WHERE (replayed_at IS NULL);

-- What each decision chose, one row for each that was made.
create table tasker.decision_outcomes (
  workflow_step_uuid uuid not null,
  task_uuid          uuid not null,
  decided_at         timestamp with time zone not null default now(),
  -- The handoff whose result chose; 0 for a decision by rules, or by an operator before the first.
  handoff            integer not null,
  -- How many decisions lead to this one, itself included.
  depth              integer not null,
  -- The names of the steps that it chose, in its order.
  chosen             text[] not null,
  -- The rule that chose, or how an operator did; null for a handler.
  reason             character varying(5000),
  -- How many steps its completion created, those that follow from the chosen ones included; null
  --   until the completion.
  created_steps      integer,
  constraint decision_outcomes_pkey PRIMARY KEY (workflow_step_uuid),
  constraint created_is_not_negative CHECK (created_steps >= 0),
  constraint depth_is_positive CHECK (depth > 0)
);
CREATE INDEX decision_outcomes_task_uuid_idx ON tasker.decision_outcomes USING btree (task_uuid);

-- What results of steps mean to others, one row per result and matching declaration in
--   publishes_events of the step, and what became of tasks, approvals, dead letters and schedules.
create table tasker.domain_events (
  event_uuid         uuid not null default tasker.uuid_v7(),
  -- Grows with what an event follows from, because it is taken under the locks of the result; gaps
  --   and late commits are normal.
  event_number       bigint not null generated always as identity,
  -- Place in the feed, assigned once after the commit (sequence_events): growing in the order of
  --   assignment, with gaps. Null until then.
  position           bigint,
  task_uuid          uuid,
  workflow_step_uuid uuid,
  -- Of an event of the engine: the task, approval, dead letter or schedule.
  cause_uuid         uuid,
  fire_at            timestamp with time zone,
  -- With workflow_step_uuid the result that it follows from; with cause_uuid the move of the task,
  --   the event of the approval, or the version of the schedule that paused itself. 0 where there
  --   is only one.
  sort_key           integer not null,
  -- Which element of publishes_events it is, from 1; null for events of the engine.
  declaration        integer,
  -- What it follows from: a result of a step, or what the engine publishes itself, with names under
  --   the prefix tasker.
  kind               character varying(16) not null default 'step'::character varying,
  name               character varying(255) not null,
  delivery_mode      character varying(16) not null default 'durable'::character varying,
  outcome            tasker.step_outcome,
  attempt            integer,
  -- The result, or what the mapping under payload makes; null when that failed. Of the engine:
  --   identities and states.
  data               jsonb,
  -- Why data is missing or does not fit the schema, {type, message}: expression_error,
  --   event_too_large, schema_violation or erased.
  error              jsonb,
  created_at         timestamp with time zone not null default clock_timestamp(),
  -- hash_documents(data, error) at insertion.
  document_hash      bigint not null,
  constraint domain_events_pkey PRIMARY KEY (event_uuid),
  constraint one_event_per_position UNIQUE ("position"),
  constraint one_event_per_result_and_declaration UNIQUE (workflow_step_uuid, sort_key,
      declaration),
  constraint cause_iff_of_the_engine CHECK ((cause_uuid IS NULL) = (kind::text = 'step'::text)
      AND (kind::text = 'step'::text) = (name::text !~~ 'tasker.%'::text)),
  constraint counts_from_one CHECK ("position" > 0 AND declaration > 0),
  constraint error_says_what CHECK (error IS NULL OR (error ->> 'type'::text) IS NOT NULL
      AND (error ->> 'message'::text) IS NOT NULL),
  constraint known_delivery_mode CHECK (delivery_mode::text =
      ANY (ARRAY['durable'::character varying, 'fast'::character varying,
      'broadcast'::character varying]::text[])),
  constraint known_kind CHECK (kind::text = ANY (ARRAY['step'::character varying,
      'task'::character varying, 'approval'::character varying, 'dead_letter'::character varying,
      'schedule'::character varying]::text[])),
  constraint result_iff_of_a_step CHECK ((kind::text = 'step'::text) = (num_nonnulls(declaration,
      outcome, attempt) = 3) AND (kind::text = 'step'::text OR num_nonnulls(declaration, outcome,
      attempt) = 0)),
  constraint step_iff_of_a_step_or_an_approval CHECK ((workflow_step_uuid IS NOT NULL) = (kind::text
      = ANY (ARRAY['step'::character varying, 'approval'::character varying]::text[]))),
  constraint task_iff_not_of_a_schedule CHECK ((task_uuid IS NULL) = (kind::text = 'schedule'::text)
      AND (fire_at IS NOT NULL) = (kind::text = 'schedule'::text))
);
CREATE INDEX domain_events_task_uuid_idx ON tasker.domain_events USING btree (task_uuid);
CREATE INDEX domain_events_without_position_idx ON tasker.domain_events USING btree (event_number)
    WHERE ("position" IS NULL);
CREATE UNIQUE INDEX one_event_of_the_engine_per_cause ON tasker.domain_events
    USING btree (cause_uuid, name, sort_key, fire_at) NULLS NOT DISTINCT WHERE ((kind)::text
    <> 'step'::text);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.domain_events FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- Months of history that were dropped, or rewritten without the rows of purged tasks.
create table tasker.dropped_history (
  month         timestamp with time zone not null,
  outcome       character varying(16) not null,
  kept_tasks    bigint not null,
  done_at       timestamp with time zone not null default now(),
  -- Whether forget_purged_tasks has processed purged_tasks since.
  is_cleaned_up boolean not null default false,
  constraint dropped_history_pkey PRIMARY KEY (month),
  constraint outcome_is_known CHECK (outcome::text = ANY (ARRAY['dropped'::character varying,
      'rewritten'::character varying]::text[]))
);

-- How many tasks of a template that ended within a quarter of an hour, or executions of a step in
--   them, took how long: the percentiles are made of these.
create table tasker.duration_tallies (
  quarter      timestamp with time zone not null,
  -- The named_task_uuid of a template, or the named_step_uuid of a step of one.
  subject_uuid uuid not null,
  -- A range of durations, each a tenth longer than the one before: see calculate_duration_bucket.
  bucket       integer not null,
  executions   bigint not null,
  constraint duration_tallies_pkey PRIMARY KEY (quarter, subject_uuid, bucket)
);

-- Those that are sent every domain event in the order of the feed, such as the topic of Jakarta
--   Messaging, and how far they are.
create table tasker.event_consumers (
  name          character varying(64) not null,
  -- The last event that was sent, or the end of the feed when the consumer was created.
  position      bigint not null,
  -- The server that sends, until lease_until unless it extends its lease.
  holder_uuid   uuid,
  lease_until   timestamp with time zone,
  -- When something was last sent, or nothing was left to be sent; get_event_floor ignores a
  --   consumer for which that is long ago.
  progressed_at timestamp with time zone not null,
  -- Failures in a row; the next attempt is at retry_at.
  failures      integer not null default 0,
  retry_at      timestamp with time zone,
  last_failure  character varying(1000),
  created_at    timestamp with time zone not null default clock_timestamp(),
  constraint event_consumers_pkey PRIMARY KEY (name),
  constraint failure_is_whole CHECK ((failures = 0) = (retry_at IS NULL) AND (failures = 0) =
      (last_failure IS NULL)),
  constraint lease_has_a_holder CHECK ((holder_uuid IS NULL) = (lease_until IS NULL)),
  constraint position_is_not_negative CHECK ("position" >= 0 AND failures >= 0)
)
with (fillfactor=50);

-- Tables of schema tasker whose rows are deleted some days after the time in one of their columns;
--   missing tables are skipped.
create table tasker.expiring_tables (
  table_name  character varying(128) not null,
  time_column character varying(63) not null,
  -- Null: without limit.
  keep_days   integer,
  constraint expiring_tables_pkey PRIMARY KEY (table_name),
  constraint days_are_in_range CHECK (keep_days >= 0 AND keep_days <= 36500)
);

-- One row: the version of namespace_handlers. The transaction that adds a handler increments it, so
--   that values calculated from an older version are recognised as stale.
create table tasker.handler_catalog (
  is_only boolean not null default true,
  version bigint not null,
  constraint handler_catalog_pkey PRIMARY KEY (is_only),
  constraint there_is_one CHECK (is_only)
);

-- Saved responses to requests with an Idempotency-Key, kept as long as a repeated request gets
--   them.
create table tasker.idempotency_keys (
  -- The authenticated caller; empty without login. Two callers may use the same key.
  principal       character varying(255) not null,
  idempotency_key character varying(255) not null,
  -- SHA-256 of method, path, query and body: the same key with another request is refused.
  request_hash    bytea not null,
  status          smallint not null,
  location        character varying(2000),
  body            text not null,
  created_at      timestamp with time zone not null default clock_timestamp(),
  -- hash_idempotent_response at insertion: the request and the response.
  document_hash   bigint not null,
  constraint idempotency_keys_pkey PRIMARY KEY (principal, idempotency_key),
  constraint hash_is_sha_256 CHECK (octet_length(request_hash) = 32),
  constraint only_what_was_done_is_kept CHECK (status >= 200 AND status <= 299)
);
CREATE INDEX idempotency_keys_created_at_idx ON tasker.idempotency_keys USING btree (created_at);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.idempotency_keys FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- One row for each version whose functions, views and triggers were installed; the last one is
--   there.
create table tasker.installations (
  installation    bigint not null generated always as identity,
  version         character varying(50) not null,
  -- SHA-256 of the files, in their order.
  manifest_digest character varying(64) not null,
  installed_by    character varying(128) not null default CURRENT_USER,
  installed_at    timestamp with time zone not null default clock_timestamp(),
  constraint installations_pkey PRIMARY KEY (installation)
);

-- The parts of what is installed, as the version that installed them lists them.
create table tasker.installed_routines (
  -- Relative to db/routine; a trigger is a part of its own, behind the file of its function.
  file      character varying(200) not null,
  -- SHA-256 of the text.
  digest    character varying(64) not null,
  -- SHA-256 of what a replacement cannot change: a function with its arguments and results, the
  --   whole text of a view; empty for other parts.
  signature character varying(64) not null,
  -- What the text creates: function name, view name, trigger name on table.
  objects   text[] not null,
  constraint installed_routines_pkey PRIMARY KEY (file)
);

-- The templates in metric_totals in the order in which they were first seen: which ones have series
--   of their own never changes.
create table tasker.metric_templates (
  namespace character varying not null,
  template  character varying not null,
  rank      bigint not null generated always as identity,
  constraint metric_templates_pkey PRIMARY KEY (namespace, template)
);

-- Totals since the installation for a monitoring system, which never decrease: tasks that ended,
--   results of steps, and how long offers waited for their claim.
create table tasker.metric_totals (
  -- task: an end, label is the state; step: a result, label is the outcome; retry: an attempt that
  --   was not the first; wait: a claim.
  metric    text not null,
  namespace character varying not null,
  template  character varying not null,
  label     text not null,
  -- The position of the least of get_metric_bounds() that the duration does not exceed; one more
  --   than there are bounds when it exceeds all.
  bucket    integer not null,
  events    bigint not null,
  seconds   numeric not null,
  constraint metric_totals_pkey PRIMARY KEY (metric, namespace, template, label, bucket)
);

-- Parent to child dependencies between the steps that a task of the template begins with. Tasks
--   have no copy: see the view workflow_step_edges.
create table tasker.named_step_edges (
  named_task_uuid      uuid not null,
  from_named_step_uuid uuid not null,
  -- step_position of the parent, one of the parent_positions of the child.
  from_position        integer not null,
  to_named_step_uuid   uuid not null,
  to_position          integer not null,
  constraint named_step_edges_pkey PRIMARY KEY (from_named_step_uuid, from_position, to_position)
);
CREATE INDEX named_step_edges_to_named_step_uuid_idx ON tasker.named_step_edges
    USING btree (to_named_step_uuid, to_position);
CREATE TRIGGER templates_never_change BEFORE DELETE OR UPDATE ON tasker.named_step_edges
    FOR EACH ROW EXECUTE FUNCTION tasker.refuse_template_change();

-- Steps by name, per template.
create table tasker.named_steps (
  named_step_uuid uuid not null default tasker.uuid_v7(),
  named_task_uuid uuid not null,
  name            character varying(128) not null,
  description     character varying(255),
  created_at      timestamp with time zone not null default now(),
  constraint named_steps_pkey PRIMARY KEY (named_step_uuid),
  constraint step_names_are_unique_per_template UNIQUE (named_task_uuid, name),
  constraint named_steps_named_task_uuid_fkey FOREIGN KEY (named_task_uuid)
      REFERENCES tasker.named_tasks(named_task_uuid)
);
CREATE TRIGGER templates_never_change BEFORE DELETE OR UPDATE ON tasker.named_steps FOR EACH ROW
    EXECUTE FUNCTION tasker.refuse_template_change();

-- Templates: the versioned definitions of tasks. Immutable; a change is a new version.
create table tasker.named_tasks (
  named_task_uuid        uuid not null default tasker.uuid_v7(),
  task_namespace_uuid    uuid not null,
  name                   character varying(64) not null,
  version                character varying(16) not null,
  description            character varying(255),
  -- The template in its normal form, with every default.
  configuration          jsonb not null,
  -- hash_documents(configuration) at registration.
  document_hash          bigint not null,
  source_text            text,
  -- SHA-256 (hex) of the normal form; registering the same content again is a no-op, other content
  --   is refused.
  content_hash           character varying(64) not null,
  identity_strategy tasker.identity_strategy not null default 'strict'::tasker.identity_strategy,
  -- reuse of the template: when a new task may take over the identity of an ended one.
  identity_reuse         tasker.identity_reuse not null default 'never'::tasker.identity_reuse,
  has_input_schema       boolean not null,
  -- search_attributes of the template: the path in the context by name; null when there is none.
  search_attributes      jsonb,
  -- output of the template: a mapping over context and results; null: the results of the leaves.
  output                 jsonb,
  -- Null when nothing of the template is sealed; otherwise {context?, errors?}: the places of the
  --   context, as read_sealed_places has them, and whether messages of errors are sealed.
  sealed                 jsonb,
  total_steps            integer not null,
  -- Steps that a task begins with: all that are not downstream of a decision.
  initial_steps          integer not null,
  root_steps             integer not null,
  -- lifecycle.on_step_error: continue. Steps that do not depend on the failed one still run.
  continue_on_error      boolean not null default false,
  -- Whether a concurrency policy limits its tasks or steps.
  is_limited             boolean not null default false,
  -- Whether a task begins with a step that the engine completes itself, or that waits, so that it
  --   is evaluated before anything is handed off.
  has_automatic_root     boolean not null default false,
  -- lifecycle.sla_minutes: an unfinished task older than this gets 100 points of priority.
  sla_minutes            integer,
  -- lifecycle.max_duration: an unfinished task older than this is ended as on_timeout says; null:
  --   no limit.
  max_duration           interval,
  -- lifecycle.on_timeout: how a task ends that has exceeded max_duration.
  on_timeout             tasker.timeout_action not null default 'fail'::tasker.timeout_action,
  -- lifecycle.max_duration_minutes: an unfinished task older than this is stale.
  max_duration_minutes integer generated always as ((configuration
      #>> '{lifecycle,max_duration_minutes}'::text[])::integer) stored,
  -- lifecycle.cancel_grace_seconds: how long running steps may take to stop after a cancel request;
  --   null for the server's setting.
  cancel_grace_seconds integer generated always as ((configuration
      #>> '{lifecycle,cancel_grace_seconds}'::text[])::integer) stored,
  -- lifecycle.unserved_seconds: how long a step waits for a live worker with its handler; 0:
  --   without a limit, null: the server's setting.
  unserved_seconds integer generated always as ((configuration
      #>> '{lifecycle,unserved_seconds}'::text[])::integer) stored,
  -- lifecycle.retention_days: how long finished tasks of this version are kept, unless a policy for
  --   the template overrides it.
  retention_days integer generated always as ((configuration
      #>> '{lifecycle,retention_days}'::text[])::integer) stored,
  -- lifecycle.max_steps_per_decision: how many steps one decision may create.
  max_steps_per_decision integer not null generated always as (COALESCE((configuration
      #>> '{lifecycle,max_steps_per_decision}'::text[])::integer, 100)) stored,
  -- lifecycle.max_batches_per_step: how many batches one batchable step may make.
  max_batches_per_step integer not null generated always as (COALESCE((configuration
      #>> '{lifecycle,max_batches_per_step}'::text[])::integer, 10000)) stored,
  -- lifecycle.max_child_depth: how deep a child task of this template may be below the topmost
  --   task.
  max_child_depth integer not null generated always as (COALESCE((configuration
      #>> '{lifecycle,max_child_depth}'::text[])::integer, 8)) stored,
  -- Whether a step of it has queue_timeout_seconds.
  has_queue_timeouts boolean not null generated always as (jsonb_path_exists(configuration,
      '$."steps"[*]."queue_timeout_seconds"?(@ != null)'::jsonpath)) stored,
  -- lifecycle.max_decision_depth: how many decisions may follow from each other.
  max_decision_depth integer not null generated always as (COALESCE((configuration
      #>> '{lifecycle,max_decision_depth}'::text[])::integer, 3)) stored,
  -- lifecycle.publishes_events: of what the engine publishes domain events itself, of tasks,
  --   approvals and dead_letters; null: of none.
  published_lifecycle jsonb
      generated always as (configuration #> '{lifecycle,publishes_events}'::text[]) stored,
  created_at             timestamp with time zone not null default now(),
  constraint named_tasks_pkey PRIMARY KEY (named_task_uuid),
  constraint one_template_per_version UNIQUE (task_namespace_uuid, name, version),
  constraint named_tasks_task_namespace_uuid_fkey FOREIGN KEY (task_namespace_uuid)
      REFERENCES tasker.task_namespaces(task_namespace_uuid),
  constraint grace_is_not_negative CHECK (cancel_grace_seconds >= 0),
  constraint has_steps CHECK (total_steps >= initial_steps AND initial_steps >= root_steps
      AND root_steps > 0),
  constraint max_duration_is_positive CHECK (max_duration > '00:00:00'::interval),
  constraint name_fits_into_an_address CHECK (name::text !~ '[/\\[:cntrl:]]'::text AND (name::text
      <> ALL (ARRAY['.'::character varying, '..'::character varying]::text[]))),
  constraint output_is_a_mapping CHECK (jsonb_typeof(output) = 'object'::text),
  constraint retention_is_not_negative CHECK (retention_days >= 0),
  constraint search_attributes_are_an_object CHECK (jsonb_typeof(search_attributes) =
      'object'::text),
  constraint unserved_is_not_negative CHECK (unserved_seconds >= 0)
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.named_tasks FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();
CREATE TRIGGER templates_never_change BEFORE DELETE OR UPDATE ON tasker.named_tasks FOR EACH ROW
    EXECUTE FUNCTION tasker.refuse_template_change();

-- How a template uses its steps: order, parents, handler and the defaults for retries.
create table tasker.named_tasks_named_steps (
  ntns_uuid             uuid not null default tasker.uuid_v7(),
  named_task_uuid       uuid not null,
  named_step_uuid       uuid not null,
  step_position         integer not null,
  -- step_position of every parent, ascending.
  parent_positions      integer[] not null,
  -- Number of steps that depend on this one; 0 for a leaf.
  child_count           integer not null,
  step_type             character varying(32) not null default 'standard'::character varying,
  handler_callable      character varying(500),
  handler_method        character varying(128) not null default 'call'::character varying,
  handler_resolver      character varying(128),
  -- Identifies the code of the step in one text: resolver, callable and method.
  handler_key text generated always as (( CASE WHEN handler_resolver IS NOT NULL
      THEN ('resolver:'::text || handler_resolver::text) || ':'::text
      ELSE ''::text END || handler_callable::text) || CASE WHEN handler_method::text <> 'call'::text
      THEN '#'::text || handler_method::text ELSE ''::text END) stored,
  initialization        jsonb not null default '{}'::jsonb,
  result_schema         jsonb,
  -- The sealed places of the result, of the payload of the signal or of the values of the approval,
  --   as read_sealed_places has them; null: none.
  sealed                jsonb,
  default_retryable     boolean not null default true,
  default_max_attempts  integer not null default 3,
  backoff               tasker.backoff_kind not null default 'exponential'::tasker.backoff_kind,
  backoff_base_ms       integer not null default 1000,
  max_backoff_ms        integer not null default 60000,
  timeout_seconds       integer,
  -- How long an offer of the step waits for a worker before it fails as queue_timeout; null: no
  --   limit.
  queue_timeout_seconds integer,
  -- retry.on_worker_lost: whether another attempt follows one whose worker was lost, or that no
  --   worker claimed.
  on_worker_lost tasker.lost_worker_policy not null default 'reschedule'::tasker.lost_worker_policy,
  -- Null for a step that a task begins with; otherwise the step is downstream of a decision, and
  --   comes after its parents in this order.
  growth_rank           integer,
  -- on_none: run. The deferred convergence runs although none of its parents was created.
  runs_on_none          boolean not null default false,
  -- compensation.when: attempted. Steps that ran and did not complete are undone, too.
  undoes_attempts       boolean not null default false,
  -- {rules: [{when, then}], otherwise} of a decision that has no handler.
  rules                 jsonb,
  -- What the step waits for after its parents: {kind: timer, for | until}, {kind: signal, name,
  --   schema?, timeout?, on_timeout?}, {kind: approval} with the keys of the template, or {kind:
  --   child, namespace, name, version?, context, priority?}, a child task.
  wait_for              jsonb,
  -- Of a batchable step: {items, batch_size, cursor_field}, items null where its handler returns
  --   the cursors. Of a batch_worker: {parallelism, failure_strategy, tolerate}, with every
  --   default; tolerate null: any number.
  batch                 jsonb,
  -- publishes_events of the step, each with its schema; null: it publishes nothing.
  events                jsonb,
  created_at            timestamp with time zone not null default now(),
  -- hash_step_definition at registration.
  document_hash         bigint not null,
  -- Keys of the step that only its handler reads, see get_handler_options; null: none.
  handler_options       jsonb,
  constraint named_tasks_named_steps_pkey PRIMARY KEY (ntns_uuid),
  constraint named_tasks_named_steps_named_step_uuid_key UNIQUE (named_step_uuid),
  constraint one_step_per_position UNIQUE (named_task_uuid, step_position),
  constraint named_tasks_named_steps_named_step_uuid_fkey FOREIGN KEY (named_step_uuid)
      REFERENCES tasker.named_steps(named_step_uuid),
  constraint named_tasks_named_steps_named_task_uuid_fkey FOREIGN KEY (named_task_uuid)
      REFERENCES tasker.named_tasks(named_task_uuid),
  constraint attempts_are_not_negative CHECK (default_max_attempts >= 0),
  constraint attempts_are_undone_by_a_compensation CHECK (NOT undoes_attempts OR step_type::text =
      'compensation'::text),
  constraint backoff_is_positive CHECK (backoff_base_ms > 0 AND max_backoff_ms >= backoff_base_ms),
  constraint batch_is_of_a_batch CHECK ((batch IS NOT NULL) = (step_type::text =
      ANY (ARRAY['batchable'::character varying, 'batch_worker'::character varying]::text[]))),
  constraint child_replaces_the_handler CHECK ((wait_for ->> 'kind'::text) <> 'child'::text
      OR handler_callable IS NULL),
  constraint has_a_handler_or_what_replaces_it CHECK ((handler_callable IS NULL) = (rules
      IS NOT NULL OR (batch ->> 'items'::text) IS NOT NULL) OR wait_for IS NOT NULL AND rules
      IS NULL AND batch IS NULL),
  constraint positions_count_from_one CHECK (step_position > 0),
  constraint prefix_of_the_engine_is_reserved CHECK (NOT jsonb_path_exists(events,
      '$[*]."name"?(@ starts with "tasker.")'::jsonpath)),
  constraint queue_timeout_is_positive CHECK (queue_timeout_seconds > 0),
  constraint rank_is_positive CHECK (growth_rank > 0),
  constraint rules_are_of_a_decision CHECK (rules IS NULL OR step_type::text = 'decision'::text),
  constraint timeout_is_positive CHECK (timeout_seconds > 0),
  constraint wait_is_of_a_kind CHECK (wait_for IS NULL OR ((wait_for ->> 'kind'::text) =
      ANY (ARRAY['timer'::text, 'signal'::text, 'approval'::text, 'child'::text]))),
  constraint waits_or_grows CHECK (wait_for IS NULL OR rules IS NULL AND batch IS NULL)
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.named_tasks_named_steps FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();
CREATE TRIGGER handlers_are_recorded AFTER INSERT
    ON tasker.named_tasks_named_steps REFERENCING NEW TABLE AS new_steps FOR EACH STATEMENT
    EXECUTE FUNCTION tasker.record_handlers();
CREATE TRIGGER templates_never_change BEFORE DELETE OR UPDATE ON tasker.named_tasks_named_steps
    FOR EACH ROW EXECUTE FUNCTION tasker.refuse_template_change();

-- The policies of a version of a template; step_position 0 means all its steps.
create table tasker.named_tasks_policies (
  named_task_uuid uuid not null,
  step_position   integer not null,
  policy_uuid     uuid not null,
  constraint named_tasks_policies_pkey PRIMARY KEY (named_task_uuid, step_position, policy_uuid),
  constraint named_tasks_policies_named_task_uuid_fkey FOREIGN KEY (named_task_uuid)
      REFERENCES tasker.named_tasks(named_task_uuid) ON DELETE CASCADE,
  constraint named_tasks_policies_policy_uuid_fkey FOREIGN KEY (policy_uuid)
      REFERENCES tasker.concurrency_policies(policy_uuid)
);

-- The handlers that the templates of a namespace name, each once.
create table tasker.namespace_handlers (
  task_namespace_uuid uuid not null,
  handler_key         text not null,
  handler_callable    text not null,
  handler_resolver    text,
  constraint namespace_handlers_pkey PRIMARY KEY (task_namespace_uuid, handler_key),
  constraint namespace_handlers_task_namespace_uuid_fkey FOREIGN KEY (task_namespace_uuid)
      REFERENCES tasker.task_namespaces(task_namespace_uuid) ON DELETE CASCADE
);

-- Operator actions with their actors and reasons, append-only. details holds overwritten values:
--   the previous contexts and inputs.
create table tasker.operator_actions (
  action_uuid        uuid not null default tasker.uuid_v7(),
  acted_at           timestamp with time zone not null default clock_timestamp(),
  action             character varying(32) not null,
  acted_by           character varying(160) not null,
  -- The authenticated REST caller, when acted_by is the name that the request claimed; null
  --   otherwise.
  authenticated_as character varying(160) default NULLIF(current_setting('tasker.caller'::text,
      true), ''::text),
  reason             character varying(1000) not null,
  task_uuid          uuid,
  workflow_step_uuid uuid,
  dlq_entry_uuid     uuid,
  namespace          character varying(29),
  template_name      character varying(64),
  template_version   character varying(16),
  bulk_token         uuid,
  details            jsonb,
  constraint operator_actions_pkey PRIMARY KEY (action_uuid),
  constraint acted_by_is_not_blank CHECK (btrim(acted_by::text) <> ''::text),
  constraint for_a_reason CHECK (btrim(reason::text) <> ''::text)
);
CREATE INDEX operator_actions_task_uuid_idx ON tasker.operator_actions USING btree (task_uuid)
    WHERE (task_uuid IS NOT NULL);
CREATE TRIGGER history_is_append_only BEFORE DELETE OR UPDATE ON tasker.operator_actions
    FOR EACH ROW EXECUTE FUNCTION tasker.refuse_history_change();

-- Purged tasks whose history may still exist; deleted when the months of that history are dropped.
create table tasker.purged_tasks (
  task_uuid    uuid not null,
  created_at   timestamp with time zone not null,
  last_move_at timestamp with time zone not null,
  purged_at    timestamp with time zone not null default now(),
  constraint purged_tasks_pkey PRIMARY KEY (task_uuid)
);

-- Signals that a transaction queued and no server has delivered yet, and those that their task
--   refused; see queue_signal.
create table tasker.queued_signals (
  queued_uuid uuid not null default tasker.uuid_v7(),
  task_uuid   uuid not null,
  name        character varying(64) not null,
  signal_id   character varying(128),
  -- The sent_at that the signal gets: when it was queued.
  sent_at     timestamp with time zone not null default clock_timestamp(),
  sent_by     character varying(160),
  payload     jsonb not null,
  refused_at  timestamp with time zone,
  -- Why the task refused it, as send_signals calls it.
  code        character varying(64),
  message     character varying(1000),
  constraint queued_signals_pkey PRIMARY KEY (queued_uuid),
  constraint reason_iff_refused CHECK ((refused_at IS NULL) = (code IS NULL))
);
CREATE INDEX queued_signals_task_uuid_idx ON tasker.queued_signals USING btree (task_uuid);
CREATE INDEX queued_signals_undelivered_idx ON tasker.queued_signals USING btree (queued_uuid)
    WHERE (refused_at IS NULL);

-- One row: the progress of the reconciler over all tasks; the session that processes the next part
--   locks it.
create table tasker.reconciler_progress (
  only_row      boolean not null default true,
  -- The last task that was checked; null between two passes.
  cursor_uuid   uuid,
  pass_began_at timestamp with time zone not null default now(),
  -- When the latest pass over all tasks ended.
  last_pass_at  timestamp with time zone,
  constraint reconciler_progress_pkey PRIMARY KEY (only_row),
  constraint reconciler_progress_only_row_check CHECK (only_row)
)
with (fillfactor=50);

-- How long finished tasks are kept: all (no namespace), those of a namespace, or those of a
--   template, in any state or in one. The most specific policy applies.
create table tasker.retention_policies (
  namespace_name character varying(29),
  template_name  character varying(64),
  state          tasker.task_state,
  -- Days after the end of the task; null: without limit.
  keep_days      integer,
  set_by         character varying(160) not null,
  -- The name that the request claimed, when set_by is the authenticated caller.
  claimed_actor  character varying(128),
  reason         character varying(1000) not null,
  set_at         timestamp with time zone not null default now(),
  constraint one_policy_per_place_and_state UNIQUE NULLS NOT DISTINCT (namespace_name,
      template_name, state),
  constraint a_template_has_a_namespace CHECK (template_name IS NULL OR namespace_name IS NOT NULL),
  constraint days_are_in_range CHECK (keep_days >= 0 AND keep_days <= 36500),
  constraint only_terminal_states_are_purged CHECK (state =
      ANY (ARRAY['complete'::tasker.task_state, 'error'::tasker.task_state,
      'cancelled'::tasker.task_state, 'resolved_manually'::tasker.task_state]))
);

-- The progress of the clean-up of a template's tasks; the session that cleans them up locks the
--   row.
create table tasker.retention_progress (
  named_task_uuid uuid not null,
  next_pass_at    timestamp with time zone not null default '-infinity'::timestamp with time zone,
  -- The last task that was examined; null between two passes.
  cursor_uuid     uuid,
  purged_tasks    bigint not null default 0,
  last_purged_at  timestamp with time zone,
  constraint retention_progress_pkey PRIMARY KEY (named_task_uuid),
  constraint retention_progress_named_task_uuid_fkey FOREIGN KEY (named_task_uuid)
      REFERENCES tasker.named_tasks(named_task_uuid) ON DELETE CASCADE
)
with (fillfactor=50);

-- Filters of lists that a caller saved: for itself, or for all who may list tasks in a namespace.
create table tasker.saved_views (
  view_uuid uuid not null default tasker.uuid_v7(),
  page      character varying(64) not null,
  name      character varying(128) not null,
  query     character varying(2000) not null,
  -- Null: for its owner only.
  namespace character varying(29),
  -- The REST caller that saved it, by kind and uuid, as user:…; a name when there is no uuid.
  owner     character varying(300) not null,
  saved_by  character varying(160) not null,
  saved_at  timestamp with time zone not null default clock_timestamp(),
  constraint saved_views_pkey PRIMARY KEY (view_uuid),
  constraint one_view_per_name UNIQUE NULLS NOT DISTINCT (owner, page, namespace, name),
  constraint name_is_printable CHECK (name::text ~ '^[^[:cntrl:]]+$'::text AND btrim(name::text) =
      name::text),
  constraint page_is_a_word CHECK (page::text ~ '^[A-Za-z][A-Za-z-]*$'::text)
);
CREATE INDEX saved_views_namespace_idx ON tasker.saved_views USING btree (namespace)
    WHERE (namespace IS NOT NULL);

-- Requests to submit tasks for the fire times of a past period that have no task. cursor_at is the
--   last fire time that was decided.
create table tasker.schedule_backfills (
  backfill_uuid uuid not null default tasker.uuid_v7(),
  schedule_uuid uuid not null,
  from_at       timestamp with time zone not null,
  to_at         timestamp with time zone not null,
  cursor_at     timestamp with time zone not null,
  overlap       character varying(16) not null,
  state         character varying(16) not null default 'running'::character varying,
  started_count integer not null default 0,
  -- Fire times of the period that had a task already.
  present_count integer not null default 0,
  failure       jsonb,
  created_at    timestamp with time zone not null default clock_timestamp(),
  created_by    character varying(160) not null,
  reason        character varying(1000) not null,
  ended_at      timestamp with time zone,
  wake_at       timestamp with time zone,
  constraint schedule_backfills_pkey PRIMARY KEY (backfill_uuid),
  constraint schedule_backfills_schedule_uuid_fkey FOREIGN KEY (schedule_uuid)
      REFERENCES tasker.schedules(schedule_uuid) ON DELETE CASCADE,
  constraint ended_iff_not_running CHECK ((ended_at IS NULL) = (state::text = 'running'::text)
      AND (wake_at IS NULL) = (state::text <> 'running'::text)),
  constraint failure_iff_failed CHECK ((failure IS NOT NULL) = (state::text = 'failed'::text)),
  constraint known_overlap CHECK (overlap::text = ANY (ARRAY['allow'::character varying,
      'one_by_one'::character varying]::text[])),
  constraint known_state CHECK (state::text = ANY (ARRAY['running'::character varying,
      'complete'::character varying, 'cancelled'::character varying,
      'failed'::character varying]::text[])),
  constraint range_is_not_empty CHECK (to_at > from_at AND cursor_at <= to_at)
);
CREATE INDEX schedule_backfills_schedule_uuid_idx ON tasker.schedule_backfills
    USING btree (schedule_uuid);
CREATE INDEX schedule_backfills_wake_at_idx ON tasker.schedule_backfills USING btree (wake_at)
    WHERE (wake_at IS NOT NULL);

-- Servers that cannot calculate the fire times of a schedule, such as one whose JVM does not know
--   its zone.
create table tasker.schedule_declines (
  schedule_uuid uuid not null,
  server_uuid   uuid not null,
  -- Of the schedule: a decline says nothing about another version.
  version       integer not null,
  message       character varying(1000) not null,
  declined_at   timestamp with time zone not null,
  constraint schedule_declines_pkey PRIMARY KEY (schedule_uuid, server_uuid),
  constraint schedule_declines_schedule_uuid_fkey FOREIGN KEY (schedule_uuid)
      REFERENCES tasker.schedules(schedule_uuid) ON DELETE CASCADE,
  constraint schedule_declines_server_uuid_fkey FOREIGN KEY (server_uuid)
      REFERENCES tasker.servers(server_uuid) ON DELETE CASCADE
);
CREATE INDEX schedule_declines_server_uuid_idx ON tasker.schedule_declines
    USING btree (server_uuid);

-- What became of a fire time of a schedule: one row per fire time, and one per range of fire times
--   that were missed together.
create table tasker.schedule_fires (
  schedule_uuid uuid not null,
  fire_at       timestamp with time zone not null,
  is_range      boolean not null default false,
  until_at      timestamp with time zone,
  -- How many fire times a range has; null: more than a thousand.
  fire_count    integer,
  origin        character varying(16) not null,
  outcome       character varying(16) not null,
  reason        character varying(64),
  message       character varying(1000),
  task_uuid     uuid,
  -- The task was unfinished when the schedule was last processed.
  is_open       boolean not null default false,
  backfill_uuid uuid,
  decided_at    timestamp with time zone not null,
  constraint schedule_fires_pkey PRIMARY KEY (schedule_uuid, fire_at, is_range),
  constraint schedule_fires_schedule_uuid_fkey FOREIGN KEY (schedule_uuid)
      REFERENCES tasker.schedules(schedule_uuid) ON DELETE CASCADE,
  constraint known_origin CHECK (origin::text = ANY (ARRAY['schedule'::character varying,
      'trigger'::character varying, 'backfill'::character varying]::text[])),
  constraint known_outcome CHECK (outcome::text = ANY (ARRAY['started'::character varying,
      'queued'::character varying, 'skipped'::character varying, 'missed'::character varying,
      'failed'::character varying]::text[])),
  constraint only_a_started_fire_is_open CHECK (NOT is_open OR outcome::text = 'started'::text),
  constraint only_missed_fires_are_a_range CHECK (is_range = (until_at IS NOT NULL)
      AND (NOT is_range OR outcome::text = 'missed'::text) AND until_at >= fire_at),
  constraint reason_iff_not_started CHECK ((reason IS NULL) = (outcome::text = 'started'::text)),
  constraint task_iff_started CHECK ((task_uuid IS NOT NULL) = (outcome::text = 'started'::text))
);
CREATE INDEX schedule_fires_decided_at_idx ON tasker.schedule_fires USING btree (decided_at);
CREATE INDEX schedule_fires_open_idx ON tasker.schedule_fires USING btree (schedule_uuid)
    WHERE is_open;
CREATE UNIQUE INDEX schedule_fires_task_uuid_key ON tasker.schedule_fires USING btree (task_uuid)
    WHERE (task_uuid IS NOT NULL);
CREATE TRIGGER events_follow_failed_fires AFTER INSERT OR UPDATE OF outcome ON tasker.schedule_fires
    FOR EACH ROW WHEN (((new.outcome)::text = 'failed'::text))
    EXECUTE FUNCTION tasker.publish_fire_events();
CREATE TRIGGER events_go_with_their_fire AFTER DELETE
    ON tasker.schedule_fires REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
    EXECUTE FUNCTION tasker.delete_fire_events();

-- Tasks that are submitted at fire times. A deleted schedule stays as a row with deleted_at, so
--   that its fires keep their meaning.
create table tasker.schedules (
  schedule_uuid        uuid not null default tasker.uuid_v7(),
  namespace_name       character varying(29) not null,
  name                 character varying(64) not null,
  template_name        character varying(64) not null,
  template_version     character varying(16),
  context              jsonb not null default '{}'::jsonb,
  -- Members of the task request besides namespace, name, version and context: tags, priority and
  --   source_system.
  options              jsonb not null default '{}'::jsonb,
  -- The member of the context that gets the fire time; null: none.
  time_member          character varying(64),
  cron                 character varying(200),
  every_seconds        integer,
  zone                 character varying(64) not null default 'UTC'::character varying,
  starts_at            timestamp with time zone,
  ends_at              timestamp with time zone,
  -- Fire times of an interval are this instant and whole intervals after it.
  anchor_at            timestamp with time zone not null,
  jitter_seconds       integer not null default 0,
  overlap              character varying(16) not null default 'skip'::character varying,
  catch_up             character varying(8) not null default 'last'::character varying,
  catch_up_seconds     integer not null default 86400,
  pause_after_failures smallint not null default 10,
  -- The fire time that is decided next: the cursor, which only moves forward except by a change of
  --   the timing. Null: there is none.
  next_fire_at         timestamp with time zone,
  -- next_fire_at and its jitter.
  next_due_at          timestamp with time zone,
  -- A fire time that waits for the previous task to end.
  queued_fire_at       timestamp with time zone,
  recheck_at           timestamp with time zone,
  paused_at            timestamp with time zone,
  paused_by            character varying(160),
  pause_reason         character varying(1000),
  last_fire_at         timestamp with time zone,
  last_task_uuid       uuid,
  started_count        bigint not null default 0,
  skipped_count        bigint not null default 0,
  missed_count         bigint not null default 0,
  failed_count         bigint not null default 0,
  failures_in_a_row    integer not null default 0,
  last_failure         jsonb,
  version              integer not null default 1,
  created_at           timestamp with time zone not null default clock_timestamp(),
  created_by           character varying(160) not null,
  updated_at           timestamp with time zone not null default clock_timestamp(),
  updated_by           character varying(160) not null,
  deleted_at           timestamp with time zone,
  -- When a server has to process the schedule; null while it is paused, deleted or over.
  wake_at timestamp with time zone generated always as ( CASE WHEN paused_at IS NULL AND deleted_at
      IS NULL THEN LEAST(next_due_at, recheck_at) ELSE NULL::timestamp with time zone END) stored,
  constraint schedules_pkey PRIMARY KEY (schedule_uuid),
  constraint cron_or_interval CHECK (num_nonnulls(cron, every_seconds) = 1 AND every_seconds > 0),
  constraint documents_are_objects CHECK (jsonb_typeof(context) = 'object'::text
      AND jsonb_typeof(options) = 'object'::text),
  constraint due_no_earlier_than_its_fire_time CHECK ((next_fire_at IS NULL) = (next_due_at IS NULL)
      AND next_due_at >= next_fire_at),
  constraint ends_after_its_start CHECK (ends_at > starts_at),
  constraint known_catch_up CHECK (catch_up::text = ANY (ARRAY['last'::character varying,
      'all'::character varying]::text[])),
  constraint known_overlap CHECK (overlap::text = ANY (ARRAY['skip'::character varying,
      'queue_one'::character varying, 'allow'::character varying,
      'cancel_previous'::character varying]::text[])),
  constraint pause_has_actor_and_reason CHECK (num_nonnulls(paused_at, paused_by, pause_reason) =
      ANY (ARRAY[0, 3])),
  constraint queued_fire_is_rechecked CHECK ((queued_fire_at IS NULL) = (recheck_at IS NULL)),
  constraint ranges_are_kept CHECK (jitter_seconds >= 0 AND jitter_seconds <= 86400
      AND catch_up_seconds >= 1 AND catch_up_seconds <= 31622400 AND pause_after_failures >= 0
      AND pause_after_failures <= 1000)
)
with (fillfactor=60);
CREATE UNIQUE INDEX schedules_name_key ON tasker.schedules USING btree (namespace_name, name)
    WHERE (deleted_at IS NULL);
CREATE INDEX schedules_wake_at_idx ON tasker.schedules USING btree (wake_at) WHERE (wake_at
    IS NOT NULL);
CREATE INDEX schedules_without_fire_time_idx ON tasker.schedules USING btree (COALESCE(ends_at,
    'infinity'::timestamp with time zone), schedule_uuid) WHERE ((next_fire_at IS NULL)
    AND (paused_at IS NULL) AND (deleted_at IS NULL));
CREATE TRIGGER events_follow_pauses AFTER UPDATE OF paused_at ON tasker.schedules FOR EACH ROW
    WHEN ((((new.paused_by)::text = 'tasker'::text) AND (old.paused_at IS NULL)
    AND (new.last_failure IS NOT NULL))) EXECUTE FUNCTION tasker.publish_pause_events();

-- One row per start of a server, renewed by its heartbeat and kept for a day after the last.
create table tasker.servers (
  server_uuid       uuid not null,
  name              character varying(255) not null,
  roles             text[] not null,
  -- The state that the server reports; get_servers shows lost when its heartbeat is overdue.
  state             tasker.server_state not null default 'healthy'::tasker.server_state,
  registered_at     timestamp with time zone not null default now(),
  heartbeat_at      timestamp with time zone not null default now(),
  heartbeat_seconds integer not null default 2,
  -- Since when its heartbeats have arrived without a gap; a server that was absent itself does not
  --   declare others lost.
  present_since     timestamp with time zone not null default now(),
  -- Four heartbeats after the last one: from then on the server counts as lost.
  lease_expires_at  timestamp with time zone not null,
  -- When the leases of the lost server were ended.
  lost_at           timestamp with time zone,
  problems          text[] not null default '{}'::text[],
  constraint servers_pkey PRIMARY KEY (server_uuid),
  constraint heartbeat_is_positive CHECK (heartbeat_seconds > 0)
);

-- History of workflow_steps.state, one row for what a transaction did to a step; the view
--   workflow_step_transitions has a row for each move.
create table tasker.step_moves (
  workflow_step_uuid uuid not null,
  task_uuid          uuid not null,
  -- The transaction that made the move. A snapshot sees all moves of transactions below its
  --   pg_snapshot_xmin that will ever exist.
  xact_id            bigint not null default pg_current_xact_id()::text::bigint,
  created_at         timestamp with time zone not null default clock_timestamp(),
  processor_uuid     uuid,
  -- That of the last move of the row; moves count from 1 per step.
  sort_key           integer not null,
  from_state         tasker.step_state,
  to_state           tasker.step_state not null,
  -- Who made the last move of the row.
  actor              tasker.actor not null,
  -- The states that the step passed through between from_state and to_state: step_paths. Null for a
  --   single move. A row with a path has no metadata.
  path               tasker.step_path_name,
  -- The handoff of the moves, 0 before the first.
  handoff            integer not null,
  attempt            integer not null,
  metadata           jsonb
) partition by RANGE (created_at);
CREATE INDEX step_moves_task_uuid_idx ON ONLY tasker.step_moves
    USING brin (task_uuid uuid_minmax_multi_ops) WITH (pages_per_range='32');
CREATE INDEX step_moves_xact_id_idx ON ONLY tasker.step_moves USING brin (xact_id)
    WITH (pages_per_range='32');
CREATE TRIGGER history_is_append_only BEFORE DELETE OR UPDATE ON tasker.step_moves FOR EACH ROW
    EXECUTE FUNCTION tasker.refuse_history_change();
CREATE TRIGGER moves_follow_the_rules AFTER INSERT
    ON tasker.step_moves REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
    EXECUTE FUNCTION tasker.check_step_transitions();

-- The moves of each path, in their order: every state between the first and the last is the
--   to_state of one move and the from_state of the next.
create table tasker.step_paths (
  path       tasker.step_path_name not null,
  number     integer not null,
  moves      integer not null,
  -- Null for the first move: that of the row.
  from_state tasker.step_state,
  -- Null for the last move: that of the row.
  to_state   tasker.step_state,
  -- Null for the last move: that of the row.
  actor      tasker.actor,
  -- True: the move is before the first handoff and the first attempt.
  is_birth   boolean not null,
  constraint step_paths_pkey PRIMARY KEY (path, number)
);

-- How many steps of finished tasks are in each state, as far as moves are counted.
create table tasker.step_state_tallies (
  state tasker.step_state not null,
  steps bigint not null,
  constraint step_state_tallies_pkey PRIMARY KEY (state)
);

-- Executions of a step of a template, in tasks that ended within a minute. One attempt is one
--   execution.
create table tasker.step_tallies (
  minute          timestamp with time zone not null,
  named_step_uuid uuid not null,
  executions      bigint not null,
  errors          bigint not null,
  seconds         numeric not null,
  least_seconds   numeric not null,
  most_seconds    numeric not null,
  last_at         timestamp with time zone not null,
  constraint step_tallies_pkey PRIMARY KEY (minute, named_step_uuid)
);

-- What steps wait for after their parents, one row each time that a wait is armed. A step with an
--   open wait stays pending.
create table tasker.step_waits (
  wait_uuid          uuid not null default tasker.uuid_v7(),
  task_uuid          uuid not null,
  workflow_step_uuid uuid not null,
  kind               tasker.wait_kind not null,
  state              tasker.wait_state not null default 'open'::tasker.wait_state,
  armed_at           timestamp with time zone not null,
  -- When the timer fires, the next child is submitted, or the wait for a signal or a child times
  --   out; null: it waits without a limit.
  due_at             timestamp with time zone,
  ended_at           timestamp with time zone,
  signal_name        character varying(64),
  -- The child task that the step waits for.
  child_task_uuid    uuid,
  -- Of a wait for a child: which attempt of the step it is, 1 after a reset. Of the pause before a
  --   retry: the attempt that follows.
  attempt            integer,
  constraint step_waits_pkey PRIMARY KEY (wait_uuid),
  constraint attempt_iff_child CHECK (NOT (attempt > 0) IS DISTINCT FROM CASE WHEN kind =
      ANY (ARRAY['child'::tasker.wait_kind, 'child_retry'::tasker.wait_kind]) THEN true
      ELSE NULL::boolean END),
  constraint child_iff_child CHECK ((child_task_uuid IS NOT NULL) = (kind =
      'child'::tasker.wait_kind)),
  constraint ended_iff_not_open CHECK ((ended_at IS NULL) = (state = 'open'::tasker.wait_state)),
  constraint ends_after_it_was_armed CHECK (ended_at >= armed_at),
  constraint name_iff_signal CHECK ((signal_name IS NOT NULL) = (kind =
      'signal'::tasker.wait_kind)),
  constraint retry_has_a_time CHECK (kind <> 'child_retry'::tasker.wait_kind OR due_at IS NOT NULL),
  constraint time_out_is_not_early CHECK ((state <> ALL (ARRAY['timed_out'::tasker.wait_state,
      'defaulted'::tasker.wait_state])) OR ended_at >= due_at),
  constraint timer_has_a_time CHECK (kind <> 'timer'::tasker.wait_kind OR due_at IS NOT NULL),
  constraint timer_is_not_early CHECK (kind <> 'timer'::tasker.wait_kind OR state
      <> 'satisfied'::tasker.wait_state OR ended_at >= due_at),
  constraint times_are_finite CHECK (isfinite(due_at) AND isfinite(armed_at))
);
CREATE UNIQUE INDEX one_open_wait_per_step ON tasker.step_waits USING btree (task_uuid,
    workflow_step_uuid) WHERE (state = 'open'::tasker.wait_state);
CREATE INDEX step_waits_task_uuid_idx ON tasker.step_waits USING btree (task_uuid,
    workflow_step_uuid);

-- The compensation of a task, one row at most: why, on whose behalf, and how it went.
create table tasker.task_compensations (
  task_uuid      uuid not null,
  cause          tasker.compensation_cause not null,
  state          tasker.compensation_state not null,
  asked_at       timestamp with time zone not null,
  began_at       timestamp with time zone,
  ended_at       timestamp with time zone,
  -- How many steps were added that compensate others; null until then.
  planned_steps  integer,
  -- Who asked for it; null when the template did.
  asked_by       character varying(160),
  reason         character varying(1000),
  -- The request of a cancel while its compensation runs: the task has none then, so that it accepts
  --   handoffs; the end of the task gives it back.
  cancel_request jsonb,
  constraint task_compensations_pkey PRIMARY KEY (task_uuid),
  constraint began_iff_planned CHECK ((began_at IS NULL) = (state =
      'asked'::tasker.compensation_state) AND (planned_steps IS NULL) = (began_at IS NULL)),
  constraint ended_iff_over CHECK ((ended_at IS NULL) = (state =
      ANY (ARRAY['asked'::tasker.compensation_state, 'running'::tasker.compensation_state]))),
  constraint only_a_cancel_asks_ahead CHECK (state <> 'asked'::tasker.compensation_state OR cause =
      'cancel'::tasker.compensation_cause),
  constraint request_is_of_a_cancel CHECK (cancel_request IS NULL OR cause =
      'cancel'::tasker.compensation_cause)
);

-- The JSON given at creation, written once.
create table tasker.task_contexts (
  task_uuid     uuid not null,
  context       jsonb not null,
  -- hash_documents(context, submitted_by) when they were written.
  document_hash bigint not null,
  -- The authenticated caller that submitted the task over REST; null otherwise. tasks.initiator is
  --   the name that the request claimed.
  submitted_by  character varying(160),
  -- The trace of the request, a W3C Trace Context traceparent.
  trace_parent  character varying(55),
  constraint task_contexts_pkey PRIMARY KEY (task_uuid),
  constraint context_is_an_object CHECK (jsonb_typeof(context) = 'object'::text) NOT VALID,
  constraint trace_parent_is_of_w3c CHECK (trace_parent::text
      ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text) NOT VALID
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.task_contexts FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- Tasks whose processing raised an error: how often in a row, and the latest cause.
create table tasker.task_faults (
  task_uuid uuid not null,
  faults    integer not null,
  first_at  timestamp with time zone not null,
  last_at   timestamp with time zone not null,
  parked_at timestamp with time zone,
  sqlstate  character varying(5) not null,
  cause     text not null,
  constraint task_faults_pkey PRIMARY KEY (task_uuid),
  constraint task_faults_task_uuid_fkey FOREIGN KEY (task_uuid) REFERENCES tasker.tasks(task_uuid)
      ON DELETE CASCADE,
  constraint faults_are_counted CHECK (faults > 0)
);

-- Tasks that were made from another one. The source may have been deleted since.
create table tasker.task_forks (
  task_uuid        uuid not null,
  source_task_uuid uuid not null,
  forked_at        timestamp with time zone not null,
  -- The steps from which on the fork runs again, as the request named them.
  from_steps       text[] not null,
  -- How many steps were done from the start, with the results of the source.
  copied_steps     integer not null,
  constraint task_forks_pkey PRIMARY KEY (task_uuid),
  constraint copied_is_not_negative CHECK (copied_steps >= 0),
  constraint not_its_own_source CHECK (task_uuid <> source_task_uuid),
  constraint runs_from_a_step CHECK (cardinality(from_steps) > 0)
);
CREATE INDEX task_forks_source_task_uuid_idx ON tasker.task_forks USING btree (source_task_uuid,
    forked_at);

-- History of tasks.state, one row for what a transaction did to a task; the view task_transitions
--   has a row for each move.
create table tasker.task_moves (
  task_uuid      uuid not null,
  -- The transaction that made the move. A snapshot sees all moves of transactions below its
  --   pg_snapshot_xmin that will ever exist.
  xact_id        bigint not null default pg_current_xact_id()::text::bigint,
  created_at     timestamp with time zone not null default clock_timestamp(),
  -- The server that made the move: for audit only, in no WHERE clause.
  processor_uuid uuid,
  -- That of the last move of the row; moves count from 1 per task.
  sort_key       integer not null,
  from_state     tasker.task_state,
  to_state       tasker.task_state not null,
  actor          tasker.actor not null,
  -- The states that the task passed through between from_state and to_state: task_paths. Null for a
  --   single move. A row with a path has no metadata.
  path           tasker.task_path_name,
  metadata       jsonb,
  -- The steps that the transaction created with the task and left pending: this is their first
  --   move. Null in every row but that of a birth.
  born_steps     uuid[],
  constraint task_moves_pkey PRIMARY KEY (task_uuid, sort_key, created_at)
) partition by RANGE (created_at);
CREATE INDEX task_moves_xact_id_created_at_idx ON ONLY tasker.task_moves USING brin (xact_id,
    created_at) WITH (pages_per_range='16');
CREATE TRIGGER history_is_append_only BEFORE DELETE OR UPDATE ON tasker.task_moves FOR EACH ROW
    EXECUTE FUNCTION tasker.refuse_history_change();
CREATE TRIGGER moves_follow_the_rules AFTER INSERT
    ON tasker.task_moves REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
    EXECUTE FUNCTION tasker.check_task_transitions();

-- Namespaces of template names; each has the queue worker_{name}_queue.
create table tasker.task_namespaces (
  task_namespace_uuid uuid not null default tasker.uuid_v7(),
  name                character varying(29) not null,
  description         character varying(255),
  -- Points added to the priority of every task of the namespace.
  priority_modifier   integer not null default 0,
  -- Since when no step of the namespace is handed off; its templates, also those registered later,
  --   are in template_pauses.
  paused_at           timestamp with time zone,
  paused_by           character varying(160),
  -- The name that the request claimed, when paused_by is the authenticated caller.
  pause_claimed_actor character varying(128),
  pause_reason        character varying(1000),
  created_at          timestamp with time zone not null default now(),
  updated_at          timestamp with time zone not null default now(),
  constraint task_namespaces_pkey PRIMARY KEY (task_namespace_uuid),
  constraint task_namespaces_name_key UNIQUE (name),
  constraint name_fits_a_queue_name CHECK (name::text ~ '^[a-zA-Z][a-zA-Z0-9_]*$'::text),
  constraint pause_is_whole CHECK ((paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL)
      = (pause_reason IS NULL))
);
CREATE UNIQUE INDEX one_namespace_per_queue ON tasker.task_namespaces
    USING btree (lower((name)::text));

-- What one task has to tell another, which must not be locked together: that a child has ended, or
--   that it is to be cancelled. A server acts upon each under the lock of its receiver, and deletes
--   it.
create table tasker.task_notices (
  notice_uuid uuid not null default tasker.uuid_v7(),
  -- The receiver: the parent for child_ended, the child for cancel.
  task_uuid   uuid not null,
  sender_uuid uuid not null,
  kind        tasker.notice_kind not null,
  sent_at     timestamp with time zone not null default clock_timestamp(),
  details     jsonb,
  constraint task_notices_pkey PRIMARY KEY (notice_uuid)
);
CREATE INDEX task_notices_task_uuid_idx ON tasker.task_notices USING btree (task_uuid);

-- The outputs of ended tasks whose template has an output, written once. Others are computed from
--   the results of the leaves: get_task_output.
create table tasker.task_outputs (
  task_uuid     uuid not null,
  output        jsonb,
  -- Why there is none: {type, message, details}.
  error         jsonb,
  -- hash_documents(output, error) at insertion.
  document_hash bigint not null,
  constraint task_outputs_pkey PRIMARY KEY (task_uuid),
  constraint output_or_error CHECK ((output IS NULL) <> (error IS NULL))
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.task_outputs FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- The moves of each path, in their order: every state between the first and the last is the
--   to_state of one move and the from_state of the next.
create table tasker.task_paths (
  path       tasker.task_path_name not null,
  number     integer not null,
  moves      integer not null,
  -- Null for the first move: that of the row.
  from_state tasker.task_state,
  -- Null for the last move: that of the row.
  to_state   tasker.task_state,
  constraint task_paths_pkey PRIMARY KEY (path, number)
);

-- The values of contexts by which list_tasks finds tasks; write_search_attributes extracts them
--   from task_contexts.
create table tasker.task_search_attributes (
  task_uuid uuid not null,
  -- One of the names in named_tasks.search_attributes.
  name      character varying(63) not null,
  -- The value under the path of the name: a string without quotes, a number, true or false. A
  --   missing or null value has no row.
  value     character varying(256) not null,
  constraint task_search_attributes_pkey PRIMARY KEY (task_uuid, name)
);
CREATE INDEX task_search_attributes_value_idx ON tasker.task_search_attributes USING btree (name,
    value, task_uuid DESC);

-- Signals that a task received, in the order of their arrival. Each is kept until a wait consumes
--   it.
create table tasker.task_signals (
  signal_uuid   uuid not null default tasker.uuid_v7(),
  task_uuid     uuid not null,
  name          character varying(64) not null,
  -- Given under the lock of the task: 1 is the first signal of the task, whatever its name.
  number        integer not null,
  -- The id that the sender gave it; a second one with the same id and name is a duplicate.
  signal_id     character varying(128),
  sent_at       timestamp with time zone not null,
  sent_by       character varying(160),
  payload       jsonb not null,
  -- hash_signal at insertion: the payload, the name, the number, the id, and who sent it when.
  document_hash bigint not null,
  -- The wait that it satisfied; null while no step has consumed it.
  wait_uuid     uuid,
  consumed_at   timestamp with time zone,
  constraint task_signals_pkey PRIMARY KEY (signal_uuid),
  constraint one_signal_per_number UNIQUE (task_uuid, number),
  constraint task_signals_wait_uuid_key UNIQUE (wait_uuid),
  constraint consumed_by_a_wait CHECK ((wait_uuid IS NULL) = (consumed_at IS NULL)),
  constraint numbers_count_from_one CHECK (number > 0)
);
CREATE UNIQUE INDEX one_signal_per_id ON tasker.task_signals USING btree (task_uuid, name,
    signal_id) WHERE (signal_id IS NOT NULL);
CREATE INDEX task_signals_kept_idx ON tasker.task_signals USING btree (task_uuid, name, number)
    WHERE (wait_uuid IS NULL);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.task_signals FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- How many tasks are in each state, as far as moves are counted.
create table tasker.task_state_tallies (
  state tasker.task_state not null,
  tasks bigint not null,
  constraint task_state_tallies_pkey PRIMARY KEY (state)
);

-- Tasks of a template that entered a state within a minute: pending means creation, the others are
--   terminal. Durations count from creation.
create table tasker.task_tallies (
  minute          timestamp with time zone not null,
  named_task_uuid uuid not null,
  state           tasker.task_state not null,
  tasks           bigint not null,
  steps           bigint not null,
  failed_steps    bigint not null,
  seconds         numeric not null,
  least_seconds   numeric not null,
  most_seconds    numeric not null,
  last_at         timestamp with time zone not null,
  constraint task_tallies_pkey PRIMARY KEY (minute, named_task_uuid, state)
);

-- The allowed moves of a task and their actors; from_state null is creation.
create table tasker.task_transition_rules (
  from_state tasker.task_state,
  to_state   tasker.task_state not null,
  actor      tasker.actor not null,
  meaning    text not null,
  constraint one_rule_per_task_move UNIQUE NULLS NOT DISTINCT (from_state, to_state, actor)
);

-- When a server evaluates a task at the latest; a row exists exactly while the task is neither
--   terminal nor blocked.
create table tasker.task_wakeups (
  task_uuid uuid not null,
  wake_at   timestamp with time zone not null,
  constraint task_wakeups_pkey PRIMARY KEY (task_uuid)
) with (autovacuum_vacuum_cost_limit=2000, autovacuum_vacuum_scale_factor=0.02,
    autovacuum_vacuum_threshold=500, fillfactor=80);
CREATE INDEX task_wakeups_wake_at_idx ON tasker.task_wakeups USING btree (wake_at);

-- One run of a template. state is authoritative, moved by compare-and-set; task_transitions is its
--   history.
create table tasker.tasks (
  task_uuid             uuid not null,
  named_task_uuid       uuid not null,
  correlation_id        uuid not null,
  parent_correlation_id uuid,
  -- The task on whose behalf this one was submitted; a cancel of the parent may include this task.
  parent_task_uuid      uuid,
  -- The step of parent_task_uuid that waits for this task; null for a task that no step has
  --   submitted.
  parent_step_uuid      uuid,
  -- The task that has taken over the identity of this one, which has ended and cannot be restarted.
  replaced_by_task_uuid uuid,
  -- The ended task whose identity this one took over.
  replaces_task_uuid    uuid,
  -- The ended child task whose steps this one compensates; it consists of that compensation from
  --   its beginning. Null for every other task.
  compensates_task_uuid uuid,
  created_at            timestamp with time zone not null default now(),
  requested_at          timestamp with time zone not null default now(),
  completed_at          timestamp with time zone,
  -- The time of a cancel request, which is not a state: no step starts after it.
  cancel_requested_at   timestamp with time zone,
  -- When recovery ends running steps that a cancel request asked to stop.
  cancel_force_at       timestamp with time zone,
  -- When the engine detected that the task exceeded lifecycle.sla_minutes; since then claim_order
  --   is lower by 100 points.
  sla_breached_at       timestamp with time zone,
  -- When the engine ended the task because it exceeded lifecycle.max_duration; a task restarted
  --   after that has no such limit any more.
  timed_out_at          timestamp with time zone,
  -- When erase_documents emptied the documents of the task, which has ended and does not move any
  --   more; null for every other task, which costs a row nothing.
  erased_at             timestamp with time zone,
  -- When the request wanted the task to start; null: at once.
  start_at              timestamp with time zone,
  -- The creation time in milliseconds since the epoch, less one minute per point of priority: steps
  --   of a lower value are claimed earlier. Lowered once, when the SLA is breached.
  claim_order           bigint not null,
  state                 tasker.task_state not null default 'pending'::tasker.task_state,
  priority              integer not null default 0,
  -- sort_key of the latest history row.
  transition_count      integer not null,
  total_steps           integer not null,
  -- Steps that are neither complete nor resolved manually.
  unfinished_steps      integer not null,
  -- Steps in enqueued, in_progress or one of the two submitted states.
  in_flight_steps       integer not null default 0,
  -- Steps in error.
  failed_steps          integer not null default 0,
  -- Steps in waiting_for_retry.
  retrying_steps        integer not null default 0,
  continue_on_error     boolean not null default false,
  -- Copied from the template, so that policies cost nothing for other tasks.
  is_limited            boolean not null default false,
  -- False while a server still has to validate the context against the input schema; such a task is
  --   not started.
  context_checked       boolean not null default true,
  -- Whether the request had an idempotency key.
  is_keyed              boolean not null,
  -- True until start_at, when an orchestrator starts the task.
  is_delayed            boolean not null default false,
  -- Whether the cancel request includes the child tasks.
  cancel_children       boolean,
  -- True when the template has an output, which is stored at the end; null otherwise, which costs a
  --   row nothing.
  has_output            boolean,
  -- Whether the template publishes the ends of its tasks; null for no.
  publishes_events      boolean,
  cancel_policy         tasker.cancel_policy,
  -- Why its completed steps are compensated; null for every other task, which costs a row nothing.
  --   Its counters then count the compensating steps only.
  compensation          tasker.compensation_cause,
  -- SHA-256 over the identity of the request; null when every request creates a new task, and when
  --   a later task has taken over the identity.
  identity_hash         bytea,
  -- The identity_hash of this task until a later one took it over.
  former_identity_hash  bytea,
  initiator             character varying(128),
  source_system         character varying(128),
  reason                character varying(1000),
  cancel_requested_by   character varying(160),
  -- The name that the request claimed, when cancel_requested_by is the authenticated caller.
  cancel_claimed_actor  character varying(128),
  cancel_reason         character varying(1000),
  tags                  jsonb,
  constraint tasks_pkey PRIMARY KEY (task_uuid),
  constraint cancel_request_is_whole CHECK ((cancel_requested_at IS NULL) = (cancel_policy
      IS NULL)) NOT VALID,
  constraint compensates_for_its_parent CHECK ((compensates_task_uuid IS NOT NULL) =
      (NOT compensation IS DISTINCT FROM 'parent'::tasker.compensation_cause)) NOT VALID,
  constraint complete_iff_no_step_is_left CHECK (state <> 'complete'::tasker.task_state
      OR unfinished_steps = 0) NOT VALID,
  constraint completed_at_iff_terminal CHECK ((completed_at IS NOT NULL) = (state =
      ANY (ARRAY['complete'::tasker.task_state, 'error'::tasker.task_state,
      'cancelled'::tasker.task_state, 'resolved_manually'::tasker.task_state]))) NOT VALID,
  constraint counters_are_sane CHECK (in_flight_steps >= 0 AND failed_steps >= 0
      AND retrying_steps >= 0 AND unfinished_steps >=
      (in_flight_steps + failed_steps + retrying_steps) AND total_steps >=
      unfinished_steps) NOT VALID,
  constraint delay_has_an_end CHECK (NOT is_delayed OR start_at IS NOT NULL
      AND isfinite(start_at)) NOT VALID,
  constraint identity_is_given_up_after_the_end CHECK (replaced_by_task_uuid IS NULL OR completed_at
      IS NOT NULL) NOT VALID,
  constraint identity_is_held_or_given_up CHECK ((former_identity_hash IS NOT NULL) =
      (replaced_by_task_uuid IS NOT NULL) AND (former_identity_hash IS NULL OR identity_hash
      IS NULL)) NOT VALID,
  constraint priority_is_in_range CHECK (priority >= '-100'::integer AND priority <= 100) NOT VALID,
  constraint terminal_means_nothing_in_flight CHECK (completed_at IS NULL OR in_flight_steps =
      0) NOT VALID
) with (autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000,
    autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500, fillfactor=34);
CREATE UNIQUE INDEX one_compensation_per_child ON tasker.tasks USING btree (compensates_task_uuid)
    WHERE (compensates_task_uuid IS NOT NULL);
CREATE INDEX tasks_correlation_id_idx ON tasker.tasks USING btree (correlation_id);
CREATE UNIQUE INDEX tasks_identity_hash_key ON tasker.tasks USING btree (identity_hash)
    WHERE (identity_hash IS NOT NULL);
CREATE INDEX tasks_named_task_uuid_idx ON tasker.tasks USING btree (named_task_uuid, task_uuid);
CREATE INDEX tasks_parent_correlation_id_idx ON tasker.tasks USING btree (parent_correlation_id)
    WHERE (parent_correlation_id IS NOT NULL);
CREATE INDEX tasks_parent_task_uuid_idx ON tasker.tasks USING btree (parent_task_uuid)
    WHERE (parent_task_uuid IS NOT NULL);
CREATE INDEX tasks_unchecked_idx ON tasker.tasks USING btree (task_uuid)
    WHERE (NOT context_checked);
CREATE TRIGGER compensation_ends BEFORE UPDATE OF state ON tasker.tasks FOR EACH ROW
    WHEN (((new.compensation IS NOT NULL) AND (new.completed_at IS NOT NULL) AND (old.completed_at
    IS NULL))) EXECUTE FUNCTION tasker.end_compensation();
CREATE TRIGGER end_is_told AFTER UPDATE OF state ON tasker.tasks FOR EACH ROW WHEN (((new.has_output
    OR (new.parent_step_uuid IS NOT NULL)) AND (new.state <> old.state) AND (new.state =
    ANY (ARRAY['complete'::tasker.task_state, 'error'::tasker.task_state,
    'cancelled'::tasker.task_state, 'resolved_manually'::tasker.task_state,
    'blocked_by_failures'::tasker.task_state])))) EXECUTE FUNCTION tasker.tell_end_of_task();
CREATE TRIGGER events_follow_moves_of_tasks AFTER UPDATE OF state ON tasker.tasks FOR EACH ROW
    WHEN ((new.publishes_events AND (new.state <> old.state) AND (new.state =
    ANY (ARRAY['complete'::tasker.task_state, 'error'::tasker.task_state,
    'cancelled'::tasker.task_state, 'resolved_manually'::tasker.task_state,
    'blocked_by_failures'::tasker.task_state])))) EXECUTE FUNCTION tasker.publish_task_events();
CREATE TRIGGER rows_go_with_their_task AFTER DELETE
    ON tasker.tasks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
    EXECUTE FUNCTION tasker.delete_rows_of_tasks();
CREATE TRIGGER slots_are_released_by_tasks AFTER UPDATE OF state ON tasker.tasks FOR EACH ROW
    WHEN ((new.is_limited AND (new.state <> old.state) AND (new.state =
    ANY (ARRAY['complete'::tasker.task_state, 'error'::tasker.task_state,
    'cancelled'::tasker.task_state, 'resolved_manually'::tasker.task_state,
    'blocked_by_failures'::tasker.task_state])))) EXECUTE FUNCTION tasker.release_task_slots();

-- Dead letters: records for the investigation of a task; they never move it.
create table tasker.tasks_dlq (
  dlq_entry_uuid       uuid not null default tasker.uuid_v7(),
  task_uuid            uuid not null,
  original_state       tasker.task_state not null,
  dlq_reason           tasker.dlq_reason not null,
  dlq_timestamp        timestamp with time zone not null default now(),
  resolution_status tasker.dlq_resolution_status not null
      default 'pending'::tasker.dlq_resolution_status,
  resolution_timestamp timestamp with time zone,
  -- When the task, which is blocked, breaches its SLA, whether the investigation is open or closed;
  --   infinity once it has. Null without an SLA, and when it is not blocked.
  sla_due_at           timestamp with time zone,
  resolution_notes     text,
  resolved_by          character varying(255),
  -- The name that the request claimed, when resolved_by is the authenticated caller.
  claimed_actor        character varying(128),
  task_snapshot        jsonb not null,
  metadata             jsonb,
  created_at           timestamp with time zone not null default now(),
  updated_at           timestamp with time zone not null default now(),
  constraint tasks_dlq_pkey PRIMARY KEY (dlq_entry_uuid),
  constraint tasks_dlq_task_uuid_fkey FOREIGN KEY (task_uuid) REFERENCES tasker.tasks(task_uuid)
      ON DELETE CASCADE,
  constraint resolved_iff_not_pending CHECK ((resolution_timestamp IS NULL) = (resolution_status =
      'pending'::tasker.dlq_resolution_status))
);
CREATE UNIQUE INDEX one_open_investigation_per_task ON tasker.tasks_dlq USING btree (task_uuid)
    WHERE (resolution_status = 'pending'::tasker.dlq_resolution_status);
CREATE INDEX tasks_dlq_sla_due_at_idx ON tasker.tasks_dlq USING btree (sla_due_at) WHERE (sla_due_at
    IS NOT NULL);
CREATE INDEX tasks_dlq_task_uuid_idx ON tasker.tasks_dlq USING btree (task_uuid);
CREATE TRIGGER events_follow_dead_letters AFTER INSERT ON tasker.tasks_dlq FOR EACH ROW
    EXECUTE FUNCTION tasker.publish_dlq_events();

-- Templates whose steps are not handed off now. Empty unless an operator paused one, so that
--   reading it is cheap.
create table tasker.template_pauses (
  named_task_uuid uuid not null,
  -- Whether this is the pause of its namespace; a template may have both pauses.
  is_namespace    boolean not null,
  paused_at       timestamp with time zone not null,
  paused_by       character varying(160) not null,
  -- The name that the request claimed, when paused_by is the authenticated caller.
  claimed_actor   character varying(128),
  reason          character varying(1000) not null,
  constraint template_pauses_pkey PRIMARY KEY (named_task_uuid, is_namespace),
  constraint template_pauses_named_task_uuid_fkey FOREIGN KEY (named_task_uuid)
      REFERENCES tasker.named_tasks(named_task_uuid) ON DELETE CASCADE
);

-- Offers that recovery watches: a worker could claim them and none does (unclaimed), or no live
--   worker serves them (unserved).
create table tasker.unclaimed_offers (
  task_uuid          uuid not null,
  workflow_step_uuid uuid not null,
  handoff            integer not null,
  why                text not null,
  since              timestamp with time zone not null,
  -- When recovery withdraws the offer unless a worker claims it; null for never.
  due_at             timestamp with time zone,
  constraint unclaimed_offers_pkey PRIMARY KEY (task_uuid, workflow_step_uuid),
  constraint unclaimed_offers_task_uuid_fkey FOREIGN KEY (task_uuid)
      REFERENCES tasker.tasks(task_uuid) ON DELETE CASCADE,
  constraint why_is_known CHECK (why = ANY (ARRAY['unclaimed'::text, 'unserved'::text]))
);

-- One row per webhook and event: to be sent, in flight, or what became of it. Dead ones are the
--   dead letters. Deleted with the task or the fire time, and 14 days after their end
--   (expiring_tables).
create table tasker.webhook_deliveries (
  delivery_uuid    uuid not null default tasker.uuid_v7(),
  webhook_uuid     uuid not null,
  event_uuid       uuid not null,
  is_ping          boolean not null default false,
  task_uuid        uuid,
  schedule_uuid    uuid,
  position         bigint,
  event_type       character varying(255) not null,
  event_at         timestamp with time zone not null,
  state            character varying(16) not null default 'pending'::character varying,
  -- Attempts that ended, failed or not. An attempt of which no server reported the end does not
  --   count.
  attempts         integer not null default 0,
  -- Grows with each claim: a result of an earlier one is stale.
  claims           integer not null default 0,
  -- How often it was sent again at the request of an operator.
  replays          integer not null default 0,
  -- When a server may claim it: of a pending one the next attempt, of one in flight the end of the
  --   lease.
  due_at           timestamp with time zone not null,
  leased_by        uuid,
  last_attempt_at  timestamp with time zone,
  last_status      integer,
  last_error       character varying(500),
  last_response    character varying(1024),
  last_duration_ms integer,
  created_at       timestamp with time zone not null default clock_timestamp(),
  ended_at         timestamp with time zone,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_uuid),
  constraint one_delivery_per_event UNIQUE (webhook_uuid, event_uuid),
  constraint webhook_deliveries_webhook_uuid_fkey FOREIGN KEY (webhook_uuid)
      REFERENCES tasker.webhooks(webhook_uuid) ON DELETE CASCADE,
  constraint counts_are_not_negative CHECK (attempts >= 0 AND claims >= 0 AND replays >= 0),
  constraint ended_iff_not_open CHECK ((ended_at IS NOT NULL) = (state::text =
      ANY (ARRAY['delivered'::character varying, 'dead'::character varying,
      'discarded'::character varying]::text[]))),
  constraint event_of_a_task_or_a_schedule_or_ping CHECK (num_nonnulls(task_uuid, schedule_uuid) =
      CASE WHEN is_ping THEN 0 ELSE 1 END AND ("position" IS NULL) = is_ping),
  constraint known_state CHECK (state::text = ANY (ARRAY['pending'::character varying,
      'in_flight'::character varying, 'delivered'::character varying, 'dead'::character varying,
      'discarded'::character varying]::text[])),
  constraint leased_iff_in_flight CHECK ((leased_by IS NOT NULL) = (state::text =
      'in_flight'::text))
)
with (fillfactor=60);
CREATE INDEX webhook_deliveries_dead_idx ON tasker.webhook_deliveries USING btree (webhook_uuid,
    delivery_uuid) WHERE ((state)::text = 'dead'::text);
CREATE INDEX webhook_deliveries_ended_at_idx ON tasker.webhook_deliveries USING btree (ended_at)
    WHERE (ended_at IS NOT NULL);
CREATE INDEX webhook_deliveries_open_idx ON tasker.webhook_deliveries USING btree (webhook_uuid,
    due_at) WHERE (ended_at IS NULL);
CREATE INDEX webhook_deliveries_schedule_uuid_idx ON tasker.webhook_deliveries
    USING btree (schedule_uuid) WHERE (schedule_uuid IS NOT NULL);
CREATE INDEX webhook_deliveries_task_uuid_idx ON tasker.webhook_deliveries USING btree (task_uuid)
    WHERE (task_uuid IS NOT NULL);
CREATE INDEX webhook_deliveries_webhook_uuid_idx ON tasker.webhook_deliveries
    USING btree (webhook_uuid, delivery_uuid);

-- The keys with which deliveries are signed, in plain text because signing needs them. Only
--   claim_deliveries reads them; no role of hardened-grants.sql may.
create table tasker.webhook_secrets (
  webhook_uuid uuid not null,
  secret       character varying(100) not null,
  created_at   timestamp with time zone not null default clock_timestamp(),
  -- Null: the present secret. An earlier one signs beside it until then.
  valid_until  timestamp with time zone,
  constraint webhook_secrets_pkey PRIMARY KEY (webhook_uuid, secret),
  constraint webhook_secrets_webhook_uuid_fkey FOREIGN KEY (webhook_uuid)
      REFERENCES tasker.webhooks(webhook_uuid) ON DELETE CASCADE,
  constraint secret_is_prefixed CHECK (secret::text ~~ 'whsec\_%'::text)
);
CREATE UNIQUE INDEX webhook_secrets_present_key ON tasker.webhook_secrets USING btree (webhook_uuid)
    WHERE (valid_until IS NULL);

-- Subscriptions to domain events that are sent to an address. A deleted one stays as a row with
--   deleted_at, so that its deliveries keep their meaning.
create table tasker.webhooks (
  webhook_uuid        uuid not null default tasker.uuid_v7(),
  -- Null: the events of all namespaces.
  namespace_name      character varying(29),
  name                character varying(64) not null,
  url                 character varying(2000) not null,
  description         character varying(1000),
  -- The names of the events; null: all.
  event_types         text[],
  -- Of the tasks whose events are sent; null: all.
  template_name       character varying(64),
  timeout_seconds     integer not null default 15,
  max_attempts        integer not null default 20,
  max_in_flight       integer not null default 4,
  backoff_seconds     integer not null default 5,
  backoff_cap_seconds integer not null default 21600,
  pause_after_hours   integer not null default 120,
  -- The place in the feed of events up to which each matching event has its row in
  --   webhook_deliveries.
  position            bigint not null,
  -- The place behind which the present filter holds: events behind it and up to position have their
  --   delivery.
  first_position      bigint not null,
  -- The position that the webhook had when it was set back last: deliveries up to there are
  --   repetitions.
  replayed_to         bigint not null default 0,
  -- Earlier events are not sent, even if they have got their place in the feed since; null: no
  --   limit.
  starts_at           timestamp with time zone,
  -- Until then nothing is sent but pings: the receiver asked for it, or it has failed often in a
  --   row.
  wait_until          timestamp with time zone,
  -- The first failure after the last success.
  failing_since       timestamp with time zone,
  failures_in_a_row   integer not null default 0,
  last_failure        character varying(500),
  last_delivered_at   timestamp with time zone,
  delivered_count     bigint not null default 0,
  failed_count        bigint not null default 0,
  dead_count          bigint not null default 0,
  paused_at           timestamp with time zone,
  paused_by           character varying(160),
  pause_reason        character varying(1000),
  version             integer not null default 1,
  created_at          timestamp with time zone not null default clock_timestamp(),
  created_by          character varying(160) not null,
  updated_at          timestamp with time zone not null default clock_timestamp(),
  updated_by          character varying(160) not null,
  deleted_at          timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (webhook_uuid),
  constraint failing_iff_failures CHECK ((failing_since IS NULL) = (failures_in_a_row = 0)),
  constraint pause_has_actor_and_reason CHECK (num_nonnulls(paused_at, paused_by, pause_reason) =
      ANY (ARRAY[0, 3])),
  constraint positions_go_forward CHECK (first_position >= 0 AND "position" >= first_position),
  constraint ranges_are_kept CHECK (timeout_seconds >= 1 AND timeout_seconds <= 60
      AND max_attempts >= 1 AND max_attempts <= 100 AND max_in_flight >= 1 AND max_in_flight <= 32
      AND backoff_seconds >= 1 AND backoff_seconds <= 3600 AND backoff_cap_seconds >= 1
      AND backoff_cap_seconds <= 86400 AND pause_after_hours >= 1 AND pause_after_hours <= 720),
  constraint types_are_not_empty CHECK (cardinality(event_types) > 0)
)
with (fillfactor=60);
CREATE UNIQUE INDEX webhooks_name_key ON tasker.webhooks USING btree (namespace_name,
    name) NULLS NOT DISTINCT WHERE (deleted_at IS NULL);

-- The steps that workers claimed over the REST interface: the basis of their capacity, and of what
--   a lost answer is repeated from. A row whose handoff is no longer in progress counts for
--   nothing; the next call of its worker deletes it.
create table tasker.worker_claims (
  worker_uuid        uuid not null,
  workflow_step_uuid uuid not null,
  task_uuid          uuid not null,
  handoff            integer not null,
  -- The request whose answer had the step; the same request again gets it again.
  request_id         character varying(128),
  claimed_at         timestamp with time zone not null,
  -- When a heartbeat of the worker first named the step; null: its answer may have been lost.
  acknowledged_at    timestamp with time zone,
  constraint worker_claims_pkey PRIMARY KEY (worker_uuid, workflow_step_uuid),
  constraint worker_claims_task_uuid_fkey FOREIGN KEY (task_uuid) REFERENCES tasker.tasks(task_uuid)
      ON DELETE CASCADE,
  constraint worker_claims_worker_uuid_fkey FOREIGN KEY (worker_uuid)
      REFERENCES tasker.workers(worker_uuid) ON DELETE CASCADE
);
CREATE INDEX worker_claims_task_uuid_idx ON tasker.worker_claims USING btree (task_uuid);

-- Workers run steps: the handlers of a server, registered by its heartbeat, or an external worker.
--   Kept for a day after the last heartbeat.
create table tasker.workers (
  worker_uuid       uuid not null,
  -- The server whose handlers it runs; null: an external worker.
  server_uuid       uuid,
  name              character varying(255) not null,
  state             tasker.worker_state not null default 'healthy'::tasker.worker_state,
  -- The namespaces that it serves; null: all.
  namespaces        text[],
  -- The values of handler.callable that it serves; null: any.
  handlers          text[],
  -- The values of handler.resolver that it serves; null: any.
  resolvers         text[],
  -- Handler keys that it declined although it declared the handler or the resolver. It cannot claim
  --   their steps until it registers anew.
  unable            text[] not null default '{}'::text[],
  -- When namespaces, handlers and resolvers last changed.
  declared_at       timestamp with time zone not null default now(),
  -- The handler keys whose steps it may claim, by namespace. It serves namespaces that are not
  --   named completely; null: all namespaces.
  served            jsonb,
  -- The version of the handler catalog from which served was calculated.
  served_version    bigint not null,
  capacity          integer not null,
  running           integer not null default 0,
  registered_at     timestamp with time zone not null default now(),
  heartbeat_at      timestamp with time zone not null default now(),
  heartbeat_seconds integer not null default 2,
  -- Four heartbeats after the last one: from then on the worker counts as lost.
  lease_expires_at  timestamp with time zone not null,
  -- Since when its heartbeats have arrived without a gap.
  present_since     timestamp with time zone not null default now(),
  -- When the leases of the lost external worker were ended.
  lost_at           timestamp with time zone,
  -- The caller of the REST interface that registered it and alone acts for it, by its key; null:
  --   registered by SQL.
  owner             character varying(160),
  -- The name of that caller.
  registered_by     character varying(160),
  constraint workers_pkey PRIMARY KEY (worker_uuid),
  constraint workers_server_uuid_fkey FOREIGN KEY (server_uuid)
      REFERENCES tasker.servers(server_uuid) ON DELETE CASCADE,
  constraint capacity_is_not_negative CHECK (capacity >= 0 AND running >= 0),
  constraint worker_heartbeat_is_positive CHECK (heartbeat_seconds > 0),
  constraint worker_of_a_server_has_its_key CHECK (server_uuid = worker_uuid)
)
with (fillfactor=50);

-- The step's own inputs and its latest checkpoint, for steps that have any.
create table tasker.workflow_step_documents (
  workflow_step_uuid uuid not null,
  task_uuid          uuid not null,
  inputs             jsonb,
  checkpoint         jsonb,
  -- hash_documents(inputs, checkpoint) of the latest write.
  document_hash      bigint not null,
  -- How often the step has yielded since its creation or its latest reset by an operator.
  yields             integer not null default 0,
  -- How many of the latest yields in a row had no progress: they asked for no wait and brought no
  --   other checkpoint.
  stalled_yields     integer not null default 0,
  -- The latest handoff that ended in a yield; null before the first.
  yielded_handoff    integer,
  constraint workflow_step_documents_pkey PRIMARY KEY (workflow_step_uuid),
  constraint yields_are_counted CHECK (stalled_yields >= 0 AND stalled_yields <= yields AND (yields
      = 0 OR yielded_handoff > 0))
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.workflow_step_documents FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();

-- One row per recorded result, written once; (workflow_step_uuid, sort_key) identifies its
--   transition.
create table tasker.workflow_step_result_audit (
  workflow_step_uuid uuid not null,
  task_uuid          uuid not null,
  worker_uuid        uuid,
  recorded_at        timestamp with time zone not null default now(),
  execution_time_ms  bigint,
  -- hash_documents(result, error) at insertion.
  document_hash      bigint not null,
  sort_key           integer not null,
  -- The handoff of the result, 0 when an operator completed the step before its first.
  handoff            integer not null,
  attempt            integer not null,
  outcome            tasker.step_outcome not null,
  success boolean not null generated always as (outcome = ANY (ARRAY['success'::tasker.step_outcome,
      'manual_completion'::tasker.step_outcome])) stored,
  -- False: no domain event follows from this result, because its step has none or a fork copied it.
  --   Null: publish_events looks at the template.
  may_publish        boolean,
  -- True: execution_time_ms is the time from the claim to the result, because the worker named
  --   none.
  is_time_measured   boolean,
  result             jsonb,
  error              jsonb,
  constraint workflow_step_result_audit_pkey PRIMARY KEY (workflow_step_uuid, sort_key),
  constraint failure_has_an_error CHECK ((outcome
      <> ALL (ARRAY['retryable_failure'::tasker.step_outcome,
      'permanent_failure'::tasker.step_outcome])) OR error IS NOT NULL) NOT VALID
);
CREATE TRIGGER documents_are_hashed BEFORE INSERT ON tasker.workflow_step_result_audit FOR EACH ROW
    EXECUTE FUNCTION tasker.stamp_document_hash();
CREATE TRIGGER events_follow_results AFTER INSERT ON tasker.workflow_step_result_audit FOR EACH ROW
    WHEN ((new.may_publish IS NOT FALSE)) EXECUTE FUNCTION tasker.publish_events();
CREATE TRIGGER history_is_append_only BEFORE UPDATE ON tasker.workflow_step_result_audit
    FOR EACH ROW EXECUTE FUNCTION tasker.refuse_history_change();

-- The allowed moves of a step and their actors; from_state null is creation.
create table tasker.workflow_step_transition_rules (
  from_state tasker.step_state,
  to_state   tasker.step_state not null,
  actor      tasker.actor not null,
  meaning    text not null,
  constraint one_rule_per_step_move UNIQUE NULLS NOT DISTINCT (from_state, to_state, actor)
);

-- One node of a task's DAG. state is authoritative, moved by compare-and-set;
--   workflow_step_transitions is its history.
create table tasker.workflow_steps (
  workflow_step_uuid      uuid not null,
  task_uuid               uuid not null,
  named_step_uuid         uuid not null,
  created_at              timestamp with time zone not null default now(),
  step_position           integer not null,
  total_parents           integer not null,
  max_attempts            integer not null,
  -- Number of attempts before the latest reset by an operator: max_attempts and backoff count from
  --   here; attempts itself continues.
  attempts_before_reset   integer not null default 0,
  -- The worker that claimed the step: for audit and heartbeat only, it grants no rights.
  leased_by               uuid,
  enqueued_at             timestamp with time zone,
  last_attempted_at       timestamp with time zone,
  lease_expires_at        timestamp with time zone,
  completed_at            timestamp with time zone,
  next_retry_at           timestamp with time zone,
  last_failure_at         timestamp with time zone,
  state                   tasker.step_state not null default 'pending'::tasker.step_state,
  transition_count        integer not null,
  -- sort_key of the row in workflow_step_result_audit that holds the current result.
  result_sort_key         integer,
  -- Number of the latest handoff, 0 before the first. It never decreases and fences every call
  --   about the step.
  handoffs                integer not null default 0,
  -- Number of the latest attempt that ran, failed or is in progress; the retry budget and the
  --   backoff count it. A handoff that is released unstarted does not consume it.
  attempts                integer not null default 0,
  -- Number of parents that are neither complete nor resolved manually; a cached count, which
  --   check_history compares with a recount.
  remaining_parents       integer not null,
  -- The latest wait before a retry, rounded up to seconds.
  backoff_request_seconds integer,
  retryable               boolean not null,
  -- Copied from the template: the handoff requests slots first.
  is_limited              boolean not null default false,
  -- Copied from the template: its completion creates the steps that it chose.
  is_decision             boolean not null default false,
  -- Copied from the template: it has no handler, or it waits; once its parents are done, the engine
  --   completes it, or arms its wait.
  is_automatic            boolean not null default false,
  -- True for a batchable step: its completion makes the batches; null for every other.
  is_batchable            boolean,
  -- Of a batch worker: the step of the template that stands for its batch; null for every other.
  batch_step_uuid         uuid,
  -- True: the template has domain events for results of the step; null for every other.
  publishes_events        boolean,
  -- How often an operator gave the step a new idempotency token, see format_idempotency_token; null
  --   for never.
  idempotency_resets      integer,
  -- Of a compensating step: the step of the same task whose effect it undoes; null for every other.
  compensates_step_uuid   uuid,
  -- The name of a step that add_steps added; null for an initial step, which has the name of its
  --   template's step.
  name                    character varying(128),
  constraint workflow_steps_pkey PRIMARY KEY (workflow_step_uuid),
  constraint one_step_per_task_and_position UNIQUE (task_uuid, step_position),
  constraint attempts_are_not_negative CHECK (attempts >= 0 AND max_attempts >= 0) NOT VALID,
  constraint attempts_were_handed_off CHECK (attempts <= handoffs) NOT VALID,
  constraint completed_at_iff_finished CHECK ((completed_at IS NOT NULL) = (state =
      ANY (ARRAY['complete'::tasker.step_state, 'error'::tasker.step_state,
      'cancelled'::tasker.step_state, 'resolved_manually'::tasker.step_state]))) NOT VALID,
  constraint leased_iff_in_progress CHECK ((lease_expires_at IS NOT NULL) = (state =
      'in_progress'::tasker.step_state)) NOT VALID,
  constraint parents_are_counted CHECK (remaining_parents >= 0 AND remaining_parents <=
      total_parents) NOT VALID,
  constraint reset_is_behind CHECK (attempts_before_reset >= 0 AND attempts_before_reset <=
      attempts) NOT VALID,
  constraint retry_time_iff_waiting CHECK ((next_retry_at IS NOT NULL) = (state =
      'waiting_for_retry'::tasker.step_state)) NOT VALID,
  constraint started_means_parents_are_done CHECK (remaining_parents = 0 OR (state =
      ANY (ARRAY['pending'::tasker.step_state, 'cancelled'::tasker.step_state,
      'error'::tasker.step_state, 'complete'::tasker.step_state,
      'resolved_manually'::tasker.step_state]))) NOT VALID,
  constraint worker_has_a_name CHECK (batch_step_uuid IS NULL OR name IS NOT NULL) NOT VALID,
  constraint worker_is_behind_the_steps CHECK ((batch_step_uuid IS NOT NULL) =
      (step_position > 1000000)) NOT VALID
) with (autovacuum_analyze_scale_factor=0.05, autovacuum_vacuum_cost_limit=2000,
    autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, fillfactor=32);
CREATE UNIQUE INDEX one_name_per_added_step ON tasker.workflow_steps USING btree (task_uuid, name)
    WHERE (name IS NOT NULL);
CREATE TRIGGER slots_are_released_by_steps AFTER UPDATE OF state ON tasker.workflow_steps
    FOR EACH ROW WHEN (new.is_limited) EXECUTE FUNCTION tasker.release_step_slots();

-- Requests for changes over REST: written before the change, in a separate transaction; status is
--   set when the request is answered. Task submissions are in task_contexts.submitted_by instead.
create table tasker.write_requests (
  request_uuid uuid not null default tasker.uuid_v7(),
  requested_at timestamp with time zone not null default clock_timestamp(),
  caller       character varying(160) not null,
  caller_kind  character varying(16) not null,
  method       character varying(8) not null,
  route        character varying(200) not null,
  path         character varying(1000) not null,
  remote       character varying(64),
  server_uuid  uuid not null,
  -- Null: the server stopped before it could answer; the change is in operator_actions if it was
  --   made.
  status       smallint,
  answered_at  timestamp with time zone,
  -- What the request made or changed, where the path does not say it: as a path of the interface.
  object       character varying(1000),
  constraint write_requests_pkey PRIMARY KEY (request_uuid),
  constraint answer_is_whole CHECK ((status IS NULL) = (answered_at IS NULL)),
  constraint known_kind CHECK (caller_kind::text = ANY (ARRAY['user'::character varying,
      'key'::character varying, 'token'::character varying, 'external'::character varying]::text[]))
);
CREATE INDEX write_requests_requested_at_idx ON tasker.write_requests USING btree (requested_at);


-- Views
-- -----
-- History of tasks.state, one row per move; sort_key counts from 1 per task.
view tasker.task_transitions (task_uuid uuid, sort_key integer, from_state tasker.task_state,
    to_state tasker.task_state, actor tasker.actor, processor_uuid uuid, xact_id bigint,
    created_at timestamp with time zone, metadata jsonb);
  -- read by no function or class: for manual use
-- Dead letters by reason: how many are open, how they were closed, how long it took.
view tasker.v_dlq_dashboard (dlq_reason tasker.dlq_reason, total_entries bigint, pending bigint,
    manually_resolved bigint, permanent_failures bigint, cancelled bigint,
    oldest_entry timestamp with time zone, newest_entry timestamp with time zone,
    avg_resolution_time_minutes numeric);
  -- read by get_dlq_statistics
-- Open dead letters with their score for investigation: the points of the reason and one per
--   minute.
view tasker.v_dlq_investigation_queue (dlq_entry_uuid uuid, task_uuid uuid,
    original_state tasker.task_state, dlq_reason tasker.dlq_reason,
    dlq_timestamp timestamp with time zone, minutes_in_dlq numeric,
    namespace_name character varying(29), task_name character varying(64),
    current_state tasker.task_state, time_in_state_minutes numeric, priority_score numeric);
  -- read by get_dlq_investigation_queue
-- Unfinished tasks that can become stale: warning when a fifth of their time is left. Reads all
--   unfinished tasks.
view tasker.v_task_staleness_monitoring (task_uuid uuid, namespace_name character varying(29),
    task_name character varying(64), current_state tasker.task_state,
    should_have_moved_at timestamp with time zone, time_in_state_minutes numeric,
    task_age_minutes numeric, staleness_threshold_minutes integer,
    stale_at timestamp with time zone, health_status text, priority integer);
  -- read by get_staleness
-- Parent to child dependencies between two steps of one task: those of its template, and those that
--   were added.
view tasker.workflow_step_edges (from_step_uuid uuid, to_step_uuid uuid, task_uuid uuid,
    name character varying(32));
  -- read by no function or class: for manual use
-- History of workflow_steps.state, one row per move; sort_key counts from 1 per step.
view tasker.workflow_step_transitions (workflow_step_uuid uuid, sort_key integer, task_uuid uuid,
    from_state tasker.step_state, to_state tasker.step_state, actor tasker.actor, handoff integer,
    attempt integer, processor_uuid uuid, xact_id bigint, created_at timestamp with time zone,
    metadata jsonb);
  -- read by no function or class: for manual use


-- Functions: analytics
-- --------------------
-- Adds what a range of transactions recorded to metric_totals: ended tasks, results of steps and
--   claims.
function tasker.add_metric_totals(p_from bigint, p_until bigint) returns bigint;
  -- called by count_moves
-- Adds what a range of transactions recorded to the tallies: tasks created and ended, and
--   executions of their steps.
function tasker.add_tallies(p_from bigint, p_until bigint DEFAULT NULL::bigint) returns bigint;
  -- called by count_moves, rebuild_analytics
-- The bucket of duration_tallies that a duration belongs to.
function tasker.calculate_duration_bucket(p_seconds numeric) returns integer, immutable;
  -- called by find_tally_violations, tally_steps, tally_tasks
-- A health score between 0 and 1 from the outcomes of tasks, failures and free connections.
function tasker.calculate_health_score(p_completed bigint, p_failed bigint, p_ended bigint,
    p_total bigint, p_active_connections bigint, p_max_connections bigint) returns numeric,
    immutable;
  -- called by get_analytics_metrics, get_health_document
-- Adds what a range of transactions recorded to all tallies and totals.
function tasker.count_moves(p_from bigint, p_until bigint) returns bigint;
  -- called by count_moves_in_parts, roll_up_analytics
-- Adds what a range of transactions recorded to all tallies and totals, for as long as it may.
function tasker.count_moves_in_parts(p_from bigint, p_until bigint, p_longest interval)
    returns bigint;
  -- called by roll_up_analytics
-- How the moves of a range of transactions changed the number of tasks in each state, and of steps
--   of finished tasks.
function tasker.count_task_moves(p_from bigint, p_until bigint DEFAULT NULL::bigint)
    returns TABLE(task_state tasker.task_state, step_state tasker.step_state, change bigint),
    stable;
  -- called by count_moves, find_tally_violations, get_system_health_counts, rebuild_analytics
-- What happened since a time: throughput, ends, rates and durations.
function tasker.get_analytics_metrics(since_timestamp timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(active_tasks_count bigint,
    total_namespaces_count bigint, unique_task_types_count bigint, system_health_score numeric,
    task_throughput bigint, completion_count bigint, error_count bigint, completion_rate numeric,
    error_rate numeric, avg_task_duration numeric, avg_step_duration numeric,
    step_throughput bigint, analysis_period_start timestamp with time zone,
    calculated_at timestamp with time zone), stable;
  -- called by get_performance_document
-- Where time is spent, with recommendations, for GET /v1/analytics/bottlenecks.
function tasker.get_bottleneck_document(p_hours integer DEFAULT 24, p_limit integer DEFAULT 10,
    p_min_executions integer DEFAULT 5, p_namespace text DEFAULT NULL::text, p_name text
    DEFAULT NULL::text, p_version text DEFAULT NULL::text) returns jsonb, stable;
  -- called by InsightGateway
-- The duration that stands for a bucket of duration_tallies.
function tasker.get_bucket_seconds(p_bucket integer) returns numeric, immutable;
  -- called by get_duration_percentiles
-- The 50th, 95th and 99th percentiles of the durations of tasks by template, or of executions by
--   step.
function tasker.get_duration_percentiles(p_subject_uuids uuid[], p_since timestamp with time zone)
    returns TABLE(subject_uuid uuid, p50_seconds numeric, p95_seconds numeric, p99_seconds numeric),
    stable;
  -- called by get_bottleneck_document
-- How long handoffs waited for their acceptance, and how many offers wait or are stuck, per
--   namespace.
function tasker.get_handoff_latency(p_window interval DEFAULT '00:05:00'::interval, p_sample integer
    DEFAULT 5000, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(namespace character varying, accepted bigint, p50_ms numeric, p95_ms numeric,
    p99_ms numeric, max_ms numeric, waiting bigint, oldest_waiting_seconds numeric, stuck bigint),
    stable;
  -- called by get_server_documents
-- States, connections, health score and load, for GET /v1/analytics/health.
function tasker.get_health_document() returns jsonb, stable;
  -- called by InsightGateway, get_metrics_document
-- The upper bounds in seconds of the buckets of metric_totals, ascending.
function tasker.get_metric_bounds() returns numeric[], immutable;
  -- called by add_metric_totals, get_metric_totals
-- Durations, waiting times and outcomes of each template since the installation, for GET /metrics.
function tasker.get_metric_totals(p_templates integer) returns jsonb, stable;
  -- called by InsightGateway
-- The figures of the whole installation for monitoring, for GET /metrics.
function tasker.get_metrics_document(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by InsightGateway
-- What happened in the last hours, for GET /v1/analytics/performance.
function tasker.get_performance_document(p_hours integer DEFAULT 1) returns jsonb, stable;
  -- called by InsightGateway
-- The slowest steps of tasks that ended since a given time or are still running.
function tasker.get_slowest_steps(since_timestamp timestamp with time zone
    DEFAULT NULL::timestamp with time zone, limit_count integer DEFAULT 10,
    namespace_filter character varying DEFAULT NULL::character varying,
    task_name_filter character varying DEFAULT NULL::character varying,
    version_filter character varying DEFAULT NULL::character varying)
    returns TABLE(workflow_step_uuid uuid, task_uuid uuid, step_name character varying,
    task_name character varying, namespace_name character varying, version character varying,
    duration_seconds numeric, attempts integer, created_at timestamp with time zone,
    completed_at timestamp with time zone, retryable boolean, step_status text), stable;
  -- called by no function or class: for manual use
-- The steps of templates with the longest average execution time.
function tasker.get_slowest_steps_aggregated(since_timestamp timestamp with time zone
    DEFAULT NULL::timestamp with time zone, limit_count integer DEFAULT 10, min_executions integer
    DEFAULT 5, namespace_filter character varying DEFAULT NULL::character varying,
    task_name_filter character varying DEFAULT NULL::character varying,
    version_filter character varying DEFAULT NULL::character varying)
    returns TABLE(named_step_uuid uuid, namespace_name character varying,
    task_name character varying, version character varying, step_name character varying,
    avg_duration_seconds numeric, max_duration_seconds numeric, min_duration_seconds numeric,
    execution_count bigint, error_count bigint, error_rate numeric,
    last_executed_at timestamp with time zone), stable;
  -- called by get_bottleneck_document
-- The slowest of the tasks that ended since a given time.
function tasker.get_slowest_tasks(since_timestamp timestamp with time zone
    DEFAULT NULL::timestamp with time zone, limit_count integer DEFAULT 10,
    namespace_filter character varying DEFAULT NULL::character varying,
    task_name_filter character varying DEFAULT NULL::character varying,
    version_filter character varying DEFAULT NULL::character varying) returns TABLE(task_uuid uuid,
    task_name character varying, namespace_name character varying, version character varying,
    duration_seconds numeric, step_count integer, completed_steps bigint, error_steps bigint,
    created_at timestamp with time zone, completed_at timestamp with time zone,
    initiator character varying, source_system character varying), stable;
  -- called by no function or class: for manual use
-- The templates whose tasks have the longest average duration.
function tasker.get_slowest_tasks_aggregated(since_timestamp timestamp with time zone
    DEFAULT NULL::timestamp with time zone, limit_count integer DEFAULT 10, min_executions integer
    DEFAULT 5, namespace_filter character varying DEFAULT NULL::character varying,
    task_name_filter character varying DEFAULT NULL::character varying,
    version_filter character varying DEFAULT NULL::character varying)
    returns TABLE(named_task_uuid uuid, namespace_name character varying,
    task_name character varying, version character varying, avg_duration_seconds numeric,
    max_duration_seconds numeric, min_duration_seconds numeric, execution_count bigint,
    avg_step_count numeric, error_count bigint, total_error_steps bigint, error_rate numeric,
    last_executed_at timestamp with time zone), stable;
  -- called by get_bottleneck_document
-- Executions of steps in tasks that ended since a given time, up to the last committed move.
function tasker.get_step_tallies(p_since timestamp with time zone)
    returns SETOF tasker.step_tallies, stable;
  -- called by get_analytics_metrics, get_slowest_steps_aggregated, get_timeline_document
-- Exact counts of tasks and steps by state, and of connections; finished tasks do not make it
--   slower.
function tasker.get_system_health_counts() returns TABLE(pending_tasks bigint,
    initializing_tasks bigint, enqueuing_steps_tasks bigint, steps_in_process_tasks bigint,
    evaluating_results_tasks bigint, waiting_for_dependencies_tasks bigint,
    waiting_for_retry_tasks bigint, blocked_by_failures_tasks bigint, complete_tasks bigint,
    error_tasks bigint, cancelled_tasks bigint, resolved_manually_tasks bigint, total_tasks bigint,
    pending_steps bigint, enqueued_steps bigint, in_progress_steps bigint,
    enqueued_for_orchestration_steps bigint, enqueued_as_error_for_orchestration_steps bigint,
    waiting_for_retry_steps bigint, complete_steps bigint, error_steps bigint,
    cancelled_steps bigint, resolved_manually_steps bigint, total_steps bigint,
    active_connections bigint, max_connections bigint), stable;
  -- called by get_analytics_metrics, get_health_document
-- Creations and ends of tasks since a given time, up to the last committed move.
function tasker.get_task_tallies(p_since timestamp with time zone)
    returns SETOF tasker.task_tallies, stable;
  -- called by get_analytics_metrics, get_slowest_tasks_aggregated, get_timeline_document
-- What happened in each of the last minutes, for GET /v1/analytics/timeline.
function tasker.get_timeline_document(p_minutes integer DEFAULT 60, p_namespace text
    DEFAULT NULL::text) returns jsonb, stable;
  -- called by InsightGateway
-- Recounts the moves of all tasks, for a database restored from a dump.
function tasker.rebuild_analytics() returns bigint;
  -- called by roll_up_analytics
-- Adds the moves that are not counted yet to the tallies; null while another session does so.
function tasker.roll_up_analytics(p_keep interval DEFAULT '35 days'::interval, p_limit integer
    DEFAULT 10000) returns bigint;
  -- called by OrchestrationGateway
-- Counts the executions of steps in tasks that ended or were blocked, by minute, template step and
--   duration bucket, over a range of transactions.
function tasker.tally_steps(p_from bigint, p_until bigint DEFAULT NULL::bigint,
    p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone,
    p_before timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
    returns TABLE(minute timestamp with time zone, named_step_uuid uuid, bucket integer,
    executions bigint, errors bigint, seconds numeric, least_seconds numeric, most_seconds numeric,
    last_at timestamp with time zone), stable;
  -- called by add_tallies, get_duration_percentiles, get_step_tallies
-- Counts the creations and ends of tasks by minute, template, state and duration bucket, over a
--   range of transactions.
function tasker.tally_tasks(p_from bigint, p_until bigint DEFAULT NULL::bigint,
    p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone,
    p_before timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
    returns TABLE(minute timestamp with time zone, named_task_uuid uuid, state tasker.task_state,
    bucket integer, tasks bigint, steps bigint, failed_steps bigint, seconds numeric,
    least_seconds numeric, most_seconds numeric, last_at timestamp with time zone), stable;
  -- called by add_tallies, get_duration_percentiles, get_task_tallies


-- Functions: approval
-- -------------------
-- The first part of every action on an approval: locks its task, applies due times that have
--   passed, and checks what the caller may do.
function tasker.begin_approval_action(p_approval_uuid uuid, p_by text, p_rights jsonb,
    p_needs_part boolean, p_server_uuid uuid, p_now timestamp with time zone, OUT o_refusal jsonb,
    OUT o_approval tasker.approvals, OUT o_approver jsonb, OUT o_moved jsonb,
    OUT o_now timestamp with time zone) returns record;
  -- called by claim_approval, decide_approval, delegate_approval, unclaim_approval
-- Claims an open approval, so that no other candidate decides it.
function tasker.claim_approval(p_approval_uuid uuid, p_by text, p_rights jsonb DEFAULT '{}'::jsonb,
    p_server_uuid uuid DEFAULT NULL::uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ApprovalGateway
-- Approves or rejects, in the caller's transaction, and completes the step that waits for it.
function tasker.decide_approval(p_approval_uuid uuid, p_by text, p_approved boolean, p_values jsonb
    DEFAULT NULL::jsonb, p_comment text DEFAULT NULL::text, p_values_checked boolean DEFAULT false,
    p_rights jsonb DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ApprovalGateway
-- Assigns an open approval to another user; from then on only that user may decide it.
function tasker.delegate_approval(p_approval_uuid uuid, p_by text, p_to text, p_note text
    DEFAULT NULL::text, p_rights jsonb DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ApprovalGateway
-- Approvals as the REST interface shows them.
function tasker.describe_approvals(p_approval_uuids uuid[], p_approver jsonb, p_is_whole boolean)
    returns jsonb, stable;
  -- called by claim_approval, decide_approval, delegate_approval, get_approval_document,
  --   list_approvals, unclaim_approval
-- An approval with its form, what it shows, its decision and its events, as a caller sees it.
function tasker.get_approval_document(p_approval_uuid uuid, p_by text, p_rights jsonb
    DEFAULT '{}'::jsonb) returns jsonb, stable;
  -- called by ApprovalGateway
-- The persons on whose behalf a task, and the tasks above it, were submitted.
function tasker.get_initiators(p_task_uuid uuid) returns text[], stable;
  -- called by erase_documents, make_approval
-- The persons behind a caller: the caller, and who created it if it is an API key.
function tasker.get_persons(p_caller text) returns text[], stable;
  -- called by delegate_approval, get_initiators, resolve_approver
-- Assigns an open approval to a user; until the claim lapses only that user may decide it.
function tasker.give_approval(p_approval_uuid uuid, p_to text, p_assigned_by text,
    p_now timestamp with time zone) returns boolean;
  -- called by claim_approval, delegate_approval
-- Whether a caller is among the candidates of an approval.
function tasker.is_approval_candidate(p_approval tasker.approvals, p_approver jsonb)
    returns boolean, stable;
  -- called by begin_approval_action, delegate_approval, describe_approvals, list_approvals,
  --   may_see_approval
-- The state of the approval of an open wait; escalates or ends the approval if it is due.
function tasker.judge_approval(p_wait tasker.step_waits, p_approval jsonb,
    p_now timestamp with time zone, OUT o_state tasker.wait_state, OUT o_value jsonb,
    OUT o_error jsonb, OUT o_due_at timestamp with time zone) returns record;
  -- called by pass_waits
-- Ends the claim of an open approval whose time is over.
function tasker.lapse_claim(p_approval_uuid uuid, p_now timestamp with time zone) returns boolean;
  -- called by begin_approval_action, judge_approval
-- A page of the approvals that a caller may see.
function tasker.list_approvals(p_filter jsonb, p_by text, p_rights jsonb DEFAULT '{}'::jsonb,
    p_limit integer DEFAULT 50, p_after text DEFAULT NULL::text) returns jsonb, stable;
  -- called by ApprovalGateway
-- Creates the approval of a newly armed wait.
function tasker.make_approval(p_wait tasker.step_waits, p_approval jsonb, p_prepared jsonb)
    returns void;
  -- called by pass_waits
-- Whether a caller may see an approval.
function tasker.may_see_approval(p_approval tasker.approvals, p_approver jsonb) returns boolean,
    stable;
  -- called by begin_approval_action, get_approval_document, list_approvals
-- Evaluates what the approval of a step asks, over the document of the step.
function tasker.prepare_approval(p_approval jsonb, p_document jsonb) returns jsonb, stable;
  -- called by pass_waits
-- Adds an event to the history of an approval, with the next number.
function tasker.record_approval_event(p_approval_uuid uuid, p_event tasker.approval_event,
    p_by text, p_at timestamp with time zone, p_given_to text DEFAULT NULL::text, p_note text
    DEFAULT NULL::text) returns void;
  -- called by cancel_waits, claim_approval, decide_approval, delegate_approval, judge_approval,
  --   lapse_claim, make_approval, unclaim_approval
-- A caller as the functions for approvals judge it: its persons, roles and namespaces.
function tasker.resolve_approver(p_by text, p_rights jsonb DEFAULT '{}'::jsonb) returns jsonb,
    stable;
  -- called by begin_approval_action, delegate_approval, get_approval_document, list_approvals
-- Releases a claimed approval, so that every candidate may decide it again.
function tasker.unclaim_approval(p_approval_uuid uuid, p_by text, p_rights jsonb
    DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ApprovalGateway


-- Functions: compensation
-- -----------------------
-- Begins the compensation of tasks without steps in flight: adds the steps that undo what was done,
--   in reverse order.
function tasker.begin_compensations(p_task_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone, p_cause tasker.compensation_cause
    DEFAULT NULL::tasker.compensation_cause, p_by text DEFAULT NULL::text, p_reason text
    DEFAULT NULL::text) returns tasker.task_delta[];
  -- called by act_on_task, compensate_child, roll_up_task_states
-- Begins the compensation of an ended child task: a task of its own, once for each child.
function tasker.compensate_child(p_undo_step_uuid uuid, p_server_uuid uuid,
    p_now timestamp with time zone, OUT o_task_uuid uuid, OUT o_result jsonb, OUT o_error jsonb,
    OUT o_queued text[]) returns record;
  -- called by pass_child_waits
-- Records the outcome of a compensation when its task ends.
function tasker.end_compensation() returns trigger;
  -- called by trigger of tasks
-- The name of the step that compensates the step p_name.
function tasker.format_compensation_name(p_name text, p_undo_uuid uuid) returns text, immutable;
  -- called by begin_compensations, create_batch_workers, find_batch_violations
-- The inputs of the step that undoes a worker of a batch.
function tasker.get_undo_inputs(p_step_uuid uuid) returns jsonb, stable;
  -- called by create_batch_workers
-- Whether a step is to be undone when its task is compensated.
function tasker.is_undoable(p_state tasker.step_state, p_attempts integer,
    p_undoes_attempts boolean) returns boolean, immutable;
  -- called by begin_compensations, find_compensation_violations
-- Registers the compensations of a new template: a row for each, which no task begins with.
function tasker.register_compensations(p_named_task_uuid uuid, p_steps jsonb) returns void;
  -- called by register_template
-- Whether a task that would end as cancelled, or be blocked by a failure, is compensated first.
function tasker.wants_compensation(p_task_uuid uuid) returns boolean, stable;
  -- called by roll_up_task_states


-- Functions: document
-- -------------------
-- How many documents each key has sealed something of, by table.
function tasker.count_document_keys() returns TABLE(key text, place text, documents bigint), stable;
  -- called by no function or class: for manual use
-- The JSON pointer of a value that is to be sealed and is not; null when there is none.
function tasker.find_unsealed(p_document jsonb, p_places jsonb) returns text, immutable;
  -- called by act_on_task, find_sealing_violations, refuse_unsealed
-- A document as it can be compared: with what is sealed in it replaced by its being sealed.
function tasker.mask_sealed(p_document jsonb) returns jsonb, immutable;
  -- called by decide_approval, store_signal
-- What is sealed by one of two schemas.
function tasker.merge_sealed_places(p_one jsonb, p_other jsonb) returns jsonb, immutable;
  -- called by read_sealed_places
-- The places of a document that a JSON Schema marks as sealed.
function tasker.read_sealed_places(p_schema jsonb) returns jsonb, immutable;
  -- called by find_sealing_violations, read_sealing, register_template
-- What a template seals of its tasks, from its normal form.
function tasker.read_sealing(p_template jsonb) returns jsonb, immutable;
  -- called by find_sealing_violations, register_template
-- Records that a caller opens what is sealed in the documents of a task, or of one of its steps.
function tasker.record_opening(p_task_uuid uuid, p_step_uuid uuid, p_by text, p_reason text,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OperationGateway
-- The refusal of a document with a value in clear that is to be sealed.
function tasker.refuse_unsealed(p_document jsonb, p_places jsonb, p_field text) returns jsonb,
    immutable;
  -- called by act_on_step, act_on_task, decide_approval, queue_signals, store_signal, submit_tasks


-- Functions: engine
-- -----------------
-- The steps that the parallelism of their batches lets be handed off.
function tasker.admit_batch_workers(p_step_uuids uuid[]) returns uuid[], stable;
  -- called by enqueue_steps, transition_step_state_atomic
-- Continues open batches whose batch step is ready: closes or fails them, or names the workers for
--   their free slots.
function tasker.advance_batches(p_step_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT o_completed uuid[],
    OUT o_ready uuid[], OUT o_due uuid[], OUT o_deltas tasker.task_delta[]) returns record;
  -- called by grow_tasks
-- One round of the fallback poller: takes due tasks, recovers their expired leases, unclaimed
--   offers and lost messages, and evaluates them.
function tasker.advance_due_tasks(p_server_uuid uuid, p_limit integer DEFAULT 100,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_claim_seconds integer
    DEFAULT 300, p_unserved_seconds integer DEFAULT 86400, p_fault_limit integer DEFAULT 5)
    returns jsonb;
  -- called by OrchestrationGateway
-- The orchestrator's part after a result submission: settles, counts down the children, hands off
--   those that became ready and rolls up the task states.
function tasker.advance_tasks(p_completed uuid[], p_unsettled uuid[], p_deltas tasker.task_delta[],
    p_server_uuid uuid, p_claim_limit integer, p_lease_seconds integer,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT o_claimed uuid[],
    OUT o_queued text[], OUT o_ended jsonb, OUT o_next_retry_at timestamp with time zone)
    returns record;
  -- called by complete_step, complete_steps, evaluate_tasks, transition_step_state_atomic
-- The writer of moves of steps: compares, moves, writes history and results, counts.
function tasker.apply_step_moves(p_moves tasker.step_move[], p_server_uuid uuid,
    p_now timestamp with time zone, p_counts_all boolean DEFAULT false, OUT o_moved uuid[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by begin_compensations, end_automatic_steps, fail_stale_task, move_steps_by_operator,
  --   pass_waits, record_task_fault, recover_expired_steps, recover_unclaimed_offers, refuse_steps,
  --   release_steps, request_cancel, yield_steps
-- The writer of moves of tasks: compares, moves, writes history, and keeps the wake-ups.
function tasker.apply_task_moves(p_moves tasker.task_change[], p_server_uuid uuid,
    p_now timestamp with time zone) returns uuid[];
  -- called by act_on_task, fail_stale_task, start_validated_tasks
-- How long a task may wait for its next check when no event is expected.
function tasker.calculate_check_interval() returns interval, stable;
  -- called by create_steps, create_task, set_next_wakeups
-- How deep a child of a task would be below the topmost task.
function tasker.calculate_child_depth(p_task_uuid uuid) returns integer, stable;
  -- called by pass_child_waits
-- How many decisions lead to a decision, itself included.
function tasker.calculate_decision_depth(p_step_uuid uuid) returns integer, stable;
  -- called by check_decision, decide_steps, move_steps_by_operator, record_decisions
-- When a task that only waits must be evaluated next; null when no open wait holds it.
function tasker.calculate_wait_end(p_task_uuid uuid, p_now timestamp with time zone)
    returns TABLE(ends_at timestamp with time zone), stable;
  -- called by roll_up_task_states, set_next_wakeups
-- Cancels the open waits of tasks that end or are being cancelled, or of some of their steps.
function tasker.cancel_waits(p_task_uuids uuid[], p_step_uuids uuid[] DEFAULT NULL::uuid[],
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_by text
    DEFAULT NULL::text, p_note text DEFAULT NULL::text) returns integer;
  -- called by act_on_task, begin_compensations, fail_stale_task, move_steps_by_operator,
  --   request_cancel, transition_step_state_atomic, transition_task_state_atomic
-- Checks the batches that a batchable step returns: a sentence about what is wrong, or null.
function tasker.check_batches(p_named_step_uuid uuid, p_batches jsonb, p_is_cut boolean
    DEFAULT false) returns text, stable;
  -- called by cut_batches, judge_batches, judge_step_action, transition_step_state_atomic
-- Checks the choice of a decision of a template: a sentence about what is wrong, or null.
function tasker.check_choice(p_named_step_uuid uuid, p_chosen jsonb) returns text, stable;
  -- called by check_decision, decide_steps, judge_decisions
-- Checks the choice of a decision: a sentence about what is wrong, or null when it may be carried
--   out.
function tasker.check_decision(p_step_uuid uuid, p_chosen jsonb, p_is_known boolean DEFAULT false)
    returns text, stable;
  -- called by decide_steps, judge_decisions, judge_step_action, transition_step_state_atomic
-- Every move of a step that is recorded must be in workflow_step_transition_rules for its actor.
function tasker.check_step_transitions() returns trigger;
  -- called by list_guards, trigger of step_moves
-- Every move of a task that is recorded must be in task_transition_rules for its actor.
function tasker.check_task_transitions() returns trigger;
  -- called by list_guards, trigger of task_moves
-- Whether the caller's transaction may finalize a task.
function tasker.claim_task_for_finalization(p_task_uuid uuid, p_processor_uuid uuid)
    returns boolean;
  -- called by no function or class: for manual use
-- Completes one successful step, with statements for single rows.
function tasker.complete_step(p_result jsonb, p_server_uuid uuid, p_claim_limit integer,
    p_lease_seconds integer, p_now timestamp with time zone, OUT o_is_accepted boolean,
    OUT o_claimed uuid[], OUT o_queued text[], OUT o_ended jsonb,
    OUT o_next_retry_at timestamp with time zone, OUT o_document json) returns record;
  -- called by complete_steps
-- Completes any number of steps in one transaction: result submission, settling, children, their
--   handoff, the tasks.
function tasker.complete_steps(p_results jsonb, p_server_uuid uuid, p_claim_limit integer DEFAULT 0,
    p_namespaces text[] DEFAULT NULL::text[], p_lease_seconds integer DEFAULT 60, p_settle boolean
    DEFAULT true, p_claim_from_queues boolean DEFAULT false, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns json;
  -- called by StepGateway, end_worker_claims, submit_worker_results
-- Counts the workers of batches that were just handed off as in flight.
function tasker.count_batch_handoffs(p_handoffs tasker.step_handoff[]) returns void;
  -- called by enqueue_steps
-- Counts workers of batches that have just left flight, by where they are now.
function tasker.count_batch_workers(p_step_uuids uuid[]) returns uuid[];
  -- called by advance_tasks, complete_steps
-- Counts failed steps on their tasks before everything else that the same transaction counts.
function tasker.count_failures(p_deltas tasker.task_delta[]) returns void;
  -- called by advance_tasks, transition_step_state_atomic
-- Creates the next workers of batches, all pending, from the items that are left, and counts them
--   on their tasks.
function tasker.create_batch_workers(p_batch_step_uuids uuid[], p_counts integer[],
    p_server_uuid uuid, p_now timestamp with time zone) returns uuid[];
  -- called by advance_batches
-- Completes batchable steps that have batch_config.items and no handler.
function tasker.cut_batches(p_step_uuids uuid[], p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_completed uuid[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by grow_tasks
-- Completes decisions that have rules and no handler.
function tasker.decide_steps(p_step_uuids uuid[], p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_completed uuid[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by grow_tasks
-- Processes notices between tasks, each under the lock of its receiver.
function tasker.deliver_notices(p_server_uuid uuid, p_limit integer DEFAULT 100,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by advance_due_tasks
-- The error of a step whose child task is blocked, in error, cancelled or gone.
function tasker.describe_child_failure(p_wait tasker.step_waits, p_child tasker.tasks,
    p_is_undo boolean) returns jsonb, stable;
  -- called by pass_child_waits
-- Ends one step that the engine completes itself: pending to complete with p_result, or to error
--   with p_error.
function tasker.end_automatic_step(p_step_uuid uuid, p_result jsonb, p_error jsonb,
    p_server_uuid uuid, p_now timestamp with time zone) returns tasker.task_delta;
  -- called by advance_batches, cut_batches, pass_child_waits, submit_children
-- Ends steps that the engine completes itself: pending to complete with a result, or to error with
--   an error.
function tasker.end_automatic_steps(p_ends jsonb, p_server_uuid uuid,
    p_now timestamp with time zone) returns tasker.task_delta[];
  -- called by decide_steps, end_automatic_step, pass_child_waits
-- Evaluates whole tasks and does the work that is due.
function tasker.evaluate_tasks(p_task_uuids uuid[], p_server_uuid uuid, p_claim_limit integer
    DEFAULT 0, p_lease_seconds integer DEFAULT 60, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by abandon_steps, act_on_step, act_on_task, add_steps, begin_approval_action,
  --   decide_approval, fork_task, process_tasks, record_task_fault, release_steps, send_signals,
  --   start_validated_tasks, submit_tasks, transition_step_state_atomic
-- Carries out the outcomes of completed decisions: creates the steps that follow from them.
function tasker.expand_decisions(p_step_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns uuid[];
  -- called by grow_tasks, move_steps_by_operator
-- Finalizes a task from the state of its steps; the second of two callers gets already.
function tasker.finalize_task_completion(p_task_uuid uuid, p_processor_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(finalized boolean, state character varying, already boolean);
  -- called by no function or class: for manual use
-- The number of a batch as its worker's name ends: at least three digits, and as many for all
--   batches of one step.
function tasker.format_batch_id(p_number integer, p_total integer) returns text, immutable;
  -- called by create_batch_workers, find_batch_violations, get_batch_results
-- The error of a batch step of which more workers have failed than it tolerates.
function tasker.get_batch_failure(p_batch_step_uuid uuid) returns jsonb, stable;
  -- called by advance_batches
-- The result of a batch step whose workers have ended: {total, done, failed, failures, results}.
function tasker.get_batch_summary(p_batch_step_uuid uuid) returns jsonb, stable;
  -- called by advance_batches
-- The state of a task, null when there is no such task.
function tasker.get_current_task_state(p_task_uuid uuid) returns character varying, stable;
  -- called by TaskGateway
-- The steps of a task that are not workers of a batch, and the workers of open batches that have
--   not ended.
function tasker.get_open_steps(p_task_uuid uuid) returns SETOF tasker.workflow_steps, stable;
  -- called by begin_compensations, escalate_sla_breaches, evaluate_tasks, expire_lost_servers,
  --   explain_waiting_steps, fail_stale_task, get_next_ready_tasks, get_queue_timeout,
  --   get_task_execution_contexts_batch, get_task_ready_info, get_task_snapshot,
  --   get_task_staleness, judge_restart, may_sleep_until, record_task_fault, recover_expired_steps,
  --   recover_unclaimed_offers, release_unknown_steps, request_cancel, resend_lost_messages,
  --   roll_up_task_states, set_next_wakeups, set_step_backoff_atomic, time_out_tasks,
  --   transition_task_state_atomic
-- The verdicts of refused results, a JSON array of {step_uuid, handoff, verdict} for those not
--   accepted.
function tasker.get_refusals(p_results jsonb, p_accepted uuid[]) returns jsonb, stable;
  -- called by complete_steps
-- How long a failed service asked to wait before the next attempt, in milliseconds; null for what
--   is no number from 0 to ten years.
function tasker.get_retry_delay(p_error jsonb) returns bigint, immutable;
  -- called by settle_steps, transition_step_state_atomic
-- The output of an ended task: what its template's mapping gave, or the results of its leaves by
--   name.
function tasker.get_task_output(p_task_uuid uuid) returns jsonb, stable;
  -- called by find_child_violations, read_document
-- The outputs of ended tasks, each as get_task_output gives it, in one statement.
function tasker.get_task_outputs(p_task_uuids uuid[]) returns TABLE(item integer, task_uuid uuid,
    output jsonb, error jsonb), stable;
  -- called by get_task_documents, get_task_output, pass_child_waits
-- Expands completed decisions, and completes or arms the ready steps that no worker runs, until
--   nothing changes.
function tasker.grow_tasks(p_completed uuid[], p_ready uuid[], p_server_uuid uuid,
    p_claim_limit integer, p_lease_seconds integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_ready uuid[], OUT o_deltas tasker.task_delta[],
    OUT o_next_due_at timestamp with time zone, OUT o_due uuid[], OUT o_queued text[],
    OUT o_claimed uuid[]) returns record;
  -- called by advance_tasks, begin_compensations, evaluate_tasks
-- Installs the guards of list_guards that are missing, or removes those that are there.
function tasker.guard_tables(p_are_guarded boolean) returns integer;
  -- called by SchemaMigration
-- Whether a constraint or trigger of that name is on the table.
function tasker.has_guard(p_table text, p_guard text) returns boolean, stable;
  -- called by find_template_violations, guard_tables
-- Whether a task state is terminal.
function tasker.is_terminal(p_state tasker.task_state) returns boolean, immutable;
  -- called by add_metric_totals, apply_task_moves, count_task_moves, tally_steps, tally_tasks,
  --   transition_task_state_atomic
-- Whether the database ended a call because it took too long or used too much memory.
function tasker.is_too_expensive(p_sqlstate text) returns boolean, immutable;
  -- called by deliver_notices, get_next_ready_tasks, record_task_fault, set_aside_due_task
-- Whether an error comes from the connection, the transaction or the server, and not from the data.
function tasker.is_transient_error(p_sqlstate text) returns boolean, immutable;
  -- called by act_on_tasks_of_bulk, breach_blocked_slas, process_tasks, submit_queued_requests
-- Checks the batches in submitted results; an invalid one makes its result a permanent failure.
function tasker.judge_batches(p_results jsonb) returns jsonb, stable;
  -- called by judge_decisions
-- Checks the choices in submitted results; an invalid one makes its result a permanent failure.
function tasker.judge_decisions(p_results jsonb) returns jsonb, stable;
  -- called by complete_steps
-- Checks the yields in submitted results; one that is not allowed becomes a permanent failure, or
--   cancelled.
function tasker.judge_yields(p_results jsonb) returns jsonb, stable;
  -- called by yield_steps
-- The guards of the hot rows, each once: what must hold between the columns of a row, and the
--   triggers that compare moves with the rules.
function tasker.list_guards() returns TABLE(table_name text, guard text, fact text, trigger text),
    immutable;
  -- called by find_fact_violations, find_template_violations, guard_tables
-- Locks tasks in the order of their uuids, which is the lock order of all functions.
function tasker.lock_tasks(p_task_uuids uuid[]) returns void;
  -- called by abandon_steps, begin_approval_action, complete_steps, decline_steps,
  --   end_worker_claims, erase_task_documents, evaluate_tasks, fire_schedules, record_task_fault,
  --   release_steps, request_cancel, resume_templates, send_signals, set_step_backoff_atomic,
  --   start_validated_tasks, submit_results_of_workers, submit_worker_results, try_lock_tasks
-- Whether a step may be tried again after an attempt that failed or was lost.
function tasker.may_be_retried(p_step tasker.workflow_steps) returns boolean, immutable;
  -- called by get_step_readiness_status_batch, recover_expired_steps, recover_unclaimed_offers,
  --   settle_steps, transition_step_state_atomic
-- Merges two replies about different work into one, member by member.
function tasker.merge_replies(p_first jsonb, p_second jsonb) returns jsonb, immutable;
  -- called by advance_due_tasks, decide_approval, delegate_approval, end_worker_claims,
  --   process_tasks, submit_queued_requests, submit_worker_results
-- The name of the path that task_path takes from one state to another.
function tasker.name_task_path(p_from tasker.task_state, p_to tasker.task_state)
    returns tasker.task_path_name, immutable;
  -- called by roll_up_task_states
-- Whether a result with that outcome ends its step well: its document is what successors read.
function tasker.outcome_ends_well(p_outcome tasker.step_outcome) returns boolean, immutable;
  -- called by is_event_due, judge_batches, judge_decisions, record_batches, record_decisions,
  --   settle_steps, submit_results
-- Submits the child tasks of steps whose parents are done, and ends the waits of those whose child
--   has ended.
function tasker.pass_child_waits(p_step_uuids uuid[], p_server_uuid uuid, p_claim_limit integer,
    p_lease_seconds integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone,
    OUT o_completed uuid[], OUT o_deltas tasker.task_delta[], OUT o_claimed uuid[],
    OUT o_queued text[], OUT o_next_due_at timestamp with time zone) returns record;
  -- called by grow_tasks
-- Arms and ends the waits of steps whose parents are done.
function tasker.pass_waits(p_step_uuids uuid[], p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_ready uuid[], OUT o_completed uuid[],
    OUT o_deltas tasker.task_delta[], OUT o_next_due_at timestamp with time zone) returns record;
  -- called by grow_tasks
-- The positions in the template of the steps to create when a decision chooses p_chosen.
function tasker.plan_growth(p_step_uuid uuid, p_chosen text[]) returns integer[], stable;
  -- called by check_decision, expand_decisions
-- Sets the next wake-ups of tasks that an evaluation would leave as they are, and returns them.
function tasker.postpone_waiting_tasks(p_task_uuids uuid[], p_now timestamp with time zone)
    returns uuid[];
  -- called by process_tasks
-- Evaluates the tasks of steps whose results came from servers that have only the role worker.
function tasker.process_step_results(p_server_uuid uuid, p_limit integer DEFAULT 500,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_delivery_limit integer
    DEFAULT 5) returns jsonb;
  -- called by OrchestrationGateway
-- Recovers and evaluates tasks, so that one task whose processing raises an error does not hold up
--   the others.
function tasker.process_tasks(p_task_uuids uuid[], p_server_uuid uuid, p_claim_limit integer,
    p_lease_seconds integer, p_claim_seconds integer, p_unserved_seconds integer,
    p_fault_limit integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by advance_due_tasks, process_step_results
-- Stores the batches of batchable steps whose success has been accepted: a row for the batch, and
--   one for each cursor.
function tasker.record_batches(p_results jsonb, p_accepted uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns void;
  -- called by complete_steps, cut_batches, move_steps_by_operator, transition_step_state_atomic
-- Stores the choices of decisions whose success has been accepted, for the completion to carry out.
function tasker.record_decisions(p_results jsonb, p_accepted uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns void;
  -- called by complete_steps, transition_step_state_atomic
-- Recounts the workers of open batches after moves that were not counted one by one.
function tasker.recount_batches(p_task_uuids uuid[]) returns void;
  -- called by begin_compensations, evaluate_tasks, fail_stale_task, move_steps_by_operator,
  --   record_task_fault, refuse_steps, request_cancel, transition_step_state_atomic
-- History is append-only: an update or a delete of one of its rows is refused with TK009, but for
--   the erasure of its documents.
function tasker.refuse_history_change() returns trigger;
  -- called by trigger of operator_actions, trigger of step_moves, trigger of task_moves, trigger of
  --   workflow_step_result_audit
-- Ends steps that found a fail_fast policy full at their first handoff.
function tasker.refuse_steps(p_step_uuids uuid[], p_reasons text[], p_server_uuid uuid,
    p_now timestamp with time zone) returns void;
  -- called by admit_steps
-- The refusal that a function returns for a null or unknown id.
function tasker.refuse_unknown(p_kind text, p_id text, p_field text DEFAULT NULL::text)
    returns jsonb, immutable;
  -- called by act_on_step, act_on_task, add_steps, begin_approval_action, cancel_bulk_action,
  --   change_delivery, change_schedule, change_webhook, create_session, delete_view,
  --   erase_task_documents, erase_tasks_by_attribute, find_templates_to_pause, fork_task,
  --   grant_access, queue_signals, record_opening, replay_dead_messages, request_cancel,
  --   revoke_api_key, revoke_grant, run_bulk_action, save_schedule, save_webhook, send_signals,
  --   send_task_to_dlq, set_concurrency_limit, set_password, set_retention_policy,
  --   set_user_enabled, start_backfill, store_signal, trigger_schedule, update_dlq_entry
-- Counts down the remaining parents of the children of finished steps.
function tasker.release_children(p_completed uuid[], OUT o_ready uuid[], OUT o_grows boolean)
    returns record;
  -- called by advance_tasks, grow_tasks
-- Derives the state of each task from the changes to its steps, and moves the task to it.
function tasker.roll_up_task_states(p_deltas tasker.task_delta[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(task_uuid uuid, state tasker.task_state);
  -- called by act_on_task, advance_tasks, compensate_child, evaluate_tasks,
  --   finalize_task_completion, request_cancel, start_admitted_steps, transition_step_state_atomic
-- Schedules the next evaluation of tasks in process.
function tasker.set_next_wakeups(p_task_uuids uuid[], p_now timestamp with time zone) returns void;
  -- called by evaluate_tasks, postpone_waiting_tasks
-- The orchestrator's part of a completion: settles submitted steps.
function tasker.settle_steps(p_step_uuids uuid[], p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_completed uuid[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by advance_tasks, record_task_fault
-- Whether a step is to be handed off, for the first time or again.
function tasker.step_awaits_handoff(p_state tasker.step_state) returns boolean, immutable;
  -- called by admit_steps, begin_compensations, explain_waiting_steps, recount_batches,
  --   transition_step_state_atomic
-- Whether a step has a result, or an error, that is not settled yet.
function tasker.step_awaits_settlement(p_state tasker.step_state) returns boolean, immutable;
  -- called by evaluate_tasks, explain_waiting_steps, fail_stale_task, get_task_staleness,
  --   postpone_waiting_tasks, record_task_fault, settle_steps, submit_results, time_out_tasks
-- Whether a step has ended with a result, or was resolved by an operator.
function tasker.step_ended_well(p_state tasker.step_state) returns boolean, immutable;
  -- called by add_steps, check_step_dependencies, copy_finished_steps, expand_decisions,
  --   explain_waiting_steps, fork_task, get_compensation_document, get_slowest_tasks,
  --   get_step_readiness_status_batch, get_step_transitive_dependencies,
  --   get_task_execution_contexts_batch, judge_restart, move_steps_by_operator, recount_batches,
  --   weigh_step_state
-- Whether a step has ended, well or not.
function tasker.step_has_ended(p_state tasker.step_state) returns boolean, immutable;
  -- called by apply_step_moves, recount_batches, transition_step_state_atomic
-- Whether a step is offered to workers, or one works on it.
function tasker.step_is_handed_off(p_state tasker.step_state) returns boolean, immutable;
  -- called by apply_step_moves, fail_stale_task, time_out_tasks, transition_step_state_atomic
-- Whether a step has been handed off and its result is not settled yet.
function tasker.step_is_in_flight(p_state tasker.step_state) returns boolean, immutable;
  -- called by get_task_execution_contexts_batch, get_task_staleness, judge_restart,
  --   recount_batches, transition_step_state_atomic, weigh_step_state
-- Submits child tasks, and arms the waits of their steps.
function tasker.submit_children(p_requests jsonb[], p_waits jsonb[], p_server_uuid uuid,
    p_claim_limit integer, p_lease_seconds integer, p_now timestamp with time zone,
    OUT o_deltas tasker.task_delta[], OUT o_claimed uuid[], OUT o_queued text[],
    OUT o_next_due_at timestamp with time zone) returns record;
  -- called by pass_child_waits
-- The result submission: the worker's part of a completion.
function tasker.submit_results(p_results jsonb, p_server_uuid uuid, p_settle boolean,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT o_completed uuid[],
    OUT o_failed uuid[], OUT o_cancelled uuid[], OUT o_submitted tasker.step_handoff[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by complete_steps
-- Whether a task is complete, or was resolved by an operator.
function tasker.task_ended_well(p_state tasker.task_state) returns boolean, immutable;
  -- called by get_task_outputs, pass_child_waits, tell_end_of_task
-- The states through which a task goes from one state to another, p_from first.
function tasker.task_path(p_from tasker.task_state, p_to tasker.task_state)
    returns tasker.task_state[], immutable;
  -- called by roll_up_task_states
-- When a task ends, stores its output, and leaves a notice for the parent of a child task.
function tasker.tell_end_of_task() returns trigger;
  -- called by trigger of tasks
-- Moves one step from one state to another if it is still in the first and p_handoff is its latest
--   handoff, and lets its task follow.
function tasker.transition_step_state_atomic(p_step_uuid uuid, p_handoff integer,
    p_from_state character varying, p_to_state character varying, p_actor character varying,
    p_processor_uuid uuid, p_metadata jsonb DEFAULT '{}'::jsonb) returns boolean;
  -- called by no function or class: for manual use
-- Moves a task from one state to another if it is still in the first: compare-and-set, history and
--   wake-up in one statement.
function tasker.transition_task_state_atomic(p_task_uuid uuid, p_from_state character varying,
    p_to_state character varying, p_processor_uuid uuid, p_metadata jsonb DEFAULT '{}'::jsonb)
    returns boolean;
  -- called by no function or class: for manual use
-- Which counters of its task a step counts in while it is in a state: in flight, unfinished,
--   failed, retrying.
function tasker.weigh_step_state(p_state tasker.step_state) returns TABLE(in_flight integer,
    unfinished integer, failed integer, retrying integer), immutable;
  -- called by apply_step_moves, transition_step_state_atomic
-- Ends handoffs that yielded: stores the checkpoint, and the step waits until its next handoff.
function tasker.yield_steps(p_results jsonb, p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, OUT o_rest jsonb, OUT o_yielded uuid[],
    OUT o_deltas tasker.task_delta[]) returns record;
  -- called by complete_steps


-- Functions: event
-- ----------------
-- Takes or extends the lease of a server on a consumer of domain events, and returns what it has to
--   send next.
function tasker.claim_event_consumer(p_name text, p_server_uuid uuid, p_lease_seconds integer
    DEFAULT 30, p_limit integer DEFAULT 500, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by EventGateway
-- Deletes the domain events of fire times whose record is deleted, and their deliveries to
--   webhooks.
function tasker.delete_fire_events() returns trigger;
  -- called by trigger of schedule_fires
-- The first violation of a schema by a value; null when the value fits.
function tasker.find_schema_problem(p_schema jsonb, p_value jsonb, p_place text DEFAULT '$'::text)
    returns text, immutable;
  -- called by make_event_data
-- The name of the domain event for an event in the history of an approval.
function tasker.get_approval_event_name(p_event tasker.approval_event) returns text, immutable;
  -- called by find_event_violations, publish_approval_events
-- Figures of the consumers of domain events for monitoring: failures in a row, and how long they
--   have waited.
function tasker.get_consumer_figures(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by get_metrics_document
-- The events that a step publishes, in the form that the engine stores; null for none.
function tasker.get_event_definitions(p_declared jsonb, p_published jsonb) returns jsonb, immutable;
  -- called by register_template
-- A domain event as a CloudEvent; null when there is no such event.
function tasker.get_event_document(p_event_uuid uuid) returns jsonb, stable;
  -- called by claim_deliveries, list_domain_events
-- The lowest position that a consumer of domain events has been sent: the clean-up keeps tasks with
--   later events.
function tasker.get_event_floor(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns bigint, stable;
  -- called by preview_retention, purge_tasks
-- The name of the domain event of a task that has reached a state; null for states that have none.
function tasker.get_task_event_name(p_state tasker.task_state) returns text, immutable;
  -- called by find_event_violations, publish_task_events
-- Whether an event with that condition follows from a result with that outcome.
function tasker.is_event_due(p_condition text, p_outcome tasker.step_outcome) returns boolean,
    immutable;
  -- called by find_event_violations, publish_events
-- A page of the feed of domain events, in the order of their positions.
function tasker.list_domain_events(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer DEFAULT 100,
    p_after bigint DEFAULT 0) returns jsonb, stable;
  -- called by EventGateway, claim_event_consumer
-- The data of a domain event, or the error for which it has none.
function tasker.make_event_data(p_event jsonb, p_task_uuid uuid, p_step_uuid uuid, p_step_name text,
    p_result jsonb, p_error jsonb, OUT o_data jsonb, OUT o_error jsonb) returns record, stable;
  -- called by publish_events
-- Writes the domain event for each event of an approval, in its transaction.
function tasker.publish_approval_events() returns trigger;
  -- called by trigger of approval_events
-- Writes the domain event of a dead letter that is opened, in its transaction.
function tasker.publish_dlq_events() returns trigger;
  -- called by trigger of tasks_dlq
-- Writes the domain events that follow from a result, in the transaction of the result.
function tasker.publish_events() returns trigger;
  -- called by trigger of workflow_step_result_audit
-- Writes the domain event of a fire time whose task could not be submitted, in the transaction that
--   records it.
function tasker.publish_fire_events() returns trigger;
  -- called by trigger of schedule_fires
-- Writes the domain event of a schedule that has paused itself, in the transaction of the pause.
function tasker.publish_pause_events() returns trigger;
  -- called by trigger of schedules
-- Writes the domain event of a task that has ended or is blocked, in the transaction of the move.
function tasker.publish_task_events() returns trigger;
  -- called by trigger of tasks
-- Records how far a server has sent the events of a consumer.
function tasker.record_event_delivery(p_name text, p_server_uuid uuid, p_position bigint,
    p_failure text DEFAULT NULL::text, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by EventGateway
-- Gives the next committed domain events their position in the feed.
function tasker.sequence_events(p_limit integer DEFAULT 1000) returns integer;
  -- called by EventGateway, claim_deliveries, claim_event_consumer


-- Functions: expression
-- ---------------------
-- Refuses a path that would read too much of a document, before it is evaluated, and returns how
--   many values it reads, at most.
function tasker.bound_path(p_path text, p_document jsonb) returns double precision, immutable;
  -- called by evaluate_list
-- Adds to the values that the expressions of a task have read in this transaction; false beyond the
--   limit.
function tasker.charge_expressions(p_task text, p_reads double precision) returns boolean;
  -- called by cut_batches, decide_steps, evaluate_list, get_expression_document, pass_child_waits,
  --   pass_waits
-- Checks an expression: one row for each problem, none for a valid one.
function tasker.check_expression(p_expression jsonb, p_kind text, p_steps jsonb DEFAULT NULL::jsonb,
    p_ancestors bit varying DEFAULT NULL::bit varying) returns TABLE(pointer text, message text,
    unknown_step text), immutable;
  -- called by check_expressions, try_expression
-- Checks the expressions of a template: a JSON array of {index, pointer, message, unknown_step}.
function tasker.check_expressions(p_graph jsonb, p_expressions jsonb) returns jsonb, immutable;
  -- called by TemplateGateway
-- Checks a path (SQL/JSON path) over the document of get_expression_document: one row for each
--   problem, none for a valid path.
function tasker.check_path(p_path text, p_steps jsonb DEFAULT NULL::jsonb, p_ancestors bit varying
    DEFAULT NULL::bit varying) returns TABLE(message text, unknown_step text), immutable;
  -- called by check_expression
-- An upper bound of the pairs of values that a comparison compares.
function tasker.count_pairs(p_left jsonb, p_right jsonb, p_elements jsonb, p_times double precision,
    p_again double precision, p_document jsonb, p_nodes bigint, p_limit double precision)
    returns double precision, immutable;
  -- called by measure_path
-- How many values a path without filters gives, and how often it has what multiplies them.
function tasker.count_values(p_path jsonb, p_elements jsonb, p_document jsonb, p_nodes bigint)
    returns double precision[], immutable;
  -- called by count_pairs, measure_path
-- The items of batch_config.items: all values that a path gives, in their order, where it leads to
--   elements of lists.
function tasker.evaluate_items(p_path text, p_document jsonb, OUT o_items jsonb,
    OUT o_complaint text) returns record, immutable;
  -- called by cut_batches, try_expression
-- All values that a path gives, a JSON array in their order.
function tasker.evaluate_list(p_path text, p_document jsonb) returns jsonb, immutable;
  -- called by evaluate_items, evaluate_predicate, evaluate_value
-- A mapping with each path in it replaced by its value.
function tasker.evaluate_mapping(p_mapping jsonb, p_document jsonb) returns jsonb, immutable;
  -- called by make_event_data, pass_child_waits, prepare_approval, tell_end_of_task, try_expression
-- Whether a predicate holds; an unknown one is an error and never quietly false.
function tasker.evaluate_predicate(p_path text, p_document jsonb) returns boolean, immutable;
  -- called by decide_steps, try_expression
-- The value that a path gives; null when a member on the way is missing.
function tasker.evaluate_value(p_path text, p_document jsonb) returns jsonb, immutable;
  -- called by evaluate_mapping, fill_mapping, pass_waits, try_expression
-- evaluate_mapping without its bound: each path replaced by its value, at any depth.
function tasker.fill_mapping(p_mapping jsonb, p_document jsonb) returns jsonb, immutable;
  -- called by evaluate_mapping
-- The steps of a graph with all their ancestors, as bits.
function tasker.find_ancestors(p_graph jsonb) returns TABLE(step text, number integer,
    ancestors bit varying), immutable;
  -- called by check_expressions
-- The document over which the expressions of a step are evaluated: {context, results, task}.
function tasker.get_expression_document(p_task_uuid uuid, p_step_uuid uuid DEFAULT NULL::uuid,
    p_with_results boolean DEFAULT true) returns jsonb, stable;
  -- called by cut_batches, decide_steps, make_event_data, pass_child_waits, pass_waits,
  --   tell_end_of_task
-- How many values PostgreSQL reads, at most, to evaluate a path, and what no document could make
--   cheap.
function tasker.measure_path(p_normal text, p_document jsonb, p_nodes bigint,
    p_limit double precision, OUT o_reads double precision, OUT o_problem text) returns record,
    immutable;
  -- called by bound_path, check_path
-- The instant that a JSON text gives in ISO 8601 with an offset; null when it is something else.
function tasker.parse_instant(p_value jsonb) returns timestamp with time zone, immutable;
  -- called by judge_task_request, pass_waits, submit_tasks
-- Whether one of the paths of a filter starts at $ and reads all of the list that the filter is
--   applied to.
function tasker.reads_its_list(p_paths jsonb, p_elements jsonb) returns boolean, immutable;
  -- called by measure_path
-- Evaluates an expression as the engine would, and tells what is wrong with it instead of raising
--   an error.
function tasker.try_expression(p_expression text, p_document jsonb, p_kind text
    DEFAULT 'value'::text) returns jsonb, immutable;
  -- called by no function or class: for manual use


-- Functions: idempotency
-- ----------------------
-- Checks whether a request was answered before, as the first statement of its transaction.
function tasker.claim_idempotency_key(p_principal text, p_key text, p_request_hash text,
    p_retention_seconds integer, p_wait_ms integer DEFAULT 5000, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by RequestGateway
-- Deletes saved responses that are older than some seconds, at most p_limit per call.
function tasker.purge_idempotency_keys(p_retention_seconds integer, p_limit integer DEFAULT 1000,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by RequestGateway
-- Saves the response to a request whose key is claimed, in the transaction that executes the
--   request.
function tasker.save_idempotent_response(p_principal text, p_key text, p_request_hash text,
    p_status integer, p_location text, p_body text, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns void;
  -- called by RequestGateway


-- Functions: insight
-- ------------------
-- Writes a row that needs room on disk and deletes it again; raises the error of the write when
--   there is no room.
function tasker.check_storage() returns void;
  -- called by InsightGateway
-- How many tasks match a filter, by state, up to a bound.
function tasker.count_tasks(p_filter jsonb DEFAULT '{}'::jsonb, p_most integer DEFAULT 10000,
    p_read integer DEFAULT 100000) returns jsonb, stable;
  -- called by TaskGateway
-- The tasks that a completion ended, with the document of the one that a caller waits for.
function tasker.describe_awaited_end(p_ended jsonb, p_task_uuid uuid) returns json, stable;
  -- called by complete_steps
-- Why a task is blocked or waiting, in one sentence; null when it does not exist or has ended
--   otherwise than by its time limit.
function tasker.diagnose_task(p_task_uuid uuid) returns text, stable;
  -- called by get_task_documents, get_waiting_document
-- Why tasks are blocked or waiting: an object of one sentence for each by task_uuid.
function tasker.explain_tasks(p_task_uuids uuid[]) returns jsonb, stable;
  -- called by TaskGateway, diagnose_task
-- Explains why a task waits: one row for every unfinished step of an unfinished task, with a cause,
--   a sentence and the details.
function tasker.explain_waiting(p_task_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(workflow_step_uuid uuid,
    step_name character varying, state tasker.step_state, cause text, sentence text, details jsonb),
    stable;
  -- called by no function or class: for manual use
-- Explains why tasks wait: one row for every unfinished step of each unfinished task, or for the
--   one that matters most, with a cause, a sentence and the details.
function tasker.explain_waiting_steps(p_task_uuids uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_first_only boolean DEFAULT false,
    p_shows_context boolean DEFAULT true, p_shows_errors boolean DEFAULT true)
    returns TABLE(task_uuid uuid, workflow_step_uuid uuid, step_name character varying,
    state tasker.step_state, step_position integer, cause text, sentence text, details jsonb,
    steps bigint), stable;
  -- called by explain_tasks, explain_waiting, get_waiting_document
-- The keys of the tasks that match a filter, newest or oldest first.
function tasker.find_tasks(p_filter jsonb, p_limit integer, p_cursor uuid DEFAULT NULL::uuid,
    p_since uuid DEFAULT NULL::uuid, OUT r_tasks uuid[], OUT r_unknown_attribute text)
    returns record, stable;
  -- called by count_tasks, list_tasks
-- The results of a batch for a step that follows from it, by page, in the order of the batches.
function tasker.get_ancestor_batch_results(p_step_uuid uuid, p_batch_step text, p_after integer,
    p_limit integer, p_most_bytes integer DEFAULT 4194304) returns jsonb, stable;
  -- called by StepGateway, get_worker_batch_results
-- The batches of a task as the REST interface shows them, a JSON array in the order of the
--   template.
function tasker.get_batch_documents(p_task_uuid uuid) returns jsonb, stable;
  -- called by get_task_documents
-- The workers of a batch and their results by page, in the order of the batches.
function tasker.get_batch_results(p_batch_step_uuid uuid, p_after integer DEFAULT 0, p_limit integer
    DEFAULT 100, p_state text DEFAULT NULL::text) returns TABLE(batch_number integer, batch_id text,
    workflow_step_uuid uuid, step_name text, state tasker.step_state, attempts integer,
    result jsonb, error jsonb), stable;
  -- called by get_ancestor_batch_results, get_batch_failure, get_batch_summary, get_task_snapshot,
  --   list_batch_workers
-- The states of the workers of a batch as one letter for each, in the order of the batches, those
--   behind p_after and at most p_limit.
function tasker.get_batch_states(p_batch_step_uuid uuid, p_after integer DEFAULT 0, p_limit integer
    DEFAULT 10000) returns text, stable;
  -- called by list_batch_workers
-- The child tasks that steps of a task have submitted, in the order of their submission.
function tasker.get_child_documents(p_task_uuid uuid, p_after uuid DEFAULT NULL::uuid,
    p_limit integer DEFAULT 100) returns jsonb, stable;
  -- called by TaskGateway
-- The compensation of a task as its document shows it; null for a task without.
function tasker.get_compensation_document(p_task_uuid uuid) returns jsonb, stable;
  -- called by explain_tasks, get_task_documents
-- The decisions of a task as the REST interface shows them, a JSON array in the order of the
--   template.
function tasker.get_decision_documents(p_task_uuid uuid) returns jsonb, stable;
  -- called by get_task_documents
-- Steps of a task as the REST interface shows them, in the order of the template.
function tasker.get_documents_of_steps(p_task_uuid uuid, p_step_uuids uuid[], p_most_bytes integer
    DEFAULT NULL::integer) returns jsonb, stable;
  -- called by get_step_documents, list_batch_workers
-- The events of the stream: moves of tasks and steps by transactions that have ended.
function tasker.get_events(p_from bigint, p_until bigint DEFAULT NULL::bigint,
    p_after_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_after_uuid uuid
    DEFAULT NULL::uuid, p_after_sort_key integer DEFAULT NULL::integer, p_task_uuids uuid[]
    DEFAULT NULL::uuid[], p_span bigint DEFAULT NULL::bigint) returns json, stable;
  -- called by EventGateway
-- What a task was forked from, and the forks made from it, the latest first.
function tasker.get_fork_documents(p_task_uuid uuid, p_limit integer DEFAULT 100, p_before uuid
    DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by OperationGateway
-- The state of the installation: version of the schema, live servers, unserved steps, schedules,
--   and whether the database refuses writes.
function tasker.get_installation_status(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by InsightGateway
-- The document of a complete task without decisions, batches and the like, as get_task_documents
--   has it.
function tasker.get_plain_document(p_task_uuid uuid) returns json, stable;
  -- called by describe_awaited_end
-- The readiness of the steps of a task as the REST interface shows it with the task.
function tasker.get_readiness_documents(p_task_uuid uuid) returns json, stable;
  -- called by get_task_documents
-- Every recorded result of a step, oldest first.
function tasker.get_step_audit(p_task_uuid uuid, p_step_uuid uuid, p_most_bytes integer
    DEFAULT NULL::integer) returns jsonb, stable;
  -- called by TaskGateway
-- The steps of a task, or one of them, as the REST interface shows them.
function tasker.get_step_documents(p_task_uuid uuid, p_step_uuid uuid DEFAULT NULL::uuid,
    p_most_bytes integer DEFAULT NULL::integer) returns jsonb, stable;
  -- called by TaskGateway
-- The failed step with its error, and the search attributes, for each of some tasks, by task_uuid.
function tasker.get_task_captions(p_task_uuids uuid[]) returns jsonb, stable;
  -- called by TaskGateway
-- The full documents of tasks as the REST interface shows them, in the order of the argument.
function tasker.get_task_documents(p_task_uuids uuid[], p_most_bytes integer DEFAULT NULL::integer)
    returns json, stable;
  -- called by TaskGateway
-- Tasks with the summary of their steps, as lists show them.
function tasker.get_task_headers(p_task_uuids uuid[]) returns TABLE(task_uuid uuid, name text,
    namespace text, version text, state text, created_at timestamp with time zone,
    requested_at timestamp with time zone, completed_at timestamp with time zone,
    updated_at timestamp with time zone, initiator text, source_system text, reason text,
    priority integer, tags jsonb, correlation_id uuid, parent_correlation_id uuid,
    parent_task_uuid uuid, compensates_task_uuid uuid, replaces_task_uuid uuid,
    replaced_by_task_uuid uuid, total_steps bigint, pending_steps bigint, in_progress_steps bigint,
    completed_steps bigint, failed_steps bigint, ready_steps bigint, enqueued_steps bigint,
    execution_status text, recommended_action text, completion_percentage numeric,
    health_status text, start_at timestamp with time zone, next_wake_at timestamp with time zone,
    sla_breached_at timestamp with time zone, times_out_at timestamp with time zone,
    timed_out_at timestamp with time zone, erased_at timestamp with time zone,
    cancel_request jsonb), stable;
  -- called by get_task_documents, get_task_summaries
-- The history of a task, in the order in which it was written.
function tasker.get_task_history(p_task_uuid uuid) returns jsonb, stable;
  -- called by OperationGateway
-- A snapshot of a task and its steps, for a dead letter.
function tasker.get_task_snapshot(p_task_uuid uuid) returns jsonb, stable;
  -- called by create_dlq_entries, create_dlq_entry
-- Tasks as lists of the REST interface show them, in the order of the argument.
function tasker.get_task_summaries(p_task_uuids uuid[]) returns json, stable;
  -- called by list_tasks
-- explain_waiting as the REST interface shows it; null when there is no such task.
function tasker.get_waiting_document(p_task_uuid uuid, p_shows_context boolean DEFAULT true,
    p_shows_errors boolean DEFAULT true) returns jsonb, stable;
  -- called by OperationGateway
-- The failed steps, grouped by template, step and error signature.
function tasker.group_failures(p_filter jsonb DEFAULT '{}'::jsonb, p_hours integer DEFAULT 24,
    p_limit integer DEFAULT 50, p_tasks integer DEFAULT 5000) returns jsonb, stable;
  -- called by InsightGateway
-- Whether a task has a failed step of this name, error type and error signature.
function tasker.has_failed_step(p_task_uuid uuid, p_step text, p_error_type text,
    p_error_signature text) returns boolean, stable;
  -- called by find_tasks, find_tasks_for_action
-- Returns an answer for a program unchanged, or refuses it when it is longer than 16 MiB.
function tasker.limit_answer(p_answer text) returns text, immutable;
  -- called by SqlFunctions
-- The results and errors of steps with their sizes, in bytes of their JSON text, and whether an
--   answer shows them.
function tasker.limit_results(p_step_uuids uuid[], p_step_uuid uuid DEFAULT NULL::uuid,
    p_most_bytes integer DEFAULT NULL::integer) returns TABLE(workflow_step_uuid uuid,
    sort_key integer, result jsonb, error jsonb, execution_time_ms bigint, is_time_measured boolean,
    result_bytes integer, error_bytes integer, shows_result boolean, shows_error boolean), stable;
  -- called by get_documents_of_steps, get_step_audit
-- A page of the workers of a batch as the REST interface shows steps, in the order of the batches.
function tasker.list_batch_workers(p_task_uuid uuid, p_batch_step_uuid uuid, p_after integer
    DEFAULT 0, p_limit integer DEFAULT 100, p_state text DEFAULT NULL::text, p_states boolean
    DEFAULT false, p_most_bytes integer DEFAULT NULL::integer) returns jsonb, stable;
  -- called by TaskGateway
-- A page of tasks, newest or oldest first.
function tasker.list_tasks(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer DEFAULT 25,
    p_cursor uuid DEFAULT NULL::uuid) returns json, stable;
  -- called by TaskGateway
-- The signature of an error: its message without identifiers, numbers and quoted values.
function tasker.normalize_error(p_message text) returns text, immutable;
  -- called by group_failures, has_failed_step
-- A part of a document of a task or step, as JSON text.
function tasker.read_document(p_task_uuid uuid, p_step_uuid uuid, p_document text, p_attempt integer
    DEFAULT NULL::integer, p_pointer text DEFAULT ''::text, p_offset integer DEFAULT 0,
    p_limit integer DEFAULT 16384) returns jsonb, stable;
  -- called by TaskGateway
-- The refusal of a filter by a search attribute that no template of the filter declares.
function tasker.refuse_search_attribute(p_name text) returns jsonb, immutable;
  -- called by count_tasks, list_tasks
-- Updates the index summaries of history by transaction, so that reading the end of history is
--   quick.
function tasker.summarize_history() returns integer;
  -- called by EventGateway, OrchestrationGateway


-- Functions: limits
-- -----------------
-- Requests the slots that ready steps need and returns the steps that may be handed off now.
function tasker.admit_steps(p_step_uuids uuid[], p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns uuid[];
  -- called by enqueue_steps, transition_step_state_atomic
-- The value under a JSON pointer as the text by which slots are counted.
function tasker.calculate_slot_key(p_context jsonb, p_pointer text) returns text, immutable;
  -- called by admit_steps, find_setting_violations
-- Concurrency policies as a JSON array, each with how many hold a slot and how many wait.
function tasker.list_concurrency_policies(p_filter jsonb DEFAULT '{}'::jsonb, p_entries integer
    DEFAULT 0) returns jsonb, stable;
  -- called by OperationGateway, set_concurrency_limit
-- Promotes waiters for every key of a policy whose limit has changed.
function tasker.promote_policy(p_policy_uuid uuid) returns void;
  -- called by register_policies, set_concurrency_limit
-- Gives the free slots of one policy and key to the holders that are first in line: by priority,
--   then age.
function tasker.promote_waiters(p_policy_uuid uuid, p_key text, p_own uuid[] DEFAULT '{}'::uuid[])
    returns integer;
  -- called by admit_steps, promote_policy, release_slots, start_admitted_steps
-- Registers the policies of a template that is being registered.
function tasker.register_policies(p_named_task_uuid uuid, p_template jsonb) returns void;
  -- called by register_template
-- Releases every slot of some holders, and their positions in the queues, by identity.
function tasker.release_slots(p_holder_uuids uuid[]) returns void;
  -- called by advance_due_tasks, release_step_slots, release_task_slots, start_admitted_steps
-- Releases the slots of a step that leaves enqueued and in_progress, or that ends before its
--   handoff.
function tasker.release_step_slots() returns trigger;
  -- called by trigger of workflow_steps
-- Releases the slots of a task that ends or is blocked, and those of its steps.
function tasker.release_task_slots() returns trigger;
  -- called by trigger of tasks
-- Changes the limit of a policy at run time; null restores the template's.
function tasker.set_concurrency_limit(p_policy_uuid uuid, p_limit integer, p_by text
    DEFAULT NULL::text) returns jsonb;
  -- called by OperationGateway
-- Continues tasks and steps that got a released slot, and those that found a gate busy.
function tasker.start_admitted_steps(p_server_uuid uuid, p_limit integer, p_claim_limit integer,
    p_lease_seconds integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone,
    OUT o_tasks uuid[], OUT o_claimed uuid[], OUT o_queued text[], OUT o_ended jsonb,
    OUT o_continued integer) returns record;
  -- called by advance_due_tasks
-- Whether a step, or its task, waits for a slot of a concurrency policy.
function tasker.waits_for_slot(p_step tasker.workflow_steps) returns boolean, stable;
  -- called by get_next_ready_tasks, get_step_readiness_status_batch,
  --   get_task_execution_contexts_batch


-- Functions: made by db/migration
-- -------------------------------
-- A new time-ordered key (UUID version 7): the server's own uuidv7() from PostgreSQL 18 on, the
--   same layout before.
function tasker.uuid_v7() returns uuid;
  -- called by add_steps, begin_compensations, change_webhook, compensate_child,
  --   create_batch_workers, create_steps, create_task, expand_decisions, fork_task, submit_tasks


-- Functions: operations
-- ---------------------
-- An operator action on one step, with a name and a reason, in one transaction with its
--   consequences for the task.
function tasker.act_on_step(p_task_uuid uuid, p_step_uuid uuid, p_action text, p_by text,
    p_reason text, p_data jsonb DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OperationGateway
-- An operator action on a whole task, with a name and a reason, in one transaction with its
--   consequences.
function tasker.act_on_task(p_task_uuid uuid, p_action text, p_by text, p_reason text, p_data jsonb
    DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_bulk_token uuid DEFAULT NULL::uuid) returns jsonb;
  -- called by OperationGateway, act_on_task_of_bulk
-- Acts on one task of a bulk action: act_on_task, or for close_dead_letters update_dlq_entry on
--   each open dead letter of the task, which itself does not change.
function tasker.act_on_task_of_bulk(p_bulk tasker.bulk_actions, p_task_uuid uuid,
    p_server_uuid uuid, p_now timestamp with time zone) returns jsonb;
  -- called by act_on_tasks_of_bulk
-- Acts on tasks of a bulk action and records the verdict on each.
function tasker.act_on_tasks_of_bulk(p_bulk tasker.bulk_actions, p_task_uuids uuid[],
    p_matching uuid[], p_isolated boolean, p_server_uuid uuid, p_now timestamp with time zone,
    p_free uuid[], OUT o_queued jsonb, OUT o_ended jsonb) returns record;
  -- called by advance_bulk_actions, run_bulk_action
-- One part of the oldest bulk action in the background: up to p_limit of its tasks, with a verdict
--   on each.
function tasker.advance_bulk_actions(p_server_uuid uuid DEFAULT NULL::uuid, p_limit integer
    DEFAULT 50, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OrchestrationGateway
-- Ends a bulk action in the background; tasks without a verdict stay as they are.
function tasker.cancel_bulk_action(p_token uuid, p_by text, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OperationGateway
-- Refuses an operator action that is unknown, or has no actor or no reason, with TK007.
function tasker.check_action(p_action text, p_known text[], p_by text, p_reason text) returns void;
  -- called by act_on_step, act_on_task, erase_task_documents, erase_tasks_by_attribute, fork_task,
  --   pause_templates, preview_bulk_action, record_opening, resume_templates, send_task_to_dlq,
  --   set_retention_policy, update_dlq_entry
-- Copies the finished steps of its source into a fork, except those that run again and what follows
--   from them.
function tasker.copy_finished_steps(p_source_uuid uuid, p_task_uuid uuid, p_rerun uuid[],
    p_history jsonb, p_server_uuid uuid, p_now timestamp with time zone) returns integer;
  -- called by fork_task
-- Deletes a view of the caller, or of a namespace in which the caller may act on tasks.
function tasker.delete_view(p_view_uuid uuid, p_owner text, p_namespaces jsonb DEFAULT NULL::jsonb)
    returns jsonb;
  -- called by OperationGateway
-- The tasks that match a filter and that allow an action, by uuid, at most p_limit of them.
function tasker.find_tasks_for_action(p_action text, p_filter jsonb, p_limit integer,
    p_task_uuids uuid[] DEFAULT NULL::uuid[]) returns uuid[], stable;
  -- called by advance_bulk_actions, preview_bulk_action, run_bulk_action
-- The templates that a pause or resume applies to, with their namespace locked, or a refusal.
function tasker.find_templates_to_pause(p_namespace text, p_name text, p_version text,
    OUT o_namespace tasker.task_namespaces, OUT o_templates uuid[], OUT o_refusal jsonb)
    returns record;
  -- called by pause_templates, resume_templates
-- Makes a new task from an existing one that runs again from chosen steps on.
function tasker.fork_task(p_task_uuid uuid, p_by text, p_reason text, p_data jsonb
    DEFAULT '{}'::jsonb, p_context_checked boolean DEFAULT false, p_server_uuid uuid
    DEFAULT NULL::uuid, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OperationGateway
-- The schemas of the context of a task and the result of a step; null when there is no such task or
--   step.
function tasker.get_action_schemas(p_task_uuid uuid, p_step_uuid uuid DEFAULT NULL::uuid)
    returns jsonb, stable;
  -- called by OperationGateway
-- The actions that the state of a task allows now, by the rules of act_on_task, fork_task and
--   store_signal.
function tasker.get_allowed_actions(p_task tasker.tasks) returns jsonb, stable;
  -- called by get_task_documents
-- The actions that the state of a step and its task allow now, by the rules of act_on_step.
function tasker.get_allowed_step_actions(p_task tasker.tasks, p_step tasker.workflow_steps)
    returns jsonb, stable;
  -- called by get_documents_of_steps
-- What the token of a bulk action allows; null when the caller has no such token.
function tasker.get_bulk_action(p_token uuid, p_made_by text) returns jsonb, stable;
  -- called by OperationGateway
-- A bulk action as the REST interface shows it; null when there is none.
function tasker.get_bulk_action_document(p_token uuid) returns jsonb, stable;
  -- called by OperationGateway, cancel_bulk_action, list_bulk_actions
-- What a bulk action has done so far, as run_bulk_action returns it.
function tasker.get_bulk_action_result(p_bulk tasker.bulk_actions, p_outcome text) returns jsonb,
    stable;
  -- called by advance_bulk_actions, cancel_bulk_action, run_bulk_action
-- The running steps, of those given, that were asked to stop, and the time that each has left.
function tasker.get_cancel_requests(p_steps jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by StepGateway, heartbeat_worker, save_worker_checkpoints
-- What is paused, since when, by whom and why.
function tasker.get_pauses() returns jsonb, stable;
  -- called by OperationGateway
-- SHA-256 over the current state of a set of tasks: any move of one of them changes the value.
function tasker.hash_tasks(p_task_uuids uuid[]) returns bytea, stable;
  -- called by preview_bulk_action, run_bulk_action
-- Whether the latest operator action on a task, or on one of its steps, is the same as this one.
function tasker.is_repeated_action(p_task_uuid uuid, p_step_uuid uuid, p_action text, p_by text,
    p_reason text) returns boolean, stable;
  -- called by judge_restart, judge_step_action
-- Why a task cannot be ended by an operator now: the rules of act_on_task for resolve, fail,
--   compensate and cancel.
function tasker.judge_end_of_task(p_task tasker.tasks, p_action text, p_compensates boolean
    DEFAULT false) returns jsonb, stable;
  -- called by act_on_task, get_allowed_actions, request_cancel
-- Why a task cannot be forked, regardless of the steps: the rule of fork_task.
function tasker.judge_fork(p_task_uuid uuid) returns jsonb, stable;
  -- called by fork_task, get_allowed_actions
-- The steps that retry or retry_from_step would start again, or why it is refused: the rules of
--   act_on_task.
function tasker.judge_restart(p_task tasker.tasks, p_action text, p_by text, p_reason text,
    p_data jsonb, OUT o_steps uuid[], OUT o_from_step uuid, OUT o_reply jsonb) returns record,
    stable;
  -- called by act_on_task, get_allowed_actions
-- Why an action on a step is not possible now: the rules of act_on_step.
function tasker.judge_step_action(p_task tasker.tasks, p_step tasker.workflow_steps, p_action text,
    p_by text, p_reason text, p_data jsonb) returns jsonb, stable;
  -- called by act_on_step, get_allowed_step_actions
-- The verdicts of a bulk action by task.
function tasker.list_bulk_action_tasks(p_token uuid, p_outcome text DEFAULT NULL::text,
    p_limit integer DEFAULT 100, p_after uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by OperationGateway
-- Bulk actions that were started, newest first.
function tasker.list_bulk_actions(p_namespaces jsonb DEFAULT NULL::jsonb, p_limit integer
    DEFAULT 25, p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by OperationGateway
-- The views that a caller may use: its own, and those of the namespaces that it may list.
function tasker.list_views(p_owner text, p_namespaces jsonb DEFAULT NULL::jsonb) returns jsonb,
    stable;
  -- called by OperationGateway
-- The common part of all operator actions on steps: moves steps of one task to pending, complete or
--   resolved_manually.
function tasker.move_steps_by_operator(p_task_uuid uuid, p_step_uuids uuid[],
    p_to tasker.step_state, p_metadata jsonb, p_result jsonb, p_server_uuid uuid,
    p_now timestamp with time zone) returns integer;
  -- called by act_on_step, act_on_task, copy_finished_steps, transition_step_state_atomic
-- Pauses a namespace or the templates of a name: no further step is handed off; offered and running
--   steps finish.
function tasker.pause_templates(p_namespace text, p_name text, p_version text, p_by text,
    p_reason text, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OperationGateway
-- The dry run of an action on many tasks: counts them and gives the token that the real run must
--   present.
function tasker.preview_bulk_action(p_action text, p_filter jsonb, p_by text, p_reason text,
    p_limit integer DEFAULT 100000, p_valid_for interval DEFAULT '00:10:00'::interval,
    p_made_by text DEFAULT NULL::text, p_at_once integer DEFAULT 1000, p_background boolean
    DEFAULT false, p_resolution text DEFAULT NULL::text) returns jsonb;
  -- called by OperationGateway
-- Requests the cancel of a task and does at once what the orchestrator may do.
function tasker.request_cancel(p_task_uuid uuid, p_by text, p_reason text, p_policy text
    DEFAULT 'cancel_running'::text, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_bulk_token uuid
    DEFAULT NULL::uuid, p_grace_seconds integer DEFAULT NULL::integer, p_children text
    DEFAULT 'leave'::text, p_default_grace_seconds integer DEFAULT 30, p_compensate boolean
    DEFAULT false) returns jsonb;
  -- called by TaskGateway, act_on_task, admit_steps, deliver_notices, erase_task_documents,
  --   fire_schedules, time_out_tasks
-- Ends a pause and makes the waiting tasks due at once.
function tasker.resume_templates(p_namespace text, p_name text, p_version text, p_by text,
    p_reason text, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OperationGateway
-- Runs the action that preview_bulk_action counted, in one transaction, if the set of tasks is
--   unchanged, or starts it in the background.
function tasker.run_bulk_action(p_token uuid, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_run_by text
    DEFAULT NULL::text) returns jsonb;
  -- called by OperationGateway
-- Saves the filter of a list under a name, for its owner or for a namespace.
function tasker.save_view(p_page text, p_name text, p_query text, p_namespace text, p_owner text,
    p_by text, p_most integer DEFAULT 100) returns jsonb;
  -- called by OperationGateway
-- Locks tasks for an action on many of them, except those that another transaction holds for long.
function tasker.try_lock_tasks(p_task_uuids uuid[], p_wait interval DEFAULT '00:00:05'::interval)
    returns uuid[];
  -- called by advance_bulk_actions, run_bulk_action


-- Functions: proof
-- ----------------
-- Why a document may not be stored: a sentence, or null.
function tasker.check_document(p_document jsonb, p_most_bytes integer DEFAULT 33554432,
    p_deepest integer DEFAULT 500, p_text text DEFAULT NULL::text) returns text, immutable;
  -- called by act_on_step, act_on_task, check_additions, check_batches, check_checkpoint,
  --   check_signal, create_task, decide_approval, judge_task_request, preview_bulk_action,
  --   save_schedule, stamp_document_hash, update_dlq_entry
-- Checks on the existing data whether every promise was kept: one row per invariant, with the
--   number of its violations and up to five examples.
function tasker.check_history(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_quiet_for interval DEFAULT NULL::interval)
    returns TABLE(invariant text, violations bigint, examples jsonb), stable;
  -- called by no function or class: for manual use
-- Approvals that do not match their waits, steps, results and events: one row per finding.
function tasker.find_approval_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Batches whose counters differ from a recount, workers that belong to no batch, and batches that
--   were closed wrongly: one row per finding.
function tasker.find_batch_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Child tasks that do not match the steps that wait for them, and outputs that do not match their
--   tasks: one row per finding.
function tasker.find_child_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Compensations that are not what their tasks have done, in reverse: one row per finding.
function tasker.find_compensation_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Stored counters that differ from a recount: one row per finding.
function tasker.find_counter_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- The nodes of a graph that are on a cycle or behind one.
function tasker.find_cyclic_nodes(p_nodes integer, p_from integer[], p_to integer[])
    returns integer[], immutable;
  -- called by find_reference_violations
-- Documents that differ from their hash, and search attributes that differ from their context: one
--   row per finding.
function tasker.find_document_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Documents that an erased task still has, erased tasks that have not ended, and erasures without
--   their record: one row per finding.
function tasker.find_erasure_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Domain events without the cause that their template names, and causes without their event: one
--   row per finding.
function tasker.find_event_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Rows that contradict themselves: one row per finding, which names the fact.
function tasker.find_fact_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Forks that do not have what their source has: one row per finding.
function tasker.find_fork_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tasks and steps that differ from their template: one row per finding.
function tasker.find_graph_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Steps that no decision accounts for, and decisions that were not carried out: one row per
--   finding.
function tasker.find_growth_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tasks and steps whose history does not match their rows: one row per finding.
function tasker.find_history_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tasks that do not have the identity of their request, or share one although their template's
--   reuse forbids it: one row per finding.
function tasker.find_identity_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Steps that started too early, too late or twice: one row per finding.
function tasker.find_order_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tasks that should have been evaluated, leases that should have been recovered and dead letters
--   that should have been closed long ago.
function tasker.find_overdue_violations(p_older_than interval DEFAULT '00:10:00'::interval)
    returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Offers without a message, messages that are invisible or superfluous, and missing queues: one row
--   per finding.
function tasker.find_queue_violations(p_older_than interval DEFAULT '00:10:00'::interval)
    returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Orphaned rows, and graphs that differ from their template: one row per finding.
function tasker.find_reference_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Results and completions that do not match one to one: one row per finding.
function tasker.find_result_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Schedules whose fires do not match their tasks or their cursor: one row per finding.
function tasker.find_schedule_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Values in clear that a template seals, and sealing that is not that of its template.
function tasker.find_sealing_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Policies, slots, pauses, bulk actions and single rows that do not match what was declared or
--   recorded: one row per finding.
function tasker.find_setting_violations() returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Slots of concurrency policies that do not match their holders: one row per finding.
function tasker.find_slot_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tasks and steps whose state does not match their related rows: one row per finding.
function tasker.find_state_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Tallies of the analytics that differ from a recount: one row per finding.
function tasker.find_tally_violations() returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Templates, rules and guards that differ from what was registered and migrated: one row per
--   finding.
function tasker.find_template_violations() returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Times that differ from their move in the history, are missing, or lie in the future: one row per
--   finding.
function tasker.find_time_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Waits and signals that do not match their steps and tasks: one row per finding.
function tasker.find_wait_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Wake-ups that do not match their tasks: one row per finding.
function tasker.find_wakeup_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Deliveries of webhooks that do not match the feed of events: one row per finding.
function tasker.find_webhook_violations(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- Workers that would not get their steps or could never be declared lost, and owners that are no
--   caller: one row per finding.
function tasker.find_worker_violations() returns TABLE(invariant text, example jsonb), stable;
  -- called by check_history
-- The moves of the models: db/model/moves.tsv as rows.
function tasker.get_model_moves() returns TABLE(kind text, from_state text, to_state text,
    actor text, handoff integer, attempt integer), immutable;
  -- called by find_template_violations, replay_moves
-- A hash of what an approval asks of whom, and of its decision.
function tasker.hash_approval(p_approval tasker.approvals) returns bigint, stable;
  -- called by decide_approval, erase_documents, find_document_violations, judge_approval,
  --   stamp_document_hash
-- A 64-bit hash of a document, or of two that are written together.
function tasker.hash_documents(p_document jsonb, p_other jsonb DEFAULT NULL::jsonb) returns bigint,
    immutable;
  -- called by act_on_step, act_on_task, begin_compensations, erase_documents,
  --   find_document_violations, find_template_violations, get_erased_row, hash_approval,
  --   hash_idempotent_response, hash_signal, hash_step_definition, pass_waits, record_batches,
  --   save_checkpoint, tell_end_of_task, yield_steps
-- A hash of a request with an idempotency key and of the response that was saved for it.
function tasker.hash_idempotent_response(p_response tasker.idempotency_keys) returns bigint, stable;
  -- called by find_document_violations, stamp_document_hash
-- A hash of what a sender gave: the payload, the name and the id of a signal, its number, and who
--   sent it when.
function tasker.hash_signal(p_signal tasker.task_signals) returns bigint, stable;
  -- called by erase_documents, find_document_violations, stamp_document_hash
-- A hash of a step of a template: every column that the engine reads, except keys and what is
--   calculated from others.
function tasker.hash_step_definition(p_step tasker.named_tasks_named_steps) returns bigint, stable;
  -- called by find_template_violations, stamp_document_hash
-- A 64-bit hash of the text of a document, or of two that are written together.
function tasker.hash_texts(p_document text, p_other text) returns bigint, immutable;
  -- called by hash_documents, stamp_document_hash
-- The rows of workflow_step_edges, of all tasks at once, by joins that can be hashed.
function tasker.list_edges() returns TABLE(from_step_uuid uuid, to_step_uuid uuid, task_uuid uuid),
    stable;
  -- called by find_counter_violations, find_order_violations
-- Replays the history of each task and step as moves of the models: how many there are of each
--   kind, and how many of them the models do not know.
function tasker.replay_moves(p_since timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(kind text, from_state text, to_state text,
    actor text, moves bigint, unknown bigint, examples jsonb), stable;
  -- called by no function or class: for manual use
-- Writes the hash of a document beside it when its row is inserted, and refuses one that could not
--   be read again.
function tasker.stamp_document_hash() returns trigger;
  -- called by trigger of approvals, trigger of domain_events, trigger of idempotency_keys, trigger
  --   of named_tasks, trigger of named_tasks_named_steps, trigger of task_contexts, trigger of
  --   task_outputs, trigger of task_signals, trigger of workflow_step_documents, trigger of
  --   workflow_step_result_audit


-- Functions: queue
-- ----------------
-- The order of a task in the claim: milliseconds since the epoch of its creation, less one minute
--   for every point of priority.
function tasker.calculate_claim_order(p_created_at timestamp with time zone, p_points numeric)
    returns bigint, immutable;
  -- called by compensate_child, create_task, submit_tasks
-- The rank of a step in the claim: the order of its task, less a minute for every attempt before
--   this one.
function tasker.calculate_claim_rank(p_claim_order bigint, p_attempt integer) returns bigint,
    immutable;
  -- called by admit_steps, claim_steps, escalate_sla_breaches, evaluate_tasks,
  --   get_next_ready_tasks, recover_unclaimed_offers, resend_lost_messages, send_handoffs,
  --   withdraw_messages
-- Accepts offers: compares (enqueued, handoff) and sets in_progress with a lease.
function tasker.claim_offered_steps(p_step_uuids uuid[], p_handoffs integer[], p_server_uuid uuid,
    p_lease_seconds integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone,
    p_served jsonb DEFAULT NULL::jsonb) returns uuid[];
  -- called by claim_queued_steps
-- Claims steps from the queues, without their documents: takes messages and accepts the offers in
--   them.
function tasker.claim_queued_steps(p_server_uuid uuid, p_limit integer, p_namespaces text[],
    p_lease_seconds integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns uuid[];
  -- called by claim_steps, complete_steps
-- Claims up to p_limit offered steps of the given namespaces (null: all) for one worker and returns
--   their documents.
function tasker.claim_steps(p_server_uuid uuid, p_limit integer, p_namespaces text[]
    DEFAULT NULL::text[], p_lease_seconds integer DEFAULT 60, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns json;
  -- called by StepGateway, claim_for_worker
-- Hands off steps: offers them to the workers.
function tasker.enqueue_steps(p_step_uuids uuid[], p_from tasker.step_state, p_server_uuid uuid,
    p_claim_limit integer, p_lease_seconds integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_admitted boolean DEFAULT false)
    returns tasker.step_handoff[];
  -- called by advance_tasks, begin_compensations, evaluate_tasks, start_admitted_steps
-- Ensures that a queue exists, with the indexes by which claims find their messages.
function tasker.ensure_task_queue(p_queue_name text) returns boolean;
  -- called by register_template, replay_dead_messages, resend_lost_messages
-- The namespace of a queue name.
function tasker.extract_queue_namespace(queue_name text) returns text, immutable;
  -- called by pgmq_send_with_notify
-- The document that a worker needs to run a claimed step.
function tasker.format_claimed_step(p_step tasker.workflow_steps, p_task tasker.tasks,
    p_context tasker.task_contexts, p_documents tasker.workflow_step_documents, p_results json)
    returns json, stable;
  -- called by complete_step, create_task, get_claimed_steps
-- The token that a step's handler gives to other systems, so that all attempts of the step count as
--   one request.
function tasker.format_idempotency_token(p_step_uuid uuid, p_resets integer) returns text,
    immutable;
  -- called by act_on_step, format_claimed_step, get_documents_of_steps
-- Where this session may begin to read a worker queue: at the claim rank of the last message that
--   it took, for a quarter of a second after it read the queue from the beginning.
function tasker.get_claim_cursor(p_table text) returns bigint;
  -- called by order_queues, take_messages
-- The documents that a worker needs to run claimed steps, as a JSON array in the order of the
--   argument.
function tasker.get_claimed_steps(p_step_uuids uuid[]) returns json, stable;
  -- called by advance_due_tasks, claim_for_worker, claim_steps, complete_steps, evaluate_tasks,
  --   submit_tasks
-- The claim order of the first visible message of one worker queue.
function tasker.get_first_claim_order(p_table text, p_floor bigint) returns bigint;
  -- called by order_queues
-- The queues as the REST interface shows them: length, age, and parked messages.
function tasker.get_queue_documents() returns jsonb, stable;
  -- called by InsightGateway
-- The text of a statement that reads one worker queue in claim order, or adds to it.
function tasker.get_queue_statement(p_kind text, p_table text) returns text, immutable;
  -- called by get_first_claim_order, prepare_queue_statement, send_handoffs, take_messages
-- The length of a queue and the age of its oldest and newest messages in seconds.
function tasker.get_queue_statistics(p_queue_name text) returns TABLE(queue_name text,
    queue_length bigint, oldest_msg_age_seconds integer, newest_msg_age_seconds integer);
  -- called by get_bottleneck_document, get_metrics_document
-- A page of parked messages, newest first.
function tasker.list_dead_messages(p_queue_name text DEFAULT NULL::text, p_replayed boolean
    DEFAULT false, p_limit integer DEFAULT 25, p_before uuid DEFAULT NULL::uuid) returns jsonb,
    stable;
  -- called by DeadMessageGateway
-- The namespaces whose worker queue has a visible message, by the claim rank of the first one.
function tasker.order_queues(p_namespaces text[] DEFAULT NULL::text[]) returns text[];
  -- called by claim_queued_steps
-- Takes messages off a queue permanently and keeps them in dead_messages with the cause.
function tasker.park_messages(p_queue_name text, p_msg_ids bigint[], p_sqlstate text, p_cause text)
    returns integer;
  -- called by process_step_results, take_messages
-- Ensures that a queue and its archive have the column headers.
function tasker.pgmq_ensure_headers_column(queue_name text) returns void;
  -- called by ensure_task_queue
-- Reads the one message that a notification named and hides it for vt_seconds.
function tasker.pgmq_read_specific_message(queue_name text, target_msg_id bigint, vt_seconds integer
    DEFAULT 30) returns TABLE(msg_id bigint, read_ct integer, enqueued_at timestamp with time zone,
    vt timestamp with time zone, message jsonb);
  -- called by no function or class: for manual use
-- Sends a message and, at the same commit, notifies the channels pgmq_message_ready and
--   pgmq_message_ready.{namespace}.
function tasker.pgmq_send_with_notify(queue_name text, message jsonb, delay_seconds integer
    DEFAULT 0) returns bigint;
  -- called by no function or class: for manual use
-- Prepares a statement about one worker queue, for as long as the session lasts.
function tasker.prepare_queue_statement(p_kind text, p_table text) returns void;
  -- called by get_first_claim_order, send_handoffs, take_messages
-- Whether this session prepares what takes from a queue and adds to it.
function tasker.prepares_queue_statements() returns boolean, stable;
  -- called by send_handoffs, take_messages
-- Releases claimed steps that have not started.
function tasker.release_steps(p_steps jsonb, p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_reason text DEFAULT 'released_before_start'::text)
    returns jsonb;
  -- called by StepGateway, decline_steps, end_worker_claims, release_unknown_steps,
  --   submit_worker_results
-- Sends one parked message again, unchanged, once.
function tasker.replay_dead_message(p_dead_message_uuid uuid, p_by text) returns jsonb;
  -- called by DeadMessageGateway
-- Sends parked messages again, unchanged, each once; all of the given ones or none.
function tasker.replay_dead_messages(p_dead_message_uuids uuid[], p_by text) returns jsonb;
  -- called by replay_dead_message
-- Sends the messages of handoffs that were not claimed at once to the queues of their namespaces.
function tasker.send_handoffs(p_handoffs tasker.step_handoff[]) returns void;
  -- called by create_task, enqueue_steps, resend_lost_messages, submit_tasks,
  --   transition_step_state_atomic
-- Remembers how far this session has read a worker queue.
function tasker.set_claim_cursor(p_table text, p_claim_order bigint, p_from_start boolean)
    returns void;
  -- called by take_messages
-- Takes up to p_limit messages off one worker queue, lowest claim_order first.
function tasker.take_messages(p_namespace text, p_limit integer, p_handlers text[]
    DEFAULT NULL::text[], OUT o_step_uuids uuid[], OUT o_handoffs integer[]) returns record;
  -- called by claim_queued_steps
-- Deletes the messages of offers that have just ended without a claim.
function tasker.withdraw_messages(p_step_uuids uuid[]) returns integer;
  -- called by fail_stale_task, recover_unclaimed_offers, request_cancel
-- The queue on which the steps of a namespace are offered to workers.
function tasker.worker_queue(p_namespace text) returns text, immutable;
  -- called by claim_steps, escalate_sla_breaches, find_queue_violations, order_queues,
  --   recover_unclaimed_offers, register_template, resend_lost_messages, send_handoffs,
  --   take_messages, withdraw_messages


-- Functions: readiness
-- --------------------
-- Whether a task accepts handoffs of its steps, regardless of their states.
function tasker.accepts_handoffs(p_task tasker.tasks) returns boolean, stable;
  -- called by begin_compensations, get_next_ready_tasks, get_step_readiness_status_batch,
  --   get_task_execution_contexts_batch, grow_tasks
-- The wait before the next attempt, in milliseconds, after p_attempt attempts have been made.
function tasker.calculate_backoff_delay(p_attempt integer, p_base_ms integer DEFAULT 1000,
    p_kind tasker.backoff_kind DEFAULT 'exponential'::tasker.backoff_kind, p_cap_ms integer
    DEFAULT 60000, p_jitter numeric DEFAULT 0, p_multiplier numeric DEFAULT 2.0) returns integer,
    immutable;
  -- called by pass_child_waits, settle_steps, transition_step_state_atomic
-- When a failed step is due again: a requested backoff counts from the last attempt, otherwise
--   multiplier^attempts seconds up to the cap count from the failure.
function tasker.calculate_step_next_retry_time(p_backoff_request_seconds integer,
    p_last_attempted_at timestamp with time zone, p_failure_time timestamp with time zone,
    p_attempts integer, p_max_backoff_seconds integer DEFAULT 60, p_backoff_multiplier numeric
    DEFAULT 2.0) returns timestamp with time zone, immutable;
  -- called by no function or class: for manual use
-- Whether every parent of a step is complete or resolved manually; null when there is no such step.
function tasker.check_step_dependencies(p_step_uuid uuid) returns boolean, stable;
  -- called by no function or class: for manual use
-- Whether a step may be handed off now: ready-eligible states are pending, and waiting_for_retry
--   once due.
function tasker.evaluate_step_state_readiness(p_current_state text, p_processed boolean,
    p_in_process boolean, p_dependencies_satisfied boolean, p_retry_eligible boolean,
    p_retryable boolean, p_next_retry_time timestamp with time zone, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns boolean, stable;
  -- called by get_step_readiness_status_batch
-- The steps that depend on a step, those of its template and those that were added.
function tasker.get_child_steps(p_step_uuid uuid) returns SETOF tasker.workflow_steps, stable;
  -- called by begin_compensations, calculate_dependency_levels, detect_cycle, fork_task,
  --   get_task_outputs, judge_restart, move_steps_by_operator, transition_step_state_atomic
-- The next due task, locked.
function tasker.get_next_ready_task(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid, task_name text,
    priority integer, namespace_name text, ready_steps_count bigint, computed_priority numeric,
    current_state character varying);
  -- called by no function or class: for manual use
-- The next due tasks: by their wake-up, and by priority among the oldest of them.
function tasker.get_next_ready_tasks(p_limit integer DEFAULT 5, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid, task_name text,
    priority integer, namespace_name text, ready_steps_count bigint, computed_priority numeric,
    current_state character varying);
  -- called by advance_due_tasks, get_next_ready_task, set_aside_due_task
-- The parents of a step, those of its template and those that were added.
function tasker.get_parent_steps(p_step_uuid uuid) returns SETOF tasker.workflow_steps, stable;
  -- called by add_steps, calculate_decision_depth, calculate_dependency_levels,
  --   check_step_dependencies, explain_waiting_steps, get_step_readiness_status_batch,
  --   get_step_transitive_dependencies, get_task_staleness, move_steps_by_operator
-- The steps of a task that can be handed off now; they may run in parallel.
function tasker.get_ready_steps(p_task_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(workflow_step_uuid uuid, name text,
    current_state text, attempts integer, max_attempts integer), stable;
  -- called by no function or class: for manual use
-- The readiness of the steps of one task, or of some of them.
function tasker.get_step_readiness_status(input_task_uuid uuid, step_uuids uuid[]
    DEFAULT NULL::uuid[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, name text,
    current_state text, dependencies_satisfied boolean, retry_eligible boolean,
    ready_for_execution boolean, last_failure_at timestamp with time zone,
    next_retry_at timestamp with time zone, total_parents integer, completed_parents integer,
    attempts integer, max_attempts integer, backoff_request_seconds integer,
    last_attempted_at timestamp with time zone), stable;
  -- called by no function or class: for manual use
-- One row per step of the given tasks: its state, whether its parents are done, whether it may be
--   tried (again), and whether it can be handed off now.
function tasker.get_step_readiness_status_batch(input_task_uuids uuid[], step_uuids uuid[]
    DEFAULT NULL::uuid[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, name text,
    current_state text, dependencies_satisfied boolean, retry_eligible boolean,
    ready_for_execution boolean, last_failure_at timestamp with time zone,
    next_retry_at timestamp with time zone, total_parents integer, completed_parents integer,
    attempts integer, max_attempts integer, backoff_request_seconds integer,
    last_attempted_at timestamp with time zone), stable;
  -- called by get_documents_of_steps, get_readiness_documents, get_ready_steps,
  --   get_step_readiness_status
-- A summary of a task's steps, and the recommended action.
function tasker.get_task_execution_context(input_task_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid, named_task_uuid uuid,
    status text, total_steps bigint, pending_steps bigint, in_progress_steps bigint,
    completed_steps bigint, failed_steps bigint, ready_steps bigint, execution_status text,
    recommended_action text, completion_percentage numeric, health_status text,
    enqueued_steps bigint), stable;
  -- called by no function or class: for manual use
-- A summary of the steps of some tasks, and the recommended action; one row per task that exists.
function tasker.get_task_execution_contexts_batch(input_task_uuids uuid[],
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(task_uuid uuid, named_task_uuid uuid, status text, total_steps bigint,
    pending_steps bigint, in_progress_steps bigint, completed_steps bigint, failed_steps bigint,
    ready_steps bigint, execution_status text, recommended_action text,
    completion_percentage numeric, health_status text, enqueued_steps bigint), stable;
  -- called by get_task_execution_context, get_task_headers, get_task_ready_info
-- What get_next_ready_task returns, for one given task in any state.
function tasker.get_task_ready_info(p_task_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid, task_name text,
    priority integer, namespace_name text, ready_steps_count bigint, computed_priority numeric,
    current_state character varying), stable;
  -- called by no function or class: for manual use
-- Whether a step waits for a time or a signal: it has an open wait that is not due.
function tasker.has_open_wait(p_step tasker.workflow_steps, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns boolean, stable;
  -- called by get_next_ready_tasks, get_step_readiness_status_batch,
  --   get_task_execution_contexts_batch
-- Sets the wait of a step that waits for its retry: due p_backoff_seconds after its last attempt.
function tasker.set_step_backoff_atomic(p_step_uuid uuid, p_backoff_seconds integer)
    returns boolean;
  -- called by no function or class: for manual use


-- Functions: recovery
-- -------------------
-- Abandons the steps that a stopping server is still running.
function tasker.abandon_steps(p_steps jsonb, p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by StepGateway
-- Records the SLA breaches of blocked tasks, up to p_limit of those that are due.
function tasker.breach_blocked_slas(p_limit integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by advance_due_tasks
-- The time that orders dead letters for investigation, the earliest first.
function tasker.calculate_investigation_rank(p_reason tasker.dlq_reason,
    p_opened_at timestamp with time zone) returns timestamp with time zone, stable;
  -- called by get_dlq_investigation_queue
-- For how many minutes a task may stay in a state after it should have moved; null for states
--   without such a limit.
function tasker.calculate_staleness_threshold(p_task_state character varying,
    p_template_config jsonb, p_default_waiting_deps integer DEFAULT 60,
    p_default_waiting_retry integer DEFAULT 30, p_default_steps_process integer DEFAULT 30)
    returns integer, immutable;
  -- called by get_task_staleness
-- Closes the dead letters of tasks that have ended well in the meantime.
function tasker.close_settled_dlq_entries(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by OrchestrationGateway
-- Opens a dead letter for each task that has just become blocked, with a snapshot of its steps.
function tasker.create_dlq_entries(p_task_uuids uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns void;
  -- called by reconcile_tasks, roll_up_task_states, transition_task_state_atomic
-- Opens a dead letter for one task, with a snapshot of it and its steps; null when one is open
--   already.
function tasker.create_dlq_entry(p_task_uuid uuid, p_dlq_reason character varying, p_metadata jsonb
    DEFAULT '{}'::jsonb, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns uuid;
  -- called by handle_stale_tasks, send_task_to_dlq
-- Handles unfinished tasks that are stale as their templates say; a dry run, the default, only
--   reports them.
function tasker.detect_and_transition_stale_tasks(p_dry_run boolean DEFAULT true,
    p_batch_size integer DEFAULT 100, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid,
    namespace_name character varying, task_name character varying, current_state character varying,
    minutes_overdue numeric, staleness_threshold_minutes integer, dlq_reason character varying,
    action_taken character varying, has_dead_letter boolean);
  -- called by no function or class: for manual use
-- Gives 100 points of priority to those of the given tasks that are past the SLA of their template.
function tasker.escalate_sla_breaches(p_task_uuids uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by breach_blocked_slas, process_tasks
-- Ends the leases of servers and external workers whose heartbeats have stopped.
function tasker.expire_lost_servers(p_present_since timestamp with time zone, p_is_new boolean,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, OUT o_servers uuid[],
    OUT o_steps integer, OUT o_next_ms bigint) returns record;
  -- called by heartbeat
-- Ends a stale task as error; offered and running steps move to error, so that a late result is
--   refused.
function tasker.fail_stale_task(p_task_uuid uuid, p_metadata jsonb, p_server_uuid uuid,
    p_now timestamp with time zone) returns boolean;
  -- called by handle_stale_tasks, time_out_tasks
-- Dead letters as the REST interface shows them, newest first.
function tasker.get_dlq_documents(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer DEFAULT 50,
    p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by OperationGateway
-- The open dead letters in the order in which to investigate them.
function tasker.get_dlq_investigation_queue(p_limit integer DEFAULT 50, p_after uuid
    DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by OperationGateway
-- Dead letters by reason.
function tasker.get_dlq_statistics() returns jsonb, stable;
  -- called by OperationGateway
-- When the first offer of a task ends that no worker claims in time.
function tasker.get_queue_timeout(p_task_uuid uuid) returns timestamp with time zone, stable;
  -- called by set_next_wakeups
-- Tasks that are stale or will become so, the stalest first.
function tasker.get_staleness(p_limit integer DEFAULT 50, p_after text DEFAULT NULL::text)
    returns jsonb, stable;
  -- called by OperationGateway
-- When each of the given unfinished tasks becomes stale, or became so: counted from when it should
--   have moved.
function tasker.get_task_staleness(p_task_uuids uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(task_uuid uuid, state tasker.task_state,
    should_have_moved_at timestamp with time zone, threshold_minutes integer,
    stale_at timestamp with time zone, reason tasker.dlq_reason, is_to_fail boolean,
    is_to_be_investigated boolean), stable;
  -- called by detect_and_transition_stale_tasks, handle_stale_tasks, v_task_staleness_monitoring
-- The offered steps whose handler no live worker serves, by namespace and handler.
function tasker.get_unserved_steps() returns TABLE(namespace character varying, handler text,
    steps bigint, since timestamp with time zone, fails_at timestamp with time zone), stable;
  -- called by get_installation_status, get_metrics_document, get_server_documents
-- Handles those of the given tasks that are stale as their templates say: a dead letter, error,
--   both or nothing.
function tasker.handle_stale_tasks(p_task_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by detect_and_transition_stale_tasks, process_tasks
-- Whether a server or an external worker counts as lost.
function tasker.is_silent(p_lease_expires_at timestamp with time zone,
    p_heartbeat_at timestamp with time zone, p_heartbeat_seconds integer,
    p_present_since timestamp with time zone, p_is_new boolean, p_now timestamp with time zone)
    returns boolean, stable;
  -- called by expire_lost_servers
-- Why a dead letter can no longer be changed: the rule of update_dlq_entry.
function tasker.judge_dlq_update(p_entry tasker.tasks_dlq, p_status text, p_by text) returns jsonb,
    stable;
  -- called by get_dlq_documents, update_dlq_entry
-- Whether a wake-up more than 65 minutes ahead is one that the engine sets.
function tasker.may_sleep_until(p_task_uuid uuid, p_wake_at timestamp with time zone,
    p_now timestamp with time zone) returns boolean, stable;
  -- called by reconcile_tasks
-- Restores lost dead letters and wake-ups, and wake-ups that are too late: one part of the walk
--   over all tasks.
function tasker.reconcile_tasks(p_limit integer DEFAULT 2000, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OrchestrationGateway
-- Records that the processing of a task raised an error, and parks the task when that happens too
--   often.
function tasker.record_task_fault(p_task_uuid uuid, p_sqlstate text, p_cause text,
    p_server_uuid uuid, p_fault_limit integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by process_tasks, set_aside_due_task, set_aside_step_result
-- Recovers the steps of the given tasks whose lease has expired by the database's clock.
function tasker.recover_expired_steps(p_task_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by abandon_steps, process_tasks
-- Withdraws offers that no worker claims although one could, and fails those that no live worker
--   serves or that have exceeded their queue time-out.
function tasker.recover_unclaimed_offers(p_task_uuids uuid[], p_server_uuid uuid,
    p_claim_seconds integer DEFAULT 300, p_unserved_seconds integer DEFAULT 86400,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by process_tasks
-- Sends the message of an offer again when it is no longer on its queue.
function tasker.resend_lost_messages(p_task_uuids uuid[], p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by process_tasks
-- Opens a dead letter for a task on an operator's request, with reason manual_dlq.
function tasker.send_task_to_dlq(p_task_uuid uuid, p_by text, p_reason text,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OperationGateway
-- After the database ended a round because of one task: makes the tasks that the round took first
--   due, or records a fault of the next due task.
function tasker.set_aside_due_task(p_server_uuid uuid, p_sqlstate text, p_cause text,
    p_fault_limit integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OrchestrationGateway
-- Takes the next result's message off its queue and records a fault of its task, after the database
--   gave up a call for it alone.
function tasker.set_aside_step_result(p_server_uuid uuid, p_sqlstate text, p_cause text,
    p_fault_limit integer, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns uuid;
  -- called by OrchestrationGateway
-- Ends those of the given tasks that have run for longer than lifecycle.max_duration of their
--   template: error, a cancel, or a cancel with compensation.
function tasker.time_out_tasks(p_task_uuids uuid[], p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by process_tasks
-- Closes a dead letter or adds to its metadata, for an operator; the task does not change.
function tasker.update_dlq_entry(p_dlq_entry_uuid uuid, p_status character varying, p_by text,
    p_reason text, p_metadata jsonb DEFAULT NULL::jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_bulk_token uuid DEFAULT NULL::uuid) returns jsonb;
  -- called by OperationGateway, act_on_task_of_bulk


-- Functions: retention
-- --------------------
-- Analyzes the tables that have grown fourfold in pages or rows since their statistics were taken.
function tasker.analyze_grown_tables() returns text[];
  -- called by OrchestrationGateway
-- The lowest UUIDv7 that could have been made at a time.
function tasker.calculate_first_uuid(p_at timestamp with time zone) returns uuid, immutable;
  -- called by drop_history_month, find_feed_position, find_tasks, preview_retention,
  --   purge_expired_tasks
-- Steps, contexts, search attributes and wake-ups go with their task, as a foreign key would have
--   it.
function tasker.delete_rows_of_tasks() returns trigger;
  -- called by trigger of tasks
-- Drops the oldest month of history that is over and of which no task is left, or rewrites one of
--   which few are left.
function tasker.drop_history_month(p_rewrite_tasks integer DEFAULT 10000,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OrchestrationGateway
-- Makes the monthly partitions of both histories, from the current month on.
function tasker.ensure_history_partitions(p_months_ahead integer DEFAULT 2,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(partition_name text, outcome text);
  -- called by make_history_partitions
-- Empties every document of some tasks, marks the tasks as erased, and records it.
function tasker.erase_documents(p_task_uuids uuid[], p_by text, p_reason text, p_details jsonb,
    p_now timestamp with time zone) returns void;
  -- called by erase_task_documents, erase_tasks_by_attribute
-- Erases the documents of a task that has ended, with a name and a reason.
function tasker.erase_task_documents(p_task_uuid uuid, p_by text, p_reason text, p_children boolean
    DEFAULT true, p_force boolean DEFAULT false, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_namespaces jsonb
    DEFAULT NULL::jsonb) returns jsonb;
  -- called by OperationGateway
-- Erases the documents of the tasks that have a value of a search attribute, one slice per call.
function tasker.erase_tasks_by_attribute(p_namespace text, p_template text, p_name text,
    p_value text, p_by text, p_reason text, p_children boolean DEFAULT true, p_dry_run boolean
    DEFAULT false, p_limit integer DEFAULT 100, p_after uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_namespaces jsonb
    DEFAULT NULL::jsonb) returns jsonb;
  -- called by OperationGateway
-- The tasks whose documents are erased together with each of some tasks.
function tasker.find_erasure_family(p_roots uuid[], p_children boolean)
    returns TABLE(root_uuid uuid, task_uuid uuid), stable;
  -- called by erase_task_documents, erase_tasks_by_attribute, judge_erasure
-- Up to 100 forks of some tasks that still have copies of their documents.
function tasker.find_unerased_forks(p_task_uuids uuid[]) returns jsonb, stable;
  -- called by erase_task_documents, erase_tasks_by_attribute
-- Deletes the rows of purged_tasks whose history was dropped.
function tasker.forget_purged_tasks(p_limit integer DEFAULT 10000) returns bigint;
  -- called by OrchestrationGateway
-- What stands in the place of an error that was erased.
function tasker.get_erased_error() returns jsonb, immutable;
  -- called by erase_documents, find_erasure_violations, get_erased_row
-- What the erasure of a task makes of a row of history.
function tasker.get_erased_row(p_row jsonb) returns jsonb, immutable;
  -- called by refuse_history_change
-- The tables whose old rows are deleted, for how long rows are kept, and the time of the oldest
--   row.
function tasker.get_expiring_tables() returns TABLE(table_name text, keep_days integer,
    oldest_at timestamp with time zone), stable;
  -- called by get_retention_document
-- The months of history that have partitions, oldest first.
function tasker.get_history_months() returns TABLE(month timestamp with time zone,
    next_month timestamp with time zone, suffix text), stable;
  -- called by drop_history_month, forget_purged_tasks, get_retention_document,
  --   get_retention_figures
-- The state of retention: policies, what was purged, and the oldest rows that are kept.
function tasker.get_retention_document(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by OperationGateway
-- Retention figures for monitoring.
function tasker.get_retention_figures(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by get_metrics_document
-- What the clean-up would purge if it ran now, as a document.
function tasker.get_retention_preview(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by OperationGateway, set_retention_policy
-- How long finished tasks of each template are kept, per state, and which policy decides.
function tasker.get_retention_rules() returns TABLE(named_task_uuid uuid, state tasker.task_state,
    keep_days integer, decided_by text), stable;
  -- called by get_retention_document, preview_retention, purge_expired_tasks
-- Why the documents of a task cannot be erased now: the rule of erase_task_documents.
function tasker.judge_erasure(p_task tasker.tasks, p_children boolean, p_namespaces jsonb
    DEFAULT NULL::jsonb) returns jsonb, stable;
  -- called by erase_task_documents, erase_tasks_by_attribute
-- Makes the history partitions of this month and the next two where they are missing.
function tasker.make_history_partitions() returns jsonb;
  -- called by OrchestrationGateway, SchemaMigration
-- A dry run: what the clean-up would purge if it ran now, per template and state.
function tasker.preview_retention(p_limit integer DEFAULT 100000, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns TABLE(namespace text, name text, version text,
    state text, keep_days integer, decided_by text, tasks bigint, retained bigint,
    oldest_completed_at timestamp with time zone, is_more boolean), stable;
  -- called by get_retention_preview
-- Deletes the oldest rows of the tables in expiring_tables whose time is more than keep_days ago.
function tasker.purge_expired_rows(p_limit integer DEFAULT 1000, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns bigint;
  -- called by OrchestrationGateway
-- One batch of the clean-up: purges tasks of one template whose retention period is over.
function tasker.purge_expired_tasks(p_limit integer DEFAULT 500, p_examine integer DEFAULT 5000,
    p_pause interval DEFAULT '00:05:00'::interval, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by OrchestrationGateway
-- Deletes tasks with everything that belongs to them, except their history, which is dropped with
--   its month, and operator actions, which stay.
function tasker.purge_tasks(p_task_uuids uuid[]) returns uuid[];
  -- called by purge_expired_tasks
-- Sets how long finished tasks are kept; a dry run reports what would be purged and changes
--   nothing.
function tasker.set_retention_policy(p_namespace text, p_template text, p_state text,
    p_days integer, p_by text, p_reason text, p_dry_run boolean DEFAULT false, p_remove boolean
    DEFAULT false, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by OperationGateway
-- What the erasure of a task leaves of the details of an operator action.
function tasker.strip_action_details(p_details jsonb) returns jsonb, immutable;
  -- called by erase_documents, find_erasure_violations, get_erased_row
-- What the erasure of a task leaves of the metadata of a move.
function tasker.strip_metadata(p_metadata jsonb) returns jsonb, immutable;
  -- called by erase_documents, find_erasure_violations, get_erased_row


-- Functions: schedule
-- -------------------
-- Submits the next tasks of backfills and moves their cursors.
function tasker.advance_backfills(p_plans jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- Pauses, resumes or deletes a schedule, or cancels one of its backfills.
function tasker.change_schedule(p_schedule_uuid uuid, p_action text, p_by text, p_reason text,
    p_data jsonb DEFAULT '{}'::jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- A server declines schedules whose fire times it cannot calculate; once most servers have, what is
--   due of them stops and shows as failing.
function tasker.decline_schedules(p_declines jsonb, p_server_uuid uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- Of the given fire times of a schedule, those that have a task.
function tasker.find_started_fires(p_schedule_uuid uuid, p_times jsonb) returns jsonb, stable;
  -- called by ScheduleGateway
-- Decides one fire time of each schedule, in one transaction with the task that it submits, and
--   moves the cursor.
function tasker.fire_schedules(p_plans jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- The backfills of a schedule with their progress, the newest first.
function tasker.get_backfill_documents(p_schedule_uuid uuid, p_limit integer DEFAULT 100)
    returns jsonb, stable;
  -- called by ScheduleGateway
-- The longest time that can pass between two fire times of a cron expression: an upper bound.
function tasker.get_longest_cron_gap(p_cron text) returns interval, immutable;
  -- called by find_schedule_violations
-- A page of schedules that are not deleted, newest first.
function tasker.get_schedule_documents(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer
    DEFAULT 25, p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by ScheduleGateway
-- Figures of schedules for monitoring: how many, how late, and the outcomes of fire times.
function tasker.get_schedule_figures(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by get_installation_status, get_metrics_document
-- Why an action on a schedule would change nothing now: the rule of change_schedule.
function tasker.judge_schedule_action(p_schedule tasker.schedules, p_action text) returns jsonb,
    stable;
  -- called by change_schedule, get_schedule_documents
-- A page of the outcomes of the fire times of a schedule, the latest first.
function tasker.list_schedule_fires(p_schedule_uuid uuid, p_filter jsonb DEFAULT '{}'::jsonb,
    p_limit integer DEFAULT 25, p_before timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by ScheduleGateway
-- Gives schedules that have lost it their next fire time.
function tasker.restore_fire_times(p_plans jsonb) returns jsonb;
  -- called by ScheduleGateway
-- Creates a schedule, or changes the one that is given.
function tasker.save_schedule(p_schedule jsonb, p_by text, p_reason text, p_schedule_uuid uuid
    DEFAULT NULL::uuid, p_version integer DEFAULT NULL::integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- Requests that a schedule submit tasks for the fire times of a past period that have none.
function tasker.start_backfill(p_schedule_uuid uuid, p_from timestamp with time zone,
    p_to timestamp with time zone, p_overlap text, p_by text, p_reason text,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- Submits the task of each fire time and records it; a fire time that has a task gets no other.
function tasker.start_scheduled_tasks(p_fires jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by advance_backfills, fire_schedules, trigger_schedule
-- Locks schedules and backfills that are due and returns what a server needs to calculate their
--   fire times.
function tasker.take_due_schedules(p_limit integer DEFAULT 100, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_server_uuid uuid DEFAULT NULL::uuid) returns jsonb;
  -- called by ScheduleGateway
-- Locks schedules that are active and have no next fire time and returns what a server needs to
--   calculate it.
function tasker.take_stalled_schedules(p_limit integer DEFAULT 100, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway
-- Submits a task of a schedule now, at the request of an operator.
function tasker.trigger_schedule(p_schedule_uuid uuid, p_by text, p_reason text, p_plan jsonb
    DEFAULT '{}'::jsonb, p_server_uuid uuid DEFAULT NULL::uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by ScheduleGateway


-- Functions: security
-- -------------------
-- Records the authenticated caller of an action, and limits each of its waits for a lock to five
--   seconds.
function tasker.begin_action(p_caller text) returns text;
  -- called by ApprovalGateway, DeadMessageGateway, OperationGateway, ScheduleGateway,
  --   SignalGateway, TaskGateway, WebhookGateway
-- Records a request for a change before the change is made.
function tasker.begin_write_request(p_caller text, p_caller_kind text, p_method text, p_route text,
    p_path text, p_remote text, p_server_uuid uuid) returns uuid;
  -- called by AccountGateway
-- How many users and keys could still manage users without one user, key or grant.
function tasker.count_administrators(p_without uuid DEFAULT NULL::uuid) returns integer, stable;
  -- called by refuse_last_administrator
-- Creates an API key from its SHA-256; the key itself is not stored.
function tasker.create_api_key(p_name text, p_key_hash text, p_hint text, p_valid_for interval,
    p_by text) returns uuid;
  -- called by AccountGateway
-- Creates the first user of a database, with the role admin in everything; false when any user
--   exists.
function tasker.create_first_administrator(p_name text, p_password_hash text) returns boolean;
  -- called by AccountGateway
-- Creates a session of a user from the SHA-256 of its token; the token itself stays in the browser.
function tasker.create_session(p_user_uuid uuid, p_token_hash text, p_valid_for interval)
    returns jsonb;
  -- called by AccountGateway
-- Creates a user, for use from psql: with a given password, or with a random one that is returned
--   once.
function tasker.create_user(p_name text, p_password text DEFAULT NULL::text, p_role text
    DEFAULT NULL::text, p_namespace text DEFAULT NULL::text, p_by text DEFAULT SESSION_USER)
    returns jsonb;
  -- called by no function or class: for manual use
-- Ends a session by the SHA-256 of its token; false when there is none.
function tasker.end_session(p_token_hash text) returns boolean;
  -- called by AccountGateway
-- The permissions of a user or a key, with roles expanded.
function tasker.expand_grants(p_user_uuid uuid, p_key_uuid uuid) returns jsonb, stable;
  -- called by delegate_approval, get_key_access, get_session_access, get_user_access, may_still_act
-- Records the response status of a request for a change and what it made; once.
function tasker.finish_write_request(p_request_uuid uuid, p_status integer, p_object text
    DEFAULT NULL::text) returns boolean;
  -- called by AccountGateway
-- The authenticated caller of this transaction, as set_caller recorded it; null without one.
function tasker.get_caller() returns text, stable;
  -- called by act_on_step, act_on_task, admit_steps, cancel_bulk_action, change_schedule,
  --   change_webhook, fork_task, pause_templates, queue_signals, replay_dead_messages,
  --   request_cancel, run_bulk_action, save_schedule, save_webhook, send_signals, send_task_to_dlq,
  --   set_concurrency_limit, set_retention_policy, start_backfill, update_dlq_entry
-- A valid API key by its SHA-256 and what it may do; null when there is none.
function tasker.get_key_access(p_key_hash text) returns jsonb;
  -- called by AccountGateway
-- The namespace that a task, dead_letter, policy, schedule, webhook, bulk_action or approval
--   belongs to; null when there is none.
function tasker.get_namespace_of(p_kind text, p_uuid uuid) returns text, stable;
  -- called by AccountGateway
-- What roles may do, for callers whose groups come from an external identity store or a token.
function tasker.get_role_access(p_roles text[]) returns jsonb, stable;
  -- called by AccountGateway
-- The user of a valid session by the SHA-256 of its token, and what the user may do; null when
--   there is none.
function tasker.get_session_access(p_token_hash text) returns jsonb, stable;
  -- called by AccountGateway
-- A user with its password hash and what it may do; null when there is none of that name.
function tasker.get_user_access(p_name text) returns jsonb, stable;
  -- called by AccountGateway
-- Grants a role or a permission to a user or a key, in one namespace or in all.
function tasker.grant_access(p_user_uuid uuid, p_key_uuid uuid, p_role text, p_permission text,
    p_namespace text, p_by text) returns jsonb;
  -- called by AccountGateway, create_first_administrator, create_user
-- A password as access_users keeps it: PBKDF2 with HMAC-SHA-512.
function tasker.hash_password(p_password text, p_iterations integer DEFAULT 210000, p_salt bytea
    DEFAULT NULL::bytea) returns text;
  -- called by SettingsReader, create_user
-- Users, keys and roles as the REST interface shows them, without any hash.
function tasker.list_access() returns jsonb, stable;
  -- called by AccountGateway
-- A page of the requests for changes over REST, newest first.
function tasker.list_write_requests(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer DEFAULT 50,
    p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by AccountGateway
-- Whether the user or key of a principal has a permission now; true for every other caller.
function tasker.may_still_act(p_principal text, p_permission text, p_namespace text)
    returns boolean, stable;
  -- called by advance_bulk_actions
-- The refusal of a change that would leave no user and no key that may manage users; null when the
--   change may be made.
function tasker.refuse_last_administrator(p_without uuid) returns jsonb;
  -- called by revoke_api_key, revoke_grant, set_user_enabled
-- Revokes an API key permanently.
function tasker.revoke_api_key(p_key_uuid uuid, p_by text) returns jsonb;
  -- called by AccountGateway
-- Revokes a grant.
function tasker.revoke_grant(p_grant_uuid uuid) returns jsonb;
  -- called by AccountGateway
-- Creates a user with a password hash, or without one; null when the name is taken.
function tasker.save_user(p_name text, p_password_hash text, p_by text) returns uuid;
  -- called by AccountGateway, create_first_administrator, create_user
-- Records the authenticated caller for the rest of the transaction.
function tasker.set_caller(p_caller text) returns text;
  -- called by admit_steps, advance_bulk_actions, begin_action
-- Sets the password of a user by its hash.
function tasker.set_password(p_user_uuid uuid, p_password_hash text) returns jsonb;
  -- called by AccountGateway
-- Enables or disables the login of a user.
function tasker.set_user_enabled(p_user_uuid uuid, p_is_enabled boolean, p_by text) returns jsonb;
  -- called by AccountGateway


-- Functions: signal
-- -----------------
-- Checks a signal independently of its task.
function tasker.check_signal(p_name text, p_payload jsonb, p_signal_id text) returns jsonb,
    immutable;
  -- called by queue_signals, send_signals
-- Delivers queued signals to their tasks, and makes the tasks due whose step waits for one.
function tasker.deliver_signals(p_limit integer DEFAULT 100, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns integer;
  -- called by advance_due_tasks
-- The unfinished tasks to which a signal by correlation id goes, with the schema of its payload.
function tasker.find_signal_targets(p_correlation_id uuid, p_name text, p_namespaces text[]
    DEFAULT NULL::text[], p_limit integer DEFAULT 1) returns jsonb, stable;
  -- called by SignalGateway, SubmissionGateway
-- The signals that a task has received, in the order of their arrival.
function tasker.get_signal_documents(p_task_uuid uuid, p_shows_payloads boolean DEFAULT false)
    returns jsonb, stable;
  -- called by StepGateway
-- The JSON Schema of the payload of a signal to a task.
function tasker.get_signal_schema(p_task_uuid uuid, p_name text) returns jsonb, stable;
  -- called by SignalGateway, SubmissionGateway
-- Why a task takes no signal now: the rules of store_signal that do not ask for its payload and its
--   id.
function tasker.judge_signal(p_task tasker.tasks, p_name text, p_is_known boolean, p_names text,
    p_signals integer) returns jsonb, stable;
  -- called by get_allowed_actions, store_signal
-- Queues a signal for one task in the caller's transaction, for psql, triggers and other
--   applications.
function tasker.queue_signal(p_task_uuid uuid, p_name text, p_payload jsonb DEFAULT 'null'::jsonb,
    p_options jsonb DEFAULT '{}'::jsonb) returns jsonb;
  -- called by no function or class: for manual use
-- Queues a signal for tasks in the caller's transaction without locking them; a server delivers it
--   after the commit.
function tasker.queue_signals(p_task_uuids uuid[], p_name text, p_payload jsonb
    DEFAULT 'null'::jsonb, p_signal_id text DEFAULT NULL::text, p_sent_by text DEFAULT NULL::text,
    p_payload_checked boolean DEFAULT false) returns jsonb;
  -- called by SubmissionGateway, queue_signal
-- Sends a signal to one task in the caller's transaction, for psql, triggers and other
--   applications.
function tasker.send_signal(p_task_uuid uuid, p_name text, p_payload jsonb DEFAULT 'null'::jsonb,
    p_options jsonb DEFAULT '{}'::jsonb) returns jsonb;
  -- called by no function or class: for manual use
-- Sends a signal to tasks, in the caller's transaction: stores it, and ends the wait of the step
--   that waits for it.
function tasker.send_signals(p_task_uuids uuid[], p_name text, p_payload jsonb
    DEFAULT 'null'::jsonb, p_signal_id text DEFAULT NULL::text, p_sent_by text DEFAULT NULL::text,
    p_payload_checked boolean DEFAULT false, p_server_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by SignalGateway, send_signal
-- Puts the queued signals of tasks into their mailboxes, in the order in which they were queued.
function tasker.store_queued_signals(p_task_uuids uuid[], p_now timestamp with time zone,
    p_name text DEFAULT NULL::text) returns uuid[];
  -- called by deliver_signals, pass_waits, send_signals
-- Puts a signal into the mailbox of one task.
function tasker.store_signal(p_task_uuid uuid, p_name text, p_payload jsonb, p_signal_id text,
    p_sent_by text, p_payload_checked boolean, p_sent_at timestamp with time zone) returns jsonb;
  -- called by send_signals, store_queued_signals


-- Functions: submission
-- ---------------------
-- Adds steps and edges to a task that is under way, all of them or none, in the caller's
--   transaction.
function tasker.add_steps(p_task_uuid uuid, p_steps jsonb, p_edges jsonb DEFAULT '[]'::jsonb,
    p_server_uuid uuid DEFAULT NULL::uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by no function or class: for manual use
-- SHA-256 over the identity of a request; null when every request creates a task of its own.
function tasker.calculate_identity_hash(p_strategy tasker.identity_strategy, p_namespace text,
    p_name text, p_version text, p_context jsonb, p_idempotency_key text DEFAULT NULL::text)
    returns bytea, stable;
  -- called by create_task, find_schedule_violations, submit_tasks
-- The priority of a task right now, in points; it only ever rises.
function tasker.calculate_priority(p_claim_order bigint, p_retries integer DEFAULT 0,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns numeric, stable;
  -- called by get_next_ready_tasks, get_task_ready_info
-- The canonical text of a JSON value.
function tasker.canonical_json(p_value jsonb) returns text, immutable;
  -- called by calculate_identity_hash
-- Checks the form of steps and edges for add_steps: the refusal, or null.
function tasker.check_additions(p_steps jsonb, p_edges jsonb) returns jsonb, stable;
  -- called by add_steps
-- Creates the steps, wake-ups and first history of newly inserted tasks.
function tasker.create_steps(p_task_uuids uuid[], p_server_uuid uuid, p_claim_limit integer,
    p_lease_seconds integer, p_now timestamp with time zone) returns tasker.step_handoff[];
  -- called by submit_tasks
-- Creates and starts the task of a request that came alone, with statements for single rows.
function tasker.create_task(p_request jsonb, p_server_uuid uuid, p_claim_limit integer,
    p_lease_seconds integer, p_context_checked boolean, p_now timestamp with time zone)
    returns json;
  -- called by submit_tasks
-- The values that a context has under the paths of search attributes: one row for each path under
--   which there is something other than null.
function tasker.extract_search_attributes(p_attributes jsonb, p_context jsonb)
    returns TABLE(name text, path text, value text, complaint text), immutable;
  -- called by act_on_task, find_document_violations, submit_tasks, write_search_attributes
-- Removes requests from the queue permanently; those that were refused move to
--   orchestration_task_requests_refused.
function tasker.finish_task_requests(p_msg_ids jsonb, p_refused jsonb DEFAULT '[]'::jsonb)
    returns void;
  -- called by TaskGateway
-- The first step_position behind all steps of a task, or behind the workers of its batches.
function tasker.get_next_step_position(p_task_uuid uuid, p_is_of_batch boolean DEFAULT false)
    returns integer, stable;
  -- called by add_steps, advance_batches
-- The writer of new steps, with their edges, inputs and first history, and the counters.
function tasker.insert_steps(p_births tasker.step_birth[], p_server_uuid uuid,
    p_now timestamp with time zone, p_counts boolean DEFAULT true) returns void;
  -- called by add_steps, begin_compensations, create_batch_workers, expand_decisions
-- The verdict of submit_tasks about a request that it refuses before it writes a row.
function tasker.judge_task_request(p_request jsonb, p_namespace text, p_named_task_uuid uuid,
    p_identity_strategy tasker.identity_strategy, p_parents jsonb, p_context_checked boolean,
    p_now timestamp with time zone) returns jsonb, stable;
  -- called by submit_tasks
-- Starts the unchecked tasks whose context is valid; the others end in error.
function tasker.start_validated_tasks(p_verdicts jsonb, p_server_uuid uuid, p_claim_limit integer
    DEFAULT 0, p_lease_seconds integer DEFAULT 60, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_evaluate boolean DEFAULT true) returns jsonb;
  -- called by TaskGateway
-- submit_tasks for requests that came by the queue: one that raises an error does not hold back the
--   others.
function tasker.submit_queued_requests(p_requests jsonb, p_server_uuid uuid, p_claim_limit integer
    DEFAULT 0, p_lease_seconds integer DEFAULT 60, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by TaskGateway, start_scheduled_tasks
-- Creates one task in the caller's transaction and starts it.
function tasker.submit_task(p_namespace text, p_name text, p_version text, p_context jsonb
    DEFAULT '{}'::jsonb, p_options jsonb DEFAULT '{}'::jsonb) returns uuid;
  -- called by no function or class: for manual use
-- Creates any number of tasks, each whole or not at all, and starts them.
function tasker.submit_tasks(p_requests jsonb, p_server_uuid uuid DEFAULT NULL::uuid,
    p_claim_limit integer DEFAULT 0, p_lease_seconds integer DEFAULT 60, p_start boolean
    DEFAULT true, p_context_checked boolean DEFAULT false, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns json;
  -- called by SubmissionGateway, fork_task, submit_children, submit_queued_requests, submit_task
-- Reads task requests that other programs put on the queue orchestration_task_requests.
function tasker.take_task_requests(p_limit integer DEFAULT 100) returns jsonb;
  -- called by TaskGateway
-- Tasks that came in by SQL and whose context is not yet validated against the input schema,
--   locked.
function tasker.take_unchecked_tasks(p_limit integer DEFAULT 100) returns jsonb;
  -- called by TaskGateway
-- Updates the search attributes of tasks from their contexts: adds and changes what differs,
--   deletes what the context no longer has.
function tasker.write_search_attributes(p_task_uuids uuid[]) returns integer;
  -- called by act_on_task, compensate_child, submit_tasks


-- Functions: template
-- -------------------
-- The level of every step of a task: 0 for a root, otherwise one more than the highest of its
--   parents.
function tasker.calculate_dependency_levels(input_task_uuid uuid)
    returns TABLE(workflow_step_uuid uuid, dependency_level integer), stable;
  -- called by calculate_step_depth
-- The level of one step: the length of the longest path from a root to it; null when there is no
--   such step.
function tasker.calculate_step_depth(p_step_uuid uuid) returns integer, stable;
  -- called by no function or class: for manual use
-- A text that orders semantic versions as their specification does, in collation C.
function tasker.calculate_version_order(p_version text) returns text, immutable;
  -- called by get_latest_version
-- What register_template would answer to a template, without registering it.
function tasker.check_registration(p_namespace text, p_name text, p_version text,
    p_content_hash text) returns jsonb, stable;
  -- called by TemplateGateway
-- Whether an edge from one step to another would close a cycle.
function tasker.detect_cycle(from_step_uuid uuid, to_step_uuid uuid) returns boolean, stable;
  -- called by get_task_staleness
-- The keys of a step that only its handler reads.
function tasker.get_handler_options(p_step jsonb) returns jsonb, immutable;
  -- called by find_template_violations, register_template
-- The version for requests that name none: the highest release of the template; null when there is
--   no such template.
function tasker.get_latest_version(p_namespace text, p_name text) returns text, stable;
  -- called by TemplateGateway, create_task, submit_tasks
-- The definitions of steps in their templates, for workers to cache.
function tasker.get_step_definitions(p_named_step_uuids uuid[]) returns jsonb, stable;
  -- called by StepGateway
-- All ancestors of a step, one row each, nearest first, with their results.
function tasker.get_step_transitive_dependencies(target_step_uuid uuid)
    returns TABLE(workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, step_name text,
    results jsonb, processed boolean, distance integer), stable;
  -- called by check_decision, get_ancestor_batch_results, get_ancestor_results,
  --   get_worker_step_results
-- Registered templates as a JSON array.
function tasker.get_templates(p_namespace text DEFAULT NULL::text, p_name text DEFAULT NULL::text,
    p_version text DEFAULT NULL::text, p_with_configuration boolean DEFAULT false,
    p_template_uuid uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by TemplateGateway
-- The positions of the steps downstream of a decision, in an order in which each comes after its
--   parents.
function tasker.rank_grown_steps(p_steps jsonb) returns integer[], immutable;
  -- called by register_template
-- Adds the handlers that a new template names to namespace_handlers.
function tasker.record_handlers() returns trigger;
  -- called by trigger of named_tasks_named_steps
-- A template is immutable: an update of any of its rows is refused with TK003, and so is a delete
--   while a task was made from it.
function tasker.refuse_template_change() returns trigger;
  -- called by trigger of named_step_edges, trigger of named_steps, trigger of named_tasks, trigger
  --   of named_tasks_named_steps
-- Registers a template from its normal form; the same content again is a no-op, other content is
--   refused.
function tasker.register_template(p_template jsonb) returns jsonb;
  -- called by TemplateGateway


-- Functions: webhook
-- ------------------
-- Sends a dead letter of a webhook again, or discards it.
function tasker.change_delivery(p_webhook_uuid uuid, p_delivery_uuid uuid, p_action text, p_by text,
    p_reason text, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns jsonb;
  -- called by WebhookGateway
-- Pauses, resumes, deletes or replays a webhook, gives it another secret, or sends it a ping.
function tasker.change_webhook(p_webhook_uuid uuid, p_action text, p_by text, p_reason text,
    p_data jsonb DEFAULT '{}'::jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by WebhookGateway
-- Creates the deliveries of webhooks that are behind the feed, and claims those that are due for a
--   server.
function tasker.claim_deliveries(p_server_uuid uuid, p_limit integer DEFAULT 32, p_reserved integer
    DEFAULT 0, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by WebhookGateway
-- The position in the feed of domain events after which to begin: now, the beginning, a position or
--   a time.
function tasker.find_feed_position(p_from text) returns bigint, stable;
  -- called by change_webhook, save_webhook
-- A page of webhooks that are not deleted, newest first.
function tasker.get_webhook_documents(p_filter jsonb DEFAULT '{}'::jsonb, p_limit integer
    DEFAULT 25, p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by WebhookGateway
-- Figures of webhooks for monitoring: how many, how late, and the outcomes of attempts.
function tasker.get_webhook_figures(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by get_metrics_document
-- Whether a webhook has still to deliver an event of a task.
function tasker.is_awaited_by_webhook(p_task_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns boolean, stable;
  -- called by purge_tasks
-- Why an action on a delivery of a webhook is not possible now: the rule of change_delivery.
function tasker.judge_delivery_action(p_delivery tasker.webhook_deliveries, p_action text)
    returns jsonb, stable;
  -- called by change_delivery, list_webhook_deliveries
-- Why an action on a webhook would change nothing now: the rule of change_webhook.
function tasker.judge_webhook_action(p_webhook tasker.webhooks, p_action text) returns jsonb,
    stable;
  -- called by change_webhook, get_webhook_documents
-- A page of the deliveries of a webhook, newest first.
function tasker.list_webhook_deliveries(p_webhook_uuid uuid, p_filter jsonb DEFAULT '{}'::jsonb,
    p_limit integer DEFAULT 25, p_before uuid DEFAULT NULL::uuid) returns jsonb, stable;
  -- called by WebhookGateway
-- Creates the deliveries of a webhook from the next events of the feed that its filter matches, and
--   moves its position.
function tasker.plan_deliveries(p_webhook_uuid uuid, p_now timestamp with time zone)
    returns boolean;
  -- called by claim_deliveries
-- Creates a webhook, or changes the one that is given.
function tasker.save_webhook(p_webhook jsonb, p_by text, p_reason text, p_webhook_uuid uuid
    DEFAULT NULL::uuid, p_version integer DEFAULT NULL::integer, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by WebhookGateway
-- Records the outcomes of deliveries that a server claimed.
function tasker.settle_deliveries(p_results jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by WebhookGateway


-- Functions: worker
-- -----------------
-- The end of a lease that is granted now.
function tasker.calculate_lease_end(p_now timestamp with time zone, p_lease_seconds integer)
    returns timestamp with time zone, stable;
  -- called by claim_for_worker, claim_offered_steps, complete_step, create_steps, create_task,
  --   enqueue_steps, renew_leases
-- The handler keys whose steps a worker may claim, by namespace.
function tasker.calculate_served_handlers(p_namespaces text[], p_handlers text[],
    p_resolvers text[], p_unable text[]) returns jsonb, stable;
  -- called by declare_worker, decline_steps, find_worker_violations, get_served_handlers
-- Why a checkpoint may not be stored: a sentence, with its size if it is too long, or null.
function tasker.check_checkpoint(p_checkpoint jsonb) returns text, immutable;
  -- called by judge_yields, save_checkpoint, save_worker_checkpoints
-- Claims steps for one external worker, at most as many as its capacity leaves.
function tasker.claim_for_worker(p_worker tasker.workers, p_limit integer, p_request_id text,
    p_namespaces text[], p_lease_seconds integer, p_dry text[], p_now timestamp with time zone,
    OUT o_outcome text, OUT o_state text, OUT o_kind text, OUT o_is_dry boolean,
    OUT o_claimed_steps json) returns record;
  -- called by claim_steps_for_workers, submit_worker_results
-- Claims steps for the waiting requests of external workers, first come, first served.
function tasker.claim_steps_for_workers(p_polls jsonb, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns json;
  -- called by RemoteGateway
-- Deletes the claims of an external worker that have ended, and returns how many steps it still
--   holds.
function tasker.clean_worker_claims(p_worker_uuid uuid) returns integer;
  -- called by claim_for_worker, drain_worker, heartbeat_worker, register_worker
-- How many servers are alive by their heartbeat.
function tasker.count_servers(p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns integer, stable;
  -- called by get_installation_status, get_metrics_document, heartbeat
-- Stores what a worker declares at its registration or with a heartbeat.
function tasker.declare_worker(p_worker_uuid uuid, p_server_uuid uuid, p_name text,
    p_state tasker.worker_state, p_namespaces text[], p_handlers text[], p_resolvers text[],
    p_capacity integer, p_running integer, p_heartbeat_seconds integer, p_is_new boolean,
    p_now timestamp with time zone) returns boolean;
  -- called by heartbeat, heartbeat_worker, register_worker
-- Declines claimed steps that a worker cannot run.
function tasker.decline_steps(p_steps jsonb, p_server_uuid uuid, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by StepGateway, submit_worker_results
-- Drains an external worker: it gets no more claims, its steps in progress may end, and then it has
--   stopped.
function tasker.drain_worker(p_worker_uuid uuid, p_owner text DEFAULT NULL::text) returns jsonb;
  -- called by RemoteGateway
-- Releases claims of an external worker whose answer was lost, and fails its steps that have run
--   too long.
function tasker.end_worker_claims(p_worker_uuid uuid, p_steps jsonb, p_lease_seconds integer,
    p_settle boolean, p_now timestamp with time zone) returns jsonb;
  -- called by heartbeat_worker
-- A step that an external worker holds, with the namespace of its task.
function tasker.find_claimed_step(p_worker_uuid uuid, p_owner text, p_step_uuid uuid) returns jsonb,
    stable;
  -- called by get_worker_batch_results, get_worker_step_results
-- The handlers of a template that no live worker of its namespace has; null when there is no such
--   template.
function tasker.find_missing_handlers(p_namespace text, p_name text, p_version text) returns jsonb,
    stable;
  -- called by TemplateGateway
-- The actions on a worker that would change its state now, by the rule of drain_worker.
function tasker.get_allowed_worker_actions(p_server_uuid uuid, p_state tasker.worker_state,
    p_claimed integer) returns jsonb, stable;
  -- called by get_worker_documents
-- The results of all ancestors of a step by name, as one JSON object.
function tasker.get_ancestor_results(p_step_uuid uuid) returns jsonb, stable;
  -- called by StepGateway, get_expression_document
-- The workers that can claim steps of a namespace.
function tasker.get_available_workers(p_namespace text, p_now timestamp with time zone)
    returns SETOF tasker.workers, stable;
  -- called by explain_waiting_steps, find_missing_handlers, is_served, recover_unclaimed_offers
-- The state that drain_worker gives a worker.
function tasker.get_drained_state(p_state tasker.worker_state, p_claimed integer)
    returns tasker.worker_state, immutable;
  -- called by drain_worker, get_allowed_worker_actions
-- The handler keys whose steps a worker may claim, by namespace; null: everything.
function tasker.get_served_handlers(p_worker_uuid uuid) returns jsonb, stable;
  -- called by claim_for_worker, claim_queued_steps, create_steps, enqueue_steps,
  --   transition_step_state_atomic
-- The servers and workers as the REST interface shows them, best first, with the steps that no
--   worker serves and how long offers wait.
function tasker.get_server_documents(p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by InsightGateway
-- The registered servers, healthiest first, with the state that they report and whether they are
--   lost.
function tasker.get_servers(p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(server_uuid uuid, name character varying, health text, rank integer,
    reported_status tasker.server_state, roles text[], namespaces text[], handlers text[],
    problems text[], capacity integer, running integer, registered_at timestamp with time zone,
    heartbeat_at timestamp with time zone, silent_seconds numeric,
    considered_lost_at timestamp with time zone), stable;
  -- called by get_server_documents
-- A page of the results of a batch, for a step that follows from it and that an external worker
--   holds.
function tasker.get_worker_batch_results(p_worker_uuid uuid, p_owner text, p_step_uuid uuid,
    p_batch_step text, p_after integer, p_limit integer, p_most_bytes integer DEFAULT 1048576)
    returns jsonb, stable;
  -- called by RemoteGateway
-- Which of the given steps an external worker holds.
function tasker.get_worker_claims(p_worker_uuid uuid, p_owner text, p_steps jsonb) returns jsonb,
    stable;
  -- called by RemoteGateway
-- The workers as the REST interface shows them.
function tasker.get_worker_documents(p_worker_uuid uuid DEFAULT NULL::uuid,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb, stable;
  -- called by RemoteGateway
-- The results of ancestors by name, of a step that an external worker holds.
function tasker.get_worker_step_results(p_worker_uuid uuid, p_owner text, p_step_uuid uuid,
    p_names text[]) returns jsonb, stable;
  -- called by RemoteGateway
-- The registered workers, healthiest first, with the state that they report and whether they are
--   lost.
function tasker.get_workers(p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns TABLE(worker_uuid uuid, server_uuid uuid, name character varying, health text,
    rank integer, reported_status tasker.worker_state, namespaces text[], handlers text[],
    resolvers text[], unable text[], capacity integer, running integer,
    registered_at timestamp with time zone, heartbeat_at timestamp with time zone,
    silent_seconds numeric, considered_lost_at timestamp with time zone, claimed integer,
    registered_by character varying), stable;
  -- called by get_server_documents, get_worker_documents
-- Whether a worker that has declared these handlers and resolvers can run a step.
function tasker.has_handler(p_handlers text[], p_resolvers text[], p_unable text[], p_callable text,
    p_resolver text, p_handler_key text) returns boolean, immutable;
  -- called by calculate_served_handlers, explain_waiting_steps, find_state_violations,
  --   recover_unclaimed_offers
-- Records the heartbeat of a server and renews the leases of the steps that it still runs.
function tasker.heartbeat(p_server_uuid uuid, p_name text, p_roles text, p_capacity integer,
    p_running integer, p_steps jsonb DEFAULT '[]'::jsonb, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_report jsonb
    DEFAULT '{}'::jsonb) returns jsonb;
  -- called by SqlFunctions, StepGateway
-- Records the heartbeat of an external worker and renews the leases of the steps that it still
--   runs.
function tasker.heartbeat_worker(p_worker_uuid uuid, p_running integer, p_steps jsonb
    DEFAULT '[]'::jsonb, p_state text DEFAULT 'healthy'::text, p_lease_seconds integer DEFAULT 60,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone, p_owner text
    DEFAULT NULL::text, p_settle boolean DEFAULT true) returns jsonb;
  -- called by RemoteGateway
-- Whether a live worker serves a namespace.
function tasker.is_served(p_namespace text, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns boolean, stable;
  -- called by get_task_staleness
-- Notifies every listening server of new work.
function tasker.notify_servers(p_server_uuid uuid, p_kinds text[]) returns void;
  -- called by Notifications, begin_compensations, queue_signal, send_signal, submit_task,
  --   tell_end_of_task
-- Records the steps that an external worker has just claimed.
function tasker.record_worker_claims(p_worker_uuid uuid, p_claimed_steps json, p_request_id text,
    p_now timestamp with time zone) returns integer;
  -- called by claim_for_worker, submit_worker_results
-- Registers an external worker, a program outside the servers that runs steps.
function tasker.register_worker(p_worker jsonb, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone, p_owner text DEFAULT NULL::text, p_registered_by text
    DEFAULT NULL::text) returns jsonb;
  -- called by RemoteGateway
-- Releases steps that were claimed for a server and never reached it.
function tasker.release_unknown_steps(p_server_uuid uuid, p_known jsonb, p_older_than_ms integer,
    p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by StepGateway
-- Renews the leases of the steps that a worker still runs, by the database's clock.
function tasker.renew_leases(p_steps jsonb, p_lease_seconds integer, p_now timestamp with time zone)
    returns jsonb;
  -- called by heartbeat, heartbeat_worker, save_worker_checkpoints
-- Saves the checkpoint of a running step for a later attempt; false when the handoff is not the
--   latest one.
function tasker.save_checkpoint(p_step_uuid uuid, p_handoff integer, p_checkpoint jsonb)
    returns boolean;
  -- called by StepGateway, save_worker_checkpoints
-- Saves checkpoints of steps that an external worker runs, and renews the leases of these steps:
--   their handlers go on.
function tasker.save_worker_checkpoints(p_worker_uuid uuid, p_owner text, p_checkpoints jsonb,
    p_lease_seconds integer DEFAULT 60, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns jsonb;
  -- called by RemoteGateway
-- Submits the results of several external workers in one transaction; an error of one does not
--   affect the others.
function tasker.submit_results_of_workers(p_requests jsonb, p_lease_seconds integer DEFAULT 60,
    p_settle boolean DEFAULT true, p_now timestamp with time zone
    DEFAULT NULL::timestamp with time zone) returns json;
  -- called by RemoteGateway
-- Submits the results of an external worker, in one transaction with everything that follows from
--   them, and its next claims.
function tasker.submit_worker_results(p_worker_uuid uuid, p_owner text, p_results jsonb,
    p_claims jsonb DEFAULT NULL::jsonb, p_lease_seconds integer DEFAULT 60, p_settle boolean
    DEFAULT true, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
    returns json;
  -- called by RemoteGateway, submit_results_of_workers
