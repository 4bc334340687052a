-- What the erasure of a task leaves of the metadata of a move: what the proofs and the counters of
-- steps, batches and yields need, names of actions and of who acted. Of reasons only those that the
-- engine gives; every other member, which may quote a document, is dropped. Null when nothing is
-- left.
-- Source: docs/reference/personal-data.md.
create or replace function tasker.strip_metadata(p_metadata jsonb)
returns jsonb
language sql immutable parallel safe
as $$
  select jsonb_object_agg(
           m.key,
           case m.key when 'metadata' then jsonb_build_object('step_uuid', m.value -> 'step_uuid')
                else m.value end)
  from jsonb_each(case when jsonb_typeof(p_metadata) = 'object' then p_metadata else '{}' end) m
  where m.key in ('action', 'by', 'yield', 'stalled_yields', 'next_retry_at', 'checkpoint_bytes',
                  'execution_time_ms', 'new_idempotency_token', 'batch', 'batch_number', 'decision',
                  'compensates', 'parents', 'children', 'server', 'since', 'state', 'sqlstate',
                  'faults', 'policy', 'forced', 'threshold_minutes', 'stale_at')
    or (m.key = 'reason'
        and m.value #>> '{}' in ('yielded', 'lease_expired', 'task_timed_out', 'unclaimed',
                                 'worker_unavailable', 'queue_timeout', 'cannot_be_processed',
                                 'context_violates_input_schema', 'staleness_timeout'))
    or (m.key = 'metadata' and m.value ->> 'step_uuid' is not null)
$$;
comment on function tasker.strip_metadata(jsonb) is
  'What the erasure of a task leaves of the metadata of a move.';
