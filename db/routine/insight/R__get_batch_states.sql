-- The states of the workers of a batch as one letter for each, in the order of the batches, those
-- behind p_after and at most p_limit, so that a picture of ten thousand workers needs no row for
-- each: w waits or is not created yet, o offered, r running or its result being processed, t waits
-- for a retry, c complete, m resolved manually, f error, x cancelled. Null when there is no such
-- batch.
-- Locks: none. Cost: the workers of the range. Source: ADR 0059.
create or replace function tasker.get_batch_states(
  p_batch_step_uuid uuid, p_after int default 0, p_limit int default 10000)
returns text
language sql stable
set search_path = ''
as $$
  select (select coalesce(string_agg(coalesce(
                                       case s.state
                                         when 'pending' then 'w'
                                         when 'enqueued' then 'o'
                                         when 'waiting_for_retry' then 't'
                                         when 'complete' then 'c'
                                         when 'resolved_manually' then 'm'
                                         when 'error' then 'f'
                                         when 'cancelled' then 'x'
                                         when 'in_progress' then 'r'
                                         when 'enqueued_for_orchestration' then 'r'
                                         when 'enqueued_as_error_for_orchestration' then 'r' end,
                                       'w'),
                                     '' order by n.batch_number),
                          '')
          from generate_series(p_after + 1,
                               least(b.total_workers, p_after + p_limit)) as n (batch_number)
          left join tasker.workflow_steps s on s.task_uuid = b.task_uuid
            and s.step_position = b.first_position + n.batch_number - 1
            and s.batch_step_uuid = b.workflow_step_uuid)
  from tasker.batches b
  where b.workflow_step_uuid = p_batch_step_uuid
$$;
comment on function tasker.get_batch_states(uuid, int, int) is
  'The states of the workers of a batch as one letter for each, in the order of the batches, '
  'those behind p_after and at most p_limit.';
