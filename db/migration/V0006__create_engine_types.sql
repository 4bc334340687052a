-- breaking-change: no
-- Values that the engine's functions hand to each other.

create type tasker.task_delta as (task_uuid uuid, in_flight int, unfinished int, failed int, retrying int);
comment on type tasker.task_delta is 'By how much the step counters of a task change.';

create type tasker.task_request as (
  request_position int, task_uuid uuid, named_task_uuid uuid, identity_hash bytea, claim_order bigint,
  context_checked boolean, request jsonb);
comment on type tasker.task_request is 'One request of a batch on its way into the tables.';

create type tasker.step_handoff as (
  step_uuid uuid, task_uuid uuid, attempt smallint, is_claimed boolean, namespace varchar, claim_order bigint,
  correlation_id uuid);
comment on type tasker.step_handoff is 'One step that was just handed off, to a queue or straight to a worker.';
