-- Templates: what can be run. Written once per (namespace, name, version) and never changed.

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
  constraint pause_is_whole check ((paused_at is null) = (paused_by is null) and (paused_at is null) = (pause_reason is null)));
comment on table tasker.task_namespaces is 'Owners of template names; each has the queue worker_{name}_queue.';
comment on column tasker.task_namespaces.priority_modifier is 'Points added to the priority of every task of the namespace.';
comment on column tasker.task_namespaces.paused_at is
  'Since when nothing of the namespace is handed off; its templates, also those registered later, are in template_pauses.';
comment on column tasker.task_namespaces.pause_claimed_actor is 'The name that the request gave, where paused_by is who was authenticated.';
-- The name of a queue is folded to lower case: two such namespaces would share one, and a worker of one would get the steps of the other.
create unique index one_namespace_per_queue on tasker.task_namespaces (lower(name));
comment on index tasker.one_namespace_per_queue is 'Queue names are folded to lower case, so two namespaces must differ in more than that.';

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
  unsupported_features text[]      not null default '{}',
  total_steps          int         not null,
  root_steps           int         not null,
  continue_on_error    boolean     not null default false,
  is_limited           boolean     not null default false,
  sla_minutes          int,
  max_duration_minutes int         generated always as ((configuration #>> '{lifecycle,max_duration_minutes}')::int) stored,
  cancel_grace_seconds int         generated always as ((configuration #>> '{lifecycle,cancel_grace_seconds}')::int) stored,
  retention_days       int         generated always as ((configuration #>> '{lifecycle,retention_days}')::int) stored,
  created_at           timestamptz not null default now(),
  constraint one_template_per_version unique (task_namespace_uuid, name, version),
  constraint has_steps check (total_steps >= root_steps and root_steps > 0),
  constraint search_attributes_are_an_object check (jsonb_typeof(search_attributes) = 'object'),
  constraint grace_is_not_negative check (cancel_grace_seconds >= 0),
  constraint retention_is_not_negative check (retention_days >= 0));
comment on table tasker.named_tasks is 'Templates: the versioned recipes of tasks. Immutable; a change is a new version.';
comment on column tasker.named_tasks.configuration is 'The template in its normal form, every default filled in.';
comment on column tasker.named_tasks.document_hash is 'hash_documents(configuration), as it was registered.';
comment on column tasker.named_tasks.content_hash is 'SHA-256 (hex) of the normal form; the same content again is a no-op, other content is refused.';
comment on column tasker.named_tasks.identity_reuse is 'The key reuse of the template.';
comment on column tasker.named_tasks.search_attributes is 'The key search_attributes of the template: by name the path in the context; null when there is none.';
comment on column tasker.named_tasks.unsupported_features is 'Features accepted in the template that this version cannot run; a task of such a template is refused.';
comment on column tasker.named_tasks.continue_on_error is 'lifecycle.on_step_error: continue. Steps that do not depend on the failed one still run.';
comment on column tasker.named_tasks.is_limited is 'Whether any policy limits its tasks or steps.';
comment on column tasker.named_tasks.sla_minutes is
  'lifecycle.sla_minutes: a task that is older than this and unfinished gets 100 points of priority.';
comment on column tasker.named_tasks.max_duration_minutes is 'lifecycle.max_duration_minutes: an unfinished task older than this is stale.';
comment on column tasker.named_tasks.cancel_grace_seconds is
  'lifecycle.cancel_grace_seconds: how long running steps may take to stop after a cancel request; null for the server''s setting.';
comment on column tasker.named_tasks.retention_days is
  'lifecycle.retention_days: how long finished tasks of this version are kept, unless a policy for the template says otherwise.';

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
  handler_callable     varchar(500) not null,
  handler_method       varchar(128) not null default 'call',
  handler_resolver     varchar(128),
  handler_key          text         not null generated always as (
    case when handler_resolver is not null then 'resolver:' || handler_resolver || ':' else '' end || handler_callable
    || case when handler_method <> 'call' then '#' || handler_method else '' end) stored,
  initialization       jsonb        not null default '{}',
  result_schema        jsonb,
  default_retryable    boolean      not null default true,
  default_max_attempts int          not null default 3,
  backoff              tasker.backoff_kind not null default 'exponential',
  backoff_base_ms      int          not null default 1000,
  max_backoff_ms       int          not null default 60000,
  timeout_seconds      int,
  on_worker_lost       tasker.lost_worker_policy not null default 'reschedule',
  created_at           timestamptz  not null default now(),
  constraint one_step_per_position unique (named_task_uuid, step_position),
  constraint positions_count_from_one check (step_position > 0),
  constraint attempts_are_not_negative check (default_max_attempts >= 0),
  constraint backoff_is_positive check (backoff_base_ms > 0 and max_backoff_ms >= backoff_base_ms),
  constraint timeout_is_positive check (timeout_seconds > 0));
comment on table tasker.named_tasks_named_steps is 'How a template uses its steps: order, parents, handler and the defaults for retries.';
comment on column tasker.named_tasks_named_steps.parent_positions is 'step_position of every parent, ascending.';
comment on column tasker.named_tasks_named_steps.child_count is 'Number of steps that depend on this one; 0 for a leaf.';
comment on column tasker.named_tasks_named_steps.handler_key is 'What runs the step, in one word: resolver, callable and method.';
comment on column tasker.named_tasks_named_steps.on_worker_lost is
  'retry.on_worker_lost: whether an attempt whose worker is lost, or that no worker claimed, is followed by the next one.';
