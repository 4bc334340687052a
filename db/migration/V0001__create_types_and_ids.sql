-- The vocabulary of the schema: states, actors and kinds as enums (four bytes on the hot rows,
-- spelled as in the documents), the composite types that the engine's functions exchange, and the
-- time-ordered key of every table.

-- A schema that an administrator has made needs neither the right to create schemas nor its
-- ownership: "create schema if not exists" asks for the first even where it does nothing.
do $schema$
begin
  if pg_catalog.to_regnamespace('tasker') is null then
    create schema tasker;
  end if;
  if pg_catalog.pg_has_role((select n.nspowner from pg_catalog.pg_namespace n
                             where n.nspname = 'tasker'), 'usage') then
    comment on schema tasker is
      'Tasker EE: tasks, steps, their history, and the functions that move them.';
  end if;
end
$schema$;

create type tasker.task_state as enum (
  'pending', 'initializing', 'enqueuing_steps', 'steps_in_process', 'evaluating_results',
  'waiting_for_dependencies',
  'waiting_for_retry', 'blocked_by_failures', 'complete', 'error', 'cancelled',
  'resolved_manually');

create type tasker.step_state as enum (
  'pending', 'enqueued', 'in_progress', 'enqueued_for_orchestration',
  'enqueued_as_error_for_orchestration',
  'waiting_for_retry', 'complete', 'error', 'cancelled', 'resolved_manually');

create type tasker.actor as enum ('orchestrator', 'worker', 'recovery', 'operator');

create type tasker.identity_strategy as enum ('strict', 'caller_provided', 'always_unique');

create type tasker.identity_reuse as enum ('never', 'after_failure', 'after_end');
comment on type tasker.identity_reuse is
  'When a new task may take over the identity of an earlier one: never, after it ended as error '
  'or cancelled, or after it ended in any state.';

create type tasker.backoff_kind as enum ('exponential', 'linear', 'fibonacci', 'none');

create type tasker.step_outcome as enum (
  'success', 'retryable_failure', 'permanent_failure', 'cancelled', 'manual_completion');

create type tasker.cancel_policy as enum ('allow_finish', 'cancel_running');

create type tasker.lost_worker_policy as enum ('reschedule', 'abandon');

create type tasker.timeout_action as enum ('fail', 'cancel', 'compensate');
comment on type tasker.timeout_action is
  'How a task ends that has run for longer than lifecycle.max_duration of its template.';

create type tasker.server_state as enum ('healthy', 'degraded', 'draining', 'stopped');

create type tasker.dlq_reason as enum (
  'staleness_timeout', 'max_retries_exceeded', 'permanent_failure', 'dependency_cycle_detected',
  'worker_unavailable',
  'manual_dlq');

create type tasker.dlq_resolution_status as enum (
  'pending', 'manually_resolved', 'permanently_failed', 'cancelled');

create type tasker.when_full as enum ('queue', 'fail_fast');

create type tasker.limited_unit as enum ('tasks', 'steps');

create type tasker.wait_kind as enum ('timer', 'signal', 'approval', 'child', 'child_retry');

create type tasker.wait_state as enum (
  'open', 'satisfied', 'defaulted', 'timed_out', 'failed', 'cancelled');
comment on type tasker.wait_state is
  'Of a wait: open until its time or signal comes, its default is taken, it times out as an '
  'error, its child task fails, or its step or task ends otherwise.';

create type tasker.approval_state as enum ('open', 'approved', 'rejected', 'expired', 'cancelled');
comment on type tasker.approval_state is
  'Of an approval: open until a user approves or rejects it, its due time ends it, or its step or '
  'task ends otherwise.';

create type tasker.approval_event as enum (
  'made', 'claimed', 'unclaimed', 'lapsed', 'delegated', 'escalated', 'approved', 'rejected',
  'expired', 'cancelled');

create type tasker.compensation_cause as enum ('failure', 'cancel', 'operator', 'parent');
comment on type tasker.compensation_cause is
  'Why the completed steps of a task are compensated; parent: the task compensates an ended '
  'child, because the parent of both is compensated.';
create type tasker.compensation_state as enum ('asked', 'running', 'compensated', 'incomplete');
comment on type tasker.compensation_state is
  'asked: with a cancel, whose task has steps in flight; running: its steps have been added; '
  'compensated: the task has ended, and each is complete; incomplete: it has ended without that.';
create type tasker.notice_kind as enum ('child_ended', 'cancel');
comment on type tasker.notice_kind is 'What a row of task_notices tells its receiver.';

create type tasker.task_delta as (
  task_uuid uuid, in_flight int, unfinished int, failed int, retrying int);
comment on type tasker.task_delta is 'The change of a task''s step counters.';

create type tasker.step_move as (
  step_uuid uuid, handoff int, from_state tasker.step_state, to_state tasker.step_state,
  actor tasker.actor, metadata jsonb, outcome tasker.step_outcome, result jsonb, error jsonb,
  worker_uuid uuid, next_retry_at timestamptz);
comment on type tasker.step_move is
  'What apply_step_moves is to do with one step: the state and handoff that it compares, the move, '
  'its result, if it has an outcome, and when it is retried.';

create type tasker.task_request as (
  request_position int, task_uuid uuid, named_task_uuid uuid, identity_hash bytea,
  claim_order bigint,
  context_checked boolean, request jsonb);
comment on type tasker.task_request is
  'One accepted request of a batch, before its task is inserted.';

create type tasker.step_birth as (
  step_uuid uuid, task_uuid uuid, named_step_uuid uuid, step_position int, name varchar(128),
  parents int[], remaining int, is_automatic boolean, batch_step_uuid uuid,
  compensates_step_uuid uuid, inputs jsonb, metadata jsonb);
comment on type tasker.step_birth is
  'A step that insert_steps adds to a task: its place, the positions of its parents and how many '
  'of them are not done, and the metadata of its first history.';

create type tasker.task_change as (
  task_uuid uuid, from_state tasker.task_state, to_state tasker.task_state, actor tasker.actor,
  metadata jsonb);
comment on type tasker.task_change is
  'What apply_task_moves is to do with one task: the state that it compares, the move, and the '
  'metadata of its history.';

create type tasker.task_move as (
  task_uuid uuid, transition_count int, from_state tasker.task_state, to_state tasker.task_state);
comment on type tasker.task_move is
  'A task that was moved: the states before and after, and the sort_key of the last history row '
  'of the move.';

create type tasker.step_handoff as (
  step_uuid uuid, task_uuid uuid, handoff int, is_claimed boolean, namespace varchar,
  claim_order bigint,
  correlation_id uuid, handler_key text, attempt int, queue_seconds int);
comment on type tasker.step_handoff is
  'One step that was just handed off, to a queue or directly to a worker; queue_seconds: how long '
  'its offer may stay unclaimed, null for no limit.';

-- Table defaults use it, so it cannot be a repeatable migration.
do $install$
begin
  if current_setting('server_version_num')::int >= 180000 then
    execute $sql$
      create function tasker.uuid_v7() returns uuid language sql volatile parallel safe
      as 'select uuidv7()'
    $sql$;
  else
    -- RFC 9562, method 3, as uuidv7(): 48 bits of milliseconds, the version, 12 bits of the
    -- fraction of the millisecond, then random bits. Microseconds * 4096 / 1000 are the 60 bits of
    -- the first and the third. One expression, so that the planner can inline it.
    execute $sql$
      create function tasker.uuid_v7() returns uuid language sql volatile parallel safe
      as $body$
        select (overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 1000000)::bigint
                                    * 512 / 125), 15, '0') placing '7' from 13 for 0)
                || substring(gen_random_uuid()::text from 20))::uuid
      $body$
    $sql$;
  end if;
end
$install$;
comment on function tasker.uuid_v7() is
  'A new time-ordered key (UUID version 7): the server''s own uuidv7() from PostgreSQL 18 on, the '
  'same layout before.';
