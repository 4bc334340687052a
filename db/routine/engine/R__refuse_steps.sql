-- Ends steps that found a fail_fast policy full at their first handoff: error, with a result that
-- names the limit. Counts the failure at once, because it decides which other steps of the task may
-- start; the caller rolls up the task.
-- Locks: the steps; the caller holds their tasks. Source: ADR 0013.
create or replace function tasker.refuse_steps(
  p_step_uuids uuid[], p_reasons text[], p_server_uuid uuid, p_now timestamptz)
returns void
language plpgsql
set search_path = ''
as $$
begin
  perform tasker.apply_step_moves(
    (select array_agg((s.workflow_step_uuid, s.handoffs, 'pending', 'error', 'orchestrator',
                       '{"error_type": "concurrency_limit"}', 'permanent_failure', null,
                       jsonb_build_object('type', 'concurrency_limit', 'message', r.reason),
                       p_server_uuid, null)::tasker.step_move)
     from unnest(p_step_uuids, p_reasons) as r(step_uuid, reason)
     join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid),
    p_server_uuid, p_now, true);
  perform tasker.recount_batches(
    array(select distinct s.task_uuid
          from tasker.workflow_steps s
          where s.workflow_step_uuid = any (p_step_uuids) and s.batch_step_uuid is not null));
end
$$;
comment on function tasker.refuse_steps(uuid[], text[], uuid, timestamptz) is
  'Ends steps that found a fail_fast policy full at their first handoff.';
