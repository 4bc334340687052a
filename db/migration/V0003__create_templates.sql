-- Templates: the definitions of tasks. Written once per (namespace, name, version) and never
-- changed.

create table tasker.task_namespaces (
  task_namespace_uuid uuid        primary key default tasker.uuid_v7(),
  name                varchar(29) not null unique,
  description         varchar(255),
  priority_modifier   int         not null default 0,
  paused_at           timestamptz,
  paused_by           varchar(160),
  pause_claimed_actor varchar(128),
  pause_reason        varchar(1000),
  created_at          timestamptz not null default now(),
  updated_at          timestamptz not null default now(),
  constraint name_fits_a_queue_name check (name ~ '^[a-zA-Z][a-zA-Z0-9_]*$'),
  constraint pause_is_whole check (
    (paused_at is null) = (paused_by is null) and (paused_at is null) = (pause_reason is null)));
comment on table tasker.task_namespaces is
  'Namespaces of template names; each has the queue worker_{name}_queue.';
comment on column tasker.task_namespaces.priority_modifier is
  'Points added to the priority of every task of the namespace.';
comment on column tasker.task_namespaces.paused_at is
  'Since when no step of the namespace is handed off; its templates, also those registered later, '
  'are in template_pauses.';
comment on column tasker.task_namespaces.pause_claimed_actor is
  'The name that the request claimed, when paused_by is the authenticated caller.';
-- Queue names are folded to lower case: two namespaces that differ only in case would share a
-- queue, and a worker of one would get the steps of the other.
create unique index one_namespace_per_queue on tasker.task_namespaces (lower(name));
comment on index tasker.one_namespace_per_queue is
  'Queue names are folded to lower case, so two namespaces must differ in more than case.';

create table tasker.named_tasks (
  named_task_uuid      uuid        primary key default tasker.uuid_v7(),
  task_namespace_uuid  uuid        not null references tasker.task_namespaces,
  name                 varchar(64) not null,
  version              varchar(16) not null,
  description          varchar(255),
  configuration        jsonb       not null,
  document_hash        bigint      not null,
  source_text          text,
  content_hash         varchar(64) not null,
  identity_strategy    tasker.identity_strategy not null default 'strict',
  identity_reuse       tasker.identity_reuse not null default 'never',
  has_input_schema     boolean     not null,
  search_attributes    jsonb,
  output               jsonb,
  sealed               jsonb,
  total_steps          int         not null,
  initial_steps        int         not null,
  root_steps           int         not null,
  continue_on_error    boolean     not null default false,
  is_limited           boolean     not null default false,
  has_automatic_root   boolean     not null default false,
  sla_minutes          int,
  max_duration         interval,
  on_timeout           tasker.timeout_action not null default 'fail',
  max_duration_minutes int         generated always as (
    (configuration #>> '{lifecycle,max_duration_minutes}')::int) stored,
  cancel_grace_seconds int         generated always as (
    (configuration #>> '{lifecycle,cancel_grace_seconds}')::int) stored,
  unserved_seconds     int         generated always as (
    (configuration #>> '{lifecycle,unserved_seconds}')::int) stored,
  retention_days       int         generated always as (
    (configuration #>> '{lifecycle,retention_days}')::int) stored,
  max_steps_per_decision int       not null generated always as (
    coalesce((configuration #>> '{lifecycle,max_steps_per_decision}')::int, 100)) stored,
  max_batches_per_step int         not null generated always as (
    coalesce((configuration #>> '{lifecycle,max_batches_per_step}')::int, 10000)) stored,
  max_child_depth      int         not null generated always as (
    coalesce((configuration #>> '{lifecycle,max_child_depth}')::int, 8)) stored,
  has_queue_timeouts   boolean     not null generated always as (
    jsonb_path_exists(configuration, '$.steps[*].queue_timeout_seconds ? (@ != null)')) stored,
  max_decision_depth   int         not null generated always as (
    coalesce((configuration #>> '{lifecycle,max_decision_depth}')::int, 3)) stored,
  published_lifecycle  jsonb       generated always as (
    configuration #> '{lifecycle,publishes_events}') stored,
  created_at           timestamptz not null default now(),
  constraint one_template_per_version unique (task_namespace_uuid, name, version),
  constraint name_fits_into_an_address check (name !~ '[/\\[:cntrl:]]' and name not in ('.', '..')),
  constraint has_steps check (
    total_steps >= initial_steps and initial_steps >= root_steps and root_steps > 0),
  constraint output_is_a_mapping check (jsonb_typeof(output) = 'object'),
  constraint search_attributes_are_an_object check (jsonb_typeof(search_attributes) = 'object'),
  constraint max_duration_is_positive check (max_duration > interval '0'),
  constraint grace_is_not_negative check (cancel_grace_seconds >= 0),
  constraint unserved_is_not_negative check (unserved_seconds >= 0),
  constraint retention_is_not_negative check (retention_days >= 0));
comment on table tasker.named_tasks is
  'Templates: the versioned definitions of tasks. Immutable; a change is a new version.';
comment on column tasker.named_tasks.configuration is
  'The template in its normal form, with every default.';
comment on column tasker.named_tasks.document_hash is
  'hash_documents(configuration) at registration.';
comment on column tasker.named_tasks.content_hash is
  'SHA-256 (hex) of the normal form; registering the same content again is a no-op, other content '
  'is refused.';
comment on column tasker.named_tasks.initial_steps is
  'Steps that a task begins with: all that are not downstream of a decision.';
comment on column tasker.named_tasks.identity_reuse is
  'reuse of the template: when a new task may take over the identity of an ended one.';
comment on column tasker.named_tasks.search_attributes is
  'search_attributes of the template: the path in the context by name; null when there is none.';
comment on column tasker.named_tasks.output is
  'output of the template: a mapping over context and results; null: the results of the leaves.';
comment on column tasker.named_tasks.sealed is
  'Null when nothing of the template is sealed; otherwise {context?, errors?}: the places of the '
  'context, as read_sealed_places has them, and whether messages of errors are sealed.';
comment on column tasker.named_tasks.max_child_depth is
  'lifecycle.max_child_depth: how deep a child task of this template may be below the topmost '
  'task.';
comment on column tasker.named_tasks.continue_on_error is
  'lifecycle.on_step_error: continue. Steps that do not depend on the failed one still run.';
comment on column tasker.named_tasks.is_limited is
  'Whether a concurrency policy limits its tasks or steps.';
comment on column tasker.named_tasks.has_automatic_root is
  'Whether a task begins with a step that the engine completes itself, or that waits, so that it '
  'is evaluated before anything is handed off.';
comment on column tasker.named_tasks.sla_minutes is
  'lifecycle.sla_minutes: an unfinished task older than this gets 100 points of priority.';
comment on column tasker.named_tasks.max_duration is
  'lifecycle.max_duration: an unfinished task older than this is ended as on_timeout says; null: '
  'no limit.';
comment on column tasker.named_tasks.on_timeout is
  'lifecycle.on_timeout: how a task ends that has exceeded max_duration.';
comment on column tasker.named_tasks.max_duration_minutes is
  'lifecycle.max_duration_minutes: an unfinished task older than this is stale.';
comment on column tasker.named_tasks.cancel_grace_seconds is
  'lifecycle.cancel_grace_seconds: how long running steps may take to stop after a cancel '
  'request; null for the server''s setting.';
comment on column tasker.named_tasks.unserved_seconds is
  'lifecycle.unserved_seconds: how long a step waits for a live worker with its handler; 0: '
  'without a limit, null: the server''s setting.';
comment on column tasker.named_tasks.max_steps_per_decision is
  'lifecycle.max_steps_per_decision: how many steps one decision may create.';
comment on column tasker.named_tasks.max_batches_per_step is
  'lifecycle.max_batches_per_step: how many batches one batchable step may make.';
comment on column tasker.named_tasks.published_lifecycle is
  'lifecycle.publishes_events: of what the engine publishes domain events itself, of tasks, '
  'approvals and dead_letters; null: of none.';
comment on column tasker.named_tasks.max_decision_depth is
  'lifecycle.max_decision_depth: how many decisions may follow from each other.';
comment on column tasker.named_tasks.has_queue_timeouts is
  'Whether a step of it has queue_timeout_seconds.';
comment on column tasker.named_tasks.retention_days is
  'lifecycle.retention_days: how long finished tasks of this version are kept, unless a policy '
  'for the template overrides it.';

create table tasker.named_steps (
  named_step_uuid uuid         primary key default tasker.uuid_v7(),
  named_task_uuid uuid         not null references tasker.named_tasks,
  name            varchar(128) not null,
  description     varchar(255),
  created_at      timestamptz  not null default now(),
  constraint step_names_are_unique_per_template unique (named_task_uuid, name));
comment on table tasker.named_steps is 'Steps by name, per template.';

create table tasker.named_tasks_named_steps (
  ntns_uuid            uuid         primary key default tasker.uuid_v7(),
  named_task_uuid      uuid         not null references tasker.named_tasks,
  named_step_uuid      uuid         not null unique references tasker.named_steps,
  step_position        int          not null,
  parent_positions     int[]        not null,
  child_count          int          not null,
  step_type            varchar(32)  not null default 'standard',
  handler_callable     varchar(500),
  handler_method       varchar(128) not null default 'call',
  handler_resolver     varchar(128),
  handler_key          text         generated always as (
    case when handler_resolver is not null then 'resolver:' || handler_resolver || ':' else '' end
    || handler_callable
    || case when handler_method <> 'call' then '#' || handler_method else '' end) stored,
  initialization       jsonb        not null default '{}',
  result_schema        jsonb,
  sealed               jsonb,
  default_retryable    boolean      not null default true,
  default_max_attempts int          not null default 3,
  backoff              tasker.backoff_kind not null default 'exponential',
  backoff_base_ms      int          not null default 1000,
  max_backoff_ms       int          not null default 60000,
  timeout_seconds      int,
  queue_timeout_seconds int,
  on_worker_lost       tasker.lost_worker_policy not null default 'reschedule',
  growth_rank          int,
  runs_on_none         boolean      not null default false,
  undoes_attempts      boolean      not null default false,
  rules                jsonb,
  wait_for             jsonb,
  batch                jsonb,
  events               jsonb,
  created_at           timestamptz  not null default now(),
  document_hash        bigint       not null,
  constraint one_step_per_position unique (named_task_uuid, step_position),
  constraint positions_count_from_one check (step_position > 0),
  constraint attempts_are_not_negative check (default_max_attempts >= 0),
  constraint backoff_is_positive check (backoff_base_ms > 0 and max_backoff_ms >= backoff_base_ms),
  constraint timeout_is_positive check (timeout_seconds > 0),
  constraint queue_timeout_is_positive check (queue_timeout_seconds > 0),
  constraint has_a_handler_or_what_replaces_it check (
    ((handler_callable is null) = (rules is not null or batch ->> 'items' is not null))
    or (wait_for is not null and rules is null and batch is null)),
  constraint wait_is_of_a_kind check (
    wait_for is null or wait_for ->> 'kind' in ('timer', 'signal', 'approval', 'child')),
  constraint batch_is_of_a_batch check (
    (batch is not null) = (step_type in ('batchable', 'batch_worker'))),
  constraint child_replaces_the_handler check (
    wait_for ->> 'kind' <> 'child' or handler_callable is null),
  constraint waits_or_grows check (wait_for is null or (rules is null and batch is null)),
  constraint rules_are_of_a_decision check (rules is null or step_type = 'decision'),
  constraint attempts_are_undone_by_a_compensation check (
    not undoes_attempts or step_type = 'compensation'),
  constraint prefix_of_the_engine_is_reserved check (
    not jsonb_path_exists(events, '$[*].name ? (@ starts with "tasker.")')),
  constraint rank_is_positive check (growth_rank > 0));
comment on table tasker.named_tasks_named_steps is
  'How a template uses its steps: order, parents, handler and the defaults for retries.';
comment on column tasker.named_tasks_named_steps.parent_positions is
  'step_position of every parent, ascending.';
comment on column tasker.named_tasks_named_steps.child_count is
  'Number of steps that depend on this one; 0 for a leaf.';
comment on column tasker.named_tasks_named_steps.document_hash is
  'hash_step_definition at registration.';
comment on column tasker.named_tasks_named_steps.events is
  'publishes_events of the step, each with its schema; null: it publishes nothing.';
comment on column tasker.named_tasks_named_steps.handler_key is
  'Identifies the code of the step in one text: resolver, callable and method.';
comment on column tasker.named_tasks_named_steps.sealed is
  'The sealed places of the result, of the payload of the signal or of the values of the '
  'approval, as read_sealed_places has them; null: none.';
comment on column tasker.named_tasks_named_steps.growth_rank is
  'Null for a step that a task begins with; otherwise the step is downstream of a decision, and '
  'comes after its parents in this order.';
comment on column tasker.named_tasks_named_steps.runs_on_none is
  'on_none: run. The deferred convergence runs although none of its parents was created.';
comment on column tasker.named_tasks_named_steps.undoes_attempts is
  'compensation.when: attempted. Steps that ran and did not complete are undone, too.';
comment on column tasker.named_tasks_named_steps.rules is
  '{rules: [{when, then}], otherwise} of a decision that has no handler.';
comment on column tasker.named_tasks_named_steps.wait_for is
  'What the step waits for after its parents: {kind: timer, for | until}, {kind: signal, name, '
  'schema?, timeout?, on_timeout?}, {kind: approval} with the keys of the template,
   or {kind: child, namespace, name, version?, context, priority?}, a child task.';
comment on column tasker.named_tasks_named_steps.batch is
  'Of a batchable step: {items, batch_size, cursor_field}, items null where its handler returns '
  'the cursors. Of a batch_worker: {parallelism, failure_strategy, tolerate}, with every default; '
  'tolerate null: any number.';
comment on column tasker.named_tasks_named_steps.queue_timeout_seconds is
  'How long an offer of the step waits for a worker before it fails as queue_timeout; null: no '
  'limit.';
comment on column tasker.named_tasks_named_steps.on_worker_lost is
  'retry.on_worker_lost: whether another attempt follows one whose worker was lost, or that no '
  'worker claimed.';

create table tasker.named_step_edges (
  named_task_uuid      uuid not null,
  from_named_step_uuid uuid not null,
  from_position        int  not null,
  to_named_step_uuid   uuid not null,
  to_position          int  not null,
  primary key (from_named_step_uuid, from_position, to_position));
comment on table tasker.named_step_edges is
  'Parent to child dependencies between the steps that a task of the template begins with. Tasks '
  'have no copy: see the view workflow_step_edges.';
comment on column tasker.named_step_edges.from_position is
  'step_position of the parent, one of the parent_positions of the child.';
create index named_step_edges_to_named_step_uuid_idx on tasker.named_step_edges (
  to_named_step_uuid, to_position);

create table tasker.namespace_handlers (
  task_namespace_uuid uuid not null references tasker.task_namespaces on delete cascade,
  handler_key         text not null,
  handler_callable    text not null,
  handler_resolver    text,
  primary key (task_namespace_uuid, handler_key));
comment on table tasker.namespace_handlers is
  'The handlers that the templates of a namespace name, each once.';
create table tasker.handler_catalog (
  is_only boolean primary key default true,
  version bigint  not null,
  constraint there_is_one check (is_only));
comment on table tasker.handler_catalog is
  'One row: the version of namespace_handlers. The transaction that adds a handler increments it, '
  'so that values calculated from an older version are recognised as stale.';
insert into tasker.handler_catalog (version) values (1);
