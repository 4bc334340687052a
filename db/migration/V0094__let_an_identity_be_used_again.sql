-- breaking-change: no
-- Whether a task may take over the identity of one that has ended. The unique index on identity_hash stays the arbiter: the earlier task gives its hash
-- up in the transaction that creates the later one.

create type tasker.identity_reuse as enum ('never', 'after_failure', 'after_end');
comment on type tasker.identity_reuse is
  'When another task may have the identity of an earlier one: never, once that has ended as error or cancelled, once it has ended in any way.';

alter table tasker.named_tasks add column identity_reuse tasker.identity_reuse not null default 'never';
comment on column tasker.named_tasks.identity_reuse is 'The key reuse of the template.';

alter table tasker.tasks
  add column is_keyed              boolean,
  add column former_identity_hash  bytea,
  add column replaced_by_task_uuid uuid,
  add column replaces_task_uuid    uuid,
  add constraint identity_is_held_or_given_up check
    ((former_identity_hash is not null) = (replaced_by_task_uuid is not null) and (former_identity_hash is null or identity_hash is null)),
  add constraint identity_is_given_up_after_the_end check (replaced_by_task_uuid is null or completed_at is not null);
comment on column tasker.tasks.identity_hash is
  'SHA-256 over what makes a request the same as another; null when every request is a new task, and when a later task has taken the identity over.';
comment on column tasker.tasks.is_keyed is 'Whether the request brought an idempotency key; null for tasks that are older than the column.';
comment on column tasker.tasks.former_identity_hash is 'The identity_hash that this task had until a later one took it over.';
comment on column tasker.tasks.replaced_by_task_uuid is 'The task that has taken the identity of this one over; this one has ended and is not started again.';
comment on column tasker.tasks.replaces_task_uuid is 'The ended task whose identity this one has taken over.';
