-- Concurrency policies: how many tasks or steps may run at the same time, per template, per step,
-- or per value of the task's context. See docs/adr/0013-concurrency-policies.md.

create table tasker.concurrency_policies (
  policy_uuid    uuid        primary key default tasker.uuid_v7(),
  namespace_name varchar(29) not null,
  template_name  varchar(64) not null,
  step_name      varchar(128),
  counts         tasker.limited_unit not null,
  key_pointer    varchar(255),
  when_full      tasker.when_full not null default 'queue',
  template_limit int         not null,
  set_limit      int,
  set_by         varchar(160),
  claimed_actor  varchar(128),
  created_at     timestamptz not null default now(),
  updated_at     timestamptz not null default now(),
  constraint one_policy_per_place_unit_and_key unique nulls not distinct (
    namespace_name, template_name, step_name, counts, key_pointer),
  constraint limits_are_not_negative check (template_limit >= 0 and set_limit >= 0),
  constraint a_step_counts_steps check (step_name is null or counts = 'steps'));
comment on table tasker.concurrency_policies is
  'Limits how many tasks or steps of a template, of one of its steps, or with the same value in '
  'their context run at a time. All versions of a template share its policies.';
comment on column tasker.concurrency_policies.step_name is
  'Null: the policy of the whole template.';
comment on column tasker.concurrency_policies.key_pointer is
  'JSON pointer into the task''s context: each value has its own slots. Null: all share them.';
comment on column tasker.concurrency_policies.template_limit is
  'The limit in the version registered last.';
comment on column tasker.concurrency_policies.set_limit is
  'The limit set at run time, which overrides template_limit; 0 lets nothing start.';
comment on column tasker.concurrency_policies.claimed_actor is
  'The name that the request claimed, when set_by is the authenticated caller.';

create table tasker.named_tasks_policies (
  named_task_uuid uuid not null references tasker.named_tasks on delete cascade,
  step_position   int  not null,
  policy_uuid     uuid not null references tasker.concurrency_policies,
  primary key (named_task_uuid, step_position, policy_uuid));
comment on table tasker.named_tasks_policies is
  'The policies of a version of a template; step_position 0 means all its steps.';

create table tasker.concurrency_slots (
  holder_uuid      uuid         not null,
  policy_uuid      uuid         not null references tasker.concurrency_policies,
  task_uuid        uuid         not null references tasker.tasks on delete cascade,
  key              varchar(255) not null,
  waiting_position bigint       not null generated always as identity,
  claim_rank       bigint       not null,
  requested_at     timestamptz  not null default clock_timestamp(),
  admitted_at      timestamptz,
  admitted_limit   int,
  handoff          int,
  is_due           boolean      not null default false,
  primary key (holder_uuid, policy_uuid),
  constraint admitted_under_a_limit check ((admitted_at is null) = (admitted_limit is null)),
  constraint handed_off_means_admitted check (handoff is null or admitted_at is not null))
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
      autovacuum_vacuum_cost_limit = 2000);
comment on table tasker.concurrency_slots is
  'Holders of slots and waiters: at most one row per holder and policy. The transaction that ends '
  'the holder''s use deletes the row.';
comment on column tasker.concurrency_slots.holder_uuid is
  'The step, or the task for a policy that counts tasks.';
comment on column tasker.concurrency_slots.key is
  'The value under the policy''s pointer, as JSON text; empty without a pointer.';
comment on column tasker.concurrency_slots.claim_rank is
  'The order among waiters, before waiting_position: that of the claim (calculate_claim_rank), so '
  'by priority, then age, with the points of retries and of the SLA.';
comment on column tasker.concurrency_slots.admitted_at is
  'Since when the slot is held; null while waiting.';
comment on column tasker.concurrency_slots.handoff is
  'The handoff for which the slot is held, 0 for a task; null before.';
comment on column tasker.concurrency_slots.is_due is
  'A server has to handle the holder: it got a slot, or the gate was busy when it asked for one.';
create index concurrency_slots_waiting_idx on tasker.concurrency_slots (
  policy_uuid, key, claim_rank, waiting_position) where admitted_at is null;
create index concurrency_slots_held_idx on tasker.concurrency_slots (
  policy_uuid, key) where admitted_at is not null;
create index concurrency_slots_due_idx on tasker.concurrency_slots (
  claim_rank, waiting_position) where is_due;
create index concurrency_slots_task_uuid_idx on tasker.concurrency_slots (task_uuid);

create table tasker.concurrency_releases (
  release_id  bigint       primary key generated always as identity,
  policy_uuid uuid         not null references tasker.concurrency_policies on delete cascade,
  key         varchar(255) not null);
comment on table tasker.concurrency_releases is
  'Slots that became free while another transaction held the gate: a server has to promote the '
  'next waiter.';
