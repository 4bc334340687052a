-- The batches of a task as the REST interface shows them, a JSON array in the order of the
-- template: {step, step_uuid, batchable_step, state, total, created, in_flight, done, failed,
-- waiting, cancelled, parallelism, failure_strategy, tolerate, recorded_at, closed_at}. waiting are
-- workers that are not created yet or wait for a retry or another handoff, so that of an open batch
-- the five make up the total; total less created are still to be created. A batchable step that has
-- not made its batches has none. Empty when there is no such task.
-- Locks: none. Source: ADR 0039.
create or replace function tasker.get_batch_documents(p_task_uuid uuid)
returns jsonb
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
                              'step', ns.name, 'step_uuid', b.workflow_step_uuid,
                              'batchable_step', bn.name, 'state', s.state, 'total', b.total_workers,
                              'created', b.created_workers, 'in_flight', b.in_flight_workers,
                              'done', b.done_workers, 'failed', b.failed_workers,
                              'cancelled', b.cancelled_workers,
                              'waiting', case when b.closed_at is null then b.total_workers
                                              else b.created_workers end - b.in_flight_workers
                                - b.done_workers - b.failed_workers - b.cancelled_workers,
                              'parallelism', b.parallelism, 'failure_strategy', b.failure_strategy,
                              'tolerate', b.tolerate, 'recorded_at', b.recorded_at,
                              'closed_at', b.closed_at) order by s.step_position),
                  '[]')
  from tasker.batches b
  join tasker.workflow_steps s on s.workflow_step_uuid = b.workflow_step_uuid
  join tasker.named_steps ns on ns.named_step_uuid = s.named_step_uuid
  join tasker.workflow_steps p on p.workflow_step_uuid = b.batchable_step_uuid
  join tasker.named_steps bn on bn.named_step_uuid = p.named_step_uuid
  where b.task_uuid = p_task_uuid
$$;
comment on function tasker.get_batch_documents(uuid) is
  'The batches of a task as the REST interface shows them, a JSON array in the order of the '
  'template.';
