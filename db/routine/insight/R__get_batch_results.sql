-- The workers of a batch and their results by page, in the order of the batches: those behind
-- p_after, at most p_limit. p_state: only those in that state. A batch whose worker has not been
-- created has no row. No row when there is no such batch.
-- Locks: none. Cost: the page; with p_state, the workers up to its end. Source: ADR 0039.
create or replace function tasker.get_batch_results(
  p_batch_step_uuid uuid, p_after int default 0, p_limit int default 100, p_state text default null)
returns table (batch_number int, batch_id text, workflow_step_uuid uuid, step_name text,
               state tasker.step_state, attempts int, result jsonb, error jsonb)
language sql stable
set search_path = ''
as $$
  select s.step_position - b.first_position + 1,
         tasker.format_batch_id(s.step_position - b.first_position + 1, b.total_workers),
         s.workflow_step_uuid, s.name::text, s.state, s.attempts,
         case when r.success then r.result end,
         case when s.state in ('error', 'waiting_for_retry') then r.error end
  from tasker.batches b
  join tasker.workflow_steps s on s.task_uuid = b.task_uuid
    -- Without a filter the page has as many numbers as rows: no more is read, whatever the plan.
    and s.step_position > b.first_position + p_after - 1
    and s.step_position < b.first_position + least(
      b.created_workers::bigint, case when p_state is null then p_after::bigint + p_limit end)
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    and r.sort_key = s.result_sort_key
  where b.workflow_step_uuid = p_batch_step_uuid and (p_state is null or s.state::text = p_state)
  order by s.step_position
  limit p_limit
$$;
comment on function tasker.get_batch_results(uuid, int, int, text) is
  'The workers of a batch and their results by page, in the order of the batches.';
