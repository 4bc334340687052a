-- History: append-only, in the same transaction as the move, partitioned by month so that old
-- months can be dropped. It has no foreign keys, because dropping a month must not check it row by
-- row; check_history() finds orphans. created_at is read from the clock when the row is written,
-- under the lock that orders the moves of a task. now() is the start of the transaction, so a
-- transaction that waited for that lock would date its moves before those that it waited for.
--
-- Every move names its transaction, so that a reader can tell which moves are final: all below the
-- oldest transaction that still runs. A roll-up counts up to that bound (roll_up_analytics), and
-- readers of events follow it (docs/adr/0019).

-- What a transaction did to a task is one row, also when it led the task through several states:
-- path names the states between from_state and to_state; born_steps names the steps that it created
-- (docs/adr/0088). The views task_transitions and workflow_step_transitions have one row per move.
create type tasker.task_path_name as enum (
  'evaluated', 'continued', 'enqueued', 'started', 'created_and_started', 'enqueued_and_evaluated',
  'initialized', 'waited', 'initialized_and_waited');

create table tasker.task_moves (
  task_uuid      uuid        not null,
  xact_id        bigint      not null default pg_current_xact_id()::text::bigint,
  created_at     timestamptz not null default clock_timestamp(),
  processor_uuid uuid,
  sort_key       int         not null,
  from_state     tasker.task_state,
  to_state       tasker.task_state not null,
  actor          tasker.actor not null,
  path           tasker.task_path_name,
  metadata       jsonb,
  born_steps     uuid[],
  primary key (task_uuid, sort_key, created_at))
partition by range (created_at);
comment on table tasker.task_moves is
  'History of tasks.state, one row for what a transaction did to a task; the view '
  'task_transitions has a row for each move.';
comment on column tasker.task_moves.sort_key is
  'That of the last move of the row; moves count from 1 per task.';
comment on column tasker.task_moves.path is
  'The states that the task passed through between from_state and to_state: task_paths. Null for '
  'a single move. A row with a path has no metadata.';
comment on column tasker.task_moves.born_steps is
  'The steps that the transaction created with the task and left pending: this is their first '
  'move. Null in every row but that of a birth.';
comment on column tasker.task_moves.processor_uuid is
  'The server that made the move: for audit only, in no WHERE clause.';
comment on column tasker.task_moves.xact_id is
  'The transaction that made the move. A snapshot sees all moves of transactions below its '
  'pg_snapshot_xmin that will ever exist.';
-- A few bytes per some hundred rows.
create index task_moves_xact_id_created_at_idx on tasker.task_moves
  using brin (xact_id, created_at) with (pages_per_range = 16);

create table tasker.task_paths (
  path       tasker.task_path_name not null,
  number     int not null,
  moves      int not null,
  from_state tasker.task_state,
  to_state   tasker.task_state,
  primary key (path, number));
comment on table tasker.task_paths is
  'The moves of each path, in their order: every state between the first and the last is the '
  'to_state of one move and the from_state of the next.';
comment on column tasker.task_paths.from_state is 'Null for the first move: that of the row.';
comment on column tasker.task_paths.to_state is 'Null for the last move: that of the row.';
insert into tasker.task_paths (path, number, moves, from_state, to_state)
select p.path::tasker.task_path_name, n, cardinality(p.between) + 1, p.between[n - 1], p.between[n]
from (values
  ('evaluated', '{evaluating_results}'::tasker.task_state[]),
  ('continued', '{evaluating_results,enqueuing_steps}'),
  ('enqueued', '{enqueuing_steps}'),
  ('started', '{initializing,enqueuing_steps}'),
  ('created_and_started', '{pending,initializing,enqueuing_steps}'),
  ('enqueued_and_evaluated', '{steps_in_process,evaluating_results}'),
  ('initialized', '{initializing}'),
  ('waited', '{waiting_for_dependencies,evaluating_results}'),
  ('initialized_and_waited', '{initializing,waiting_for_dependencies,evaluating_results}')
) as p(path, between)
cross join lateral generate_series(1, cardinality(p.between) + 1) as n;

create type tasker.step_path_name as enum (
  'created_and_offered', 'created_and_claimed', 'claimed_at_once', 'completed_at_once');

-- No primary key: it would have to include created_at, the partition key, would take a third of the
-- table, and would not make sort_key unique.
create table tasker.step_moves (
  workflow_step_uuid uuid        not null,
  task_uuid          uuid        not null,
  xact_id            bigint      not null default pg_current_xact_id()::text::bigint,
  created_at         timestamptz not null default clock_timestamp(),
  processor_uuid     uuid,
  sort_key           int         not null,
  from_state         tasker.step_state,
  to_state           tasker.step_state not null,
  actor              tasker.actor not null,
  path               tasker.step_path_name,
  handoff            int         not null,
  attempt            int         not null,
  metadata           jsonb)
partition by range (created_at);
comment on table tasker.step_moves is
  'History of workflow_steps.state, one row for what a transaction did to a step; the view '
  'workflow_step_transitions has a row for each move.';
comment on column tasker.step_moves.sort_key is
  'That of the last move of the row; moves count from 1 per step.';
comment on column tasker.step_moves.path is
  'The states that the step passed through between from_state and to_state: step_paths. Null for '
  'a single move. A row with a path has no metadata.';
comment on column tasker.step_moves.actor is 'Who made the last move of the row.';
comment on column tasker.step_moves.handoff is
  'The handoff of the moves, 0 before the first.';
comment on column tasker.step_moves.xact_id is
  'The transaction that made the move. A snapshot sees all moves of transactions below its '
  'pg_snapshot_xmin that will ever exist.';
-- Moves of a task are written close together and its key grows with time, so a summary per 32 pages
-- finds them. Vacuum creates the summaries; inserts trigger it too (below and in
-- ensure_history_partitions): docs/adr/0010.
create index step_moves_task_uuid_idx on tasker.step_moves
  using brin (task_uuid uuid_minmax_multi_ops) with (pages_per_range = 32);
-- No entry per row. Unsummarised pages are read completely: summarize_history. Not autosummarize:
-- autovacuum remembers 256 ranges of all indexes between two of its rounds, and each one above that
-- is a page of the server's log.
create index step_moves_xact_id_idx on tasker.step_moves
  using brin (xact_id) with (pages_per_range = 32);

create table tasker.step_paths (
  path       tasker.step_path_name not null,
  number     int not null,
  moves      int not null,
  from_state tasker.step_state,
  to_state   tasker.step_state,
  actor      tasker.actor,
  is_birth   boolean not null,
  primary key (path, number));
comment on table tasker.step_paths is
  'The moves of each path, in their order: every state between the first and the last is the '
  'to_state of one move and the from_state of the next.';
comment on column tasker.step_paths.from_state is 'Null for the first move: that of the row.';
comment on column tasker.step_paths.to_state is 'Null for the last move: that of the row.';
comment on column tasker.step_paths.actor is 'Null for the last move: that of the row.';
comment on column tasker.step_paths.is_birth is
  'True: the move is before the first handoff and the first attempt.';
insert into tasker.step_paths (path, number, moves, from_state, to_state, actor, is_birth)
values ('created_and_offered', 1, 2, null, 'pending', 'orchestrator', true),
       ('created_and_offered', 2, 2, 'pending', null, null, false),
       ('created_and_claimed', 1, 3, null, 'pending', 'orchestrator', true),
       ('created_and_claimed', 2, 3, 'pending', 'enqueued', 'orchestrator', false),
       ('created_and_claimed', 3, 3, 'enqueued', null, null, false),
       ('claimed_at_once', 1, 2, null, 'enqueued', 'orchestrator', false),
       ('claimed_at_once', 2, 2, 'enqueued', null, null, false),
       ('completed_at_once', 1, 2, null, 'enqueued_for_orchestration', 'worker', false),
       ('completed_at_once', 2, 2, 'enqueued_for_orchestration', null, null, false);

-- Inserts trigger vacuum, so that history is summarised and frozen a little at a time.
create table tasker.task_moves_default partition of tasker.task_moves default
  with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 50000);
create table tasker.step_moves_default partition of tasker.step_moves default
  with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 50000);

create table tasker.task_transition_rules (
  from_state tasker.task_state,
  to_state   tasker.task_state not null,
  actor      tasker.actor not null,
  meaning    text not null,
  constraint one_rule_per_task_move unique nulls not distinct (from_state, to_state, actor));
comment on table tasker.task_transition_rules is
  'The allowed moves of a task and their actors; from_state null is creation.';

create table tasker.workflow_step_transition_rules (
  from_state tasker.step_state,
  to_state   tasker.step_state not null,
  actor      tasker.actor not null,
  meaning    text not null,
  constraint one_rule_per_step_move unique nulls not distinct (from_state, to_state, actor));
comment on table tasker.workflow_step_transition_rules is
  'The allowed moves of a step and their actors; from_state null is creation.';

insert into tasker.task_transition_rules (from_state, to_state, actor, meaning)
values (null, 'pending', 'orchestrator', 'created'),
       ('pending', 'initializing', 'orchestrator', 'started'),
       ('pending', 'error', 'orchestrator', 'the context does not fit the input schema'),
       ('initializing', 'enqueuing_steps', 'orchestrator', 'ready steps found'),
       ('initializing', 'waiting_for_dependencies', 'orchestrator', 'no step can be enqueued yet'),
       ('enqueuing_steps', 'steps_in_process', 'orchestrator', 'steps enqueued'),
       ('steps_in_process', 'evaluating_results', 'orchestrator', 'no step is in flight'),
       ('evaluating_results', 'complete', 'orchestrator', 'every step is complete or resolved'),
       ('evaluating_results', 'enqueuing_steps', 'orchestrator', 'more steps are ready'),
       ('evaluating_results', 'waiting_for_dependencies', 'orchestrator',
        'no step can be enqueued yet'),
       ('evaluating_results', 'waiting_for_retry', 'orchestrator', 'only delayed retries remain'),
       ('evaluating_results', 'blocked_by_failures', 'orchestrator', 'a step failed permanently'),
       ('evaluating_results', 'cancelled', 'orchestrator',
        'a cancel was requested and no step is in flight'),
       ('waiting_for_dependencies', 'evaluating_results', 'orchestrator', 'evaluated again'),
       ('waiting_for_retry', 'evaluating_results', 'orchestrator', 'evaluated again'),
       ('blocked_by_failures', 'evaluating_results', 'orchestrator', 'an operator acted on a step'),
       ('evaluating_results', 'error', 'recovery', 'stale'),
       ('evaluating_results', 'error', 'orchestrator', 'its compensation has ended'),
       ('pending', 'error', 'recovery', 'not started in time'),
       ('blocked_by_failures', 'error', 'operator', 'failed by an operator'),
       ('blocked_by_failures', 'resolved_manually', 'operator', 'closed by an operator'),
       ('error', 'resolved_manually', 'operator', 'closed by an operator'),
       ('error', 'evaluating_results', 'operator', 'retried by an operator'),
       ('pending', 'cancelled', 'orchestrator', 'cancelled before it started');

insert into tasker.workflow_step_transition_rules (from_state, to_state, actor, meaning)
values (null, 'pending', 'orchestrator', 'created'),
       ('pending', 'enqueued', 'orchestrator', 'handoff: offered to the workers'),
       ('waiting_for_retry', 'enqueued', 'orchestrator', 'handoff of a retry that is due'),
       ('enqueued', 'in_progress', 'worker', 'claimed'),
       ('in_progress', 'enqueued_for_orchestration', 'worker', 'result submission of a success'),
       ('in_progress', 'enqueued_as_error_for_orchestration', 'worker',
        'result submission of a failure'),
       ('in_progress', 'cancelled', 'worker', 'the handler stopped on a cancel request'),
       ('in_progress', 'pending', 'worker', 'released before it started'),
       ('in_progress', 'waiting_for_retry', 'worker', 'yielded, and continues later'),
       ('enqueued_for_orchestration', 'complete', 'orchestrator', 'success accepted'),
       ('enqueued_for_orchestration', 'error', 'orchestrator', 'cannot be processed'),
       ('enqueued_as_error_for_orchestration', 'waiting_for_retry', 'orchestrator',
        'will be retried'),
       ('enqueued_as_error_for_orchestration', 'error', 'orchestrator', 'failed permanently'),
       ('enqueued_as_error_for_orchestration', 'cancelled', 'orchestrator',
        'would be retried, but a cancel was requested'),
       ('pending', 'cancelled', 'orchestrator', 'cancelled before the handoff'),
       ('enqueued', 'cancelled', 'orchestrator', 'offer revoked by a cancel'),
       ('waiting_for_retry', 'cancelled', 'orchestrator', 'cancelled before its retry'),
       ('pending', 'error', 'orchestrator', 'cannot be handed off, or decided'),
       ('pending', 'complete', 'orchestrator',
        'decided by its rules, cut into batches, or its batch is closed'),
       ('enqueued', 'pending', 'recovery', 'offer not claimed in time'),
       ('enqueued', 'error', 'recovery', 'offer not claimed in time, no attempt left'),
       ('in_progress', 'pending', 'recovery', 'lease expired'),
       ('in_progress', 'error', 'recovery', 'lease expired, no attempt left'),
       ('in_progress', 'cancelled', 'recovery', 'lease expired after a cancel request'),
       ('error', 'pending', 'operator', 'reset for retry'),
       ('error', 'complete', 'operator', 'completed by an operator'),
       ('error', 'resolved_manually', 'operator', 'closed by an operator'),
       ('pending', 'complete', 'operator', 'completed by an operator'),
       ('pending', 'resolved_manually', 'operator', 'closed by an operator'),
       ('waiting_for_retry', 'pending', 'operator', 'reset for retry'),
       ('waiting_for_retry', 'complete', 'operator', 'completed by an operator'),
       ('waiting_for_retry', 'resolved_manually', 'operator', 'closed by an operator'),
       ('complete', 'pending', 'operator', 'reset to run again'),
       ('resolved_manually', 'pending', 'operator', 'reset to run again');
