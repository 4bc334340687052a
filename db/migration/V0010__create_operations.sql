-- breaking-change: no
-- What a person does to tasks, and what the engine says to a person: operator actions with their reasons, pauses, bulk
-- actions, and the columns that staleness and explanations need. Nothing here is touched while a step runs.

alter table tasker.workflow_steps
  add column attempts_before_reset smallint not null default 0,
  add constraint reset_is_behind check (attempts_before_reset between 0 and attempts);
comment on column tasker.workflow_steps.attempts_before_reset is
  'Attempts that a person has forgiven: max_attempts and backoff count from here. attempts itself never goes back, it is the fence.';

alter table tasker.named_tasks
  add column max_duration_minutes int generated always as ((configuration #>> '{lifecycle,max_duration_minutes}')::int) stored;
comment on column tasker.named_tasks.max_duration_minutes is 'lifecycle.max_duration_minutes: an unfinished task older than this is stale.';

alter table tasker.task_namespaces
  add column paused_at    timestamptz,
  add column paused_by    varchar(128),
  add column pause_reason varchar(1000),
  add constraint pause_is_whole check ((paused_at is null) = (paused_by is null) and (paused_at is null) = (pause_reason is null));
comment on column tasker.task_namespaces.paused_at is
  'Since when nothing of the namespace is handed off; its templates, also those registered later, are in template_pauses.';

alter table tasker.servers
  add column namespaces text[],
  add column handlers   text[];
comment on column tasker.servers.namespaces is 'The namespaces whose steps it takes; null: all.';
comment on column tasker.servers.handlers is 'The names that handler.callable may have on it; null: not told, or a resolver that knows more.';

create table tasker.template_pauses (
  named_task_uuid uuid          not null references tasker.named_tasks on delete cascade,
  is_namespace    boolean       not null,
  paused_at       timestamptz   not null,
  paused_by       varchar(128)  not null,
  reason          varchar(1000) not null,
  primary key (named_task_uuid, is_namespace));
comment on table tasker.template_pauses is
  'Templates of which nothing is handed off at the moment. Empty unless somebody paused something, which is what makes it cheap to ask.';
comment on column tasker.template_pauses.is_namespace is 'Whether it is paused because its namespace is; a template may be paused both ways.';

create table tasker.bulk_actions (
  token       uuid          primary key default gen_random_uuid(),
  action      varchar(32)   not null,
  filter      jsonb         not null,
  acted_by    varchar(128)  not null,
  reason      varchar(1000) not null,
  task_count  int           not null,
  set_hash    bytea         not null,
  created_at  timestamptz   not null default now(),
  expires_at  timestamptz   not null,
  executed_at timestamptz,
  result      jsonb,
  constraint executed_iff_it_has_a_result check ((executed_at is null) = (result is null)));
comment on table tasker.bulk_actions is
  'Dry runs of actions on many tasks: the token is what the real run has to present, and set_hash is what it must still find.';

create table tasker.operator_actions (
  action_uuid        uuid          primary key default tasker.uuid_v7(),
  acted_at           timestamptz   not null default clock_timestamp(),
  action             varchar(32)   not null,
  acted_by           varchar(128)  not null,
  reason             varchar(1000) not null,
  task_uuid          uuid,
  workflow_step_uuid uuid,
  dlq_entry_uuid     uuid,
  namespace          varchar(29),
  template_name      varchar(64),
  template_version   varchar(16),
  bulk_token         uuid,
  details            jsonb,
  constraint somebody_did_it check (btrim(acted_by) <> ''),
  constraint for_a_reason check (btrim(reason) <> ''));
comment on table tasker.operator_actions is
  'What people did, who and why, append-only. details has what was overwritten: contexts and inputs as they were before.';
create index operator_actions_task_uuid_idx on tasker.operator_actions (task_uuid) where task_uuid is not null;

insert into tasker.task_transition_rules (from_state, to_state, actor, meaning) values
  ('evaluating_results', 'error', 'recovery', 'stayed for too long'),
  ('pending', 'error', 'recovery', 'was not started in time');

insert into tasker.workflow_step_transition_rules (from_state, to_state, actor, meaning) values
  ('complete', 'pending', 'operator', 'to be run again'),
  ('resolved_manually', 'pending', 'operator', 'to be run again');
