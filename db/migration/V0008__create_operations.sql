-- Operator actions on tasks: pauses, bulk actions, and the record of every action with its reason.
-- Running a step writes to none of these tables.

create table tasker.template_pauses (
  named_task_uuid uuid          not null references tasker.named_tasks on delete cascade,
  is_namespace    boolean       not null,
  paused_at       timestamptz   not null,
  paused_by       varchar(160)  not null,
  claimed_actor   varchar(128),
  reason          varchar(1000) not null,
  primary key (named_task_uuid, is_namespace));
comment on table tasker.template_pauses is
  'Templates whose steps are not handed off now. Empty unless an operator paused one, so that '
  'reading it is cheap.';
comment on column tasker.template_pauses.is_namespace is
  'Whether this is the pause of its namespace; a template may have both pauses.';
comment on column tasker.template_pauses.claimed_actor is
  'The name that the request claimed, when paused_by is the authenticated caller.';

create table tasker.bulk_actions (
  token       uuid          primary key default gen_random_uuid(),
  action      varchar(32)   not null,
  filter      jsonb         not null,
  acted_by    varchar(128)  not null,
  made_by     varchar(300),
  reason      varchar(1000) not null,
  task_count  int           not null,
  set_hash    bytea         not null,
  created_at  timestamptz   not null default now(),
  expires_at  timestamptz   not null,
  is_background boolean     not null default false,
  tasks       uuid[],
  started_at  timestamptz,
  run_as      varchar(160),
  done_tasks    int         not null default 0,
  already_tasks int         not null default 0,
  refused_tasks int         not null default 0,
  ended_by    varchar(160),
  resolution  varchar(32),
  executed_at timestamptz,
  result      jsonb,
  constraint executed_iff_it_has_a_result check ((executed_at is null) = (result is null)),
  constraint background_has_its_tasks check (
    (tasks is not null) = (is_background and executed_at is null)),
  constraint only_what_closes_has_a_resolution check (
    (action = 'close_dead_letters') = (resolution is not null)),
  constraint no_more_verdicts_than_tasks check (
    done_tasks + already_tasks + refused_tasks <= task_count));
comment on table tasker.bulk_actions is
  'Dry runs of actions on many tasks: the real run must present the token, and the set of tasks '
  'must still have set_hash.';
comment on column tasker.bulk_actions.is_background is
  'Whether servers do it in parts after the run has started it (advance_bulk_actions), instead of '
  'the run in one transaction.';
comment on column tasker.bulk_actions.tasks is
  'The tasks that the dry run of an action in the background counted; the first done + already + '
  'refused of them have their verdicts.';
comment on column tasker.bulk_actions.run_as is
  'The authenticated caller that started it, for the records of the actions on its tasks.';
comment on column tasker.bulk_actions.ended_by is
  'Who cancelled the rest of an action in the background; null when it ended otherwise.';
comment on column tasker.bulk_actions.made_by is
  'The REST caller that received the token, by kind and uuid, as user:…; a name when there is no '
  'uuid; null when it was made in SQL.';

create index bulk_actions_in_progress_idx on tasker.bulk_actions (
  started_at, token) where started_at is not null and executed_at is null;
create index bulk_actions_created_at_idx on tasker.bulk_actions (created_at, token);

create table tasker.bulk_action_tasks (
  token     uuid        not null,
  task_uuid uuid        not null,
  outcome   varchar(16) not null,
  code      varchar(64),
  message   text,
  acted_at  timestamptz not null,
  primary key (token, task_uuid),
  constraint refused_iff_it_has_a_code check ((outcome = 'refused') = (code is not null)));
comment on table tasker.bulk_action_tasks is
  'The verdict on each task of a bulk action: done, already or refused. Expires: see '
  'expiring_tables.';
create index bulk_action_tasks_acted_at_idx on tasker.bulk_action_tasks (acted_at);

create table tasker.operator_actions (
  action_uuid        uuid          primary key default tasker.uuid_v7(),
  acted_at           timestamptz   not null default clock_timestamp(),
  action             varchar(32)   not null,
  acted_by           varchar(160)  not null,
  authenticated_as   varchar(160)  default nullif(current_setting('tasker.caller', true), ''),
  reason             varchar(1000) not null,
  task_uuid          uuid,
  workflow_step_uuid uuid,
  dlq_entry_uuid     uuid,
  namespace          varchar(29),
  template_name      varchar(64),
  template_version   varchar(16),
  bulk_token         uuid,
  details            jsonb,
  constraint acted_by_is_not_blank check (btrim(acted_by) <> ''),
  constraint for_a_reason check (btrim(reason) <> ''));
comment on table tasker.operator_actions is
  'Operator actions with their actors and reasons, append-only. details holds overwritten values: '
  'the previous contexts and inputs.';
comment on column tasker.operator_actions.authenticated_as is
  'The authenticated REST caller, when acted_by is the name that the request claimed; null '
  'otherwise.';
create index operator_actions_task_uuid_idx on tasker.operator_actions (
  task_uuid) where task_uuid is not null;
