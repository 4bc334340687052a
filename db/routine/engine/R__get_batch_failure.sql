-- The error of a batch step of which more workers have failed than it tolerates: {type:
-- batch_failed, message, details: {total, done, failed, tolerate, failures}}: as they are when it
-- is decided; workers that run then may still fail.
-- Locks: none. Source: ADR 0039.
create or replace function tasker.get_batch_failure(p_batch_step_uuid uuid)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'type', 'batch_failed',
           -- Without the number: more may fail while the batch ends.
           'message', case b.tolerate
             when 0 then format('a worker of %s failed, and none may', b.total_workers)
             else format('more than %s of %s workers failed', b.tolerate, b.total_workers) end,
           'details', jsonb_build_object(
             'total', b.total_workers, 'done', b.done_workers, 'failed', b.failed_workers,
             'tolerate', b.tolerate,
             'failures', (select jsonb_agg(jsonb_build_object(
                                             'batch_id', r.batch_id, 'type', r.error ->> 'type',
                                             'message', left(r.error ->> 'message',
                                                             200)) order by r.batch_number)
                          from tasker.get_batch_results(b.workflow_step_uuid, 0, 100, 'error') r)))
  from tasker.batches b
  where b.workflow_step_uuid = p_batch_step_uuid
$$;
comment on function tasker.get_batch_failure(uuid) is
  'The error of a batch step of which more workers have failed than it tolerates.';
