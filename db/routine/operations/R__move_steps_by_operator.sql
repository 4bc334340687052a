-- The common part of all operator actions on steps: moves steps of one task to pending, complete or resolved_manually, with
-- history, result, the task's counters and the children's. The consequences for the task are evaluate_tasks's, which every
-- caller calls in the same transaction.
-- A step that becomes pending gets its attempts back: max_attempts counts from the present number, which stays, because it
-- is the fence. p_metadata is the history's; p_result is that of a completion.
-- Locks: the steps; the caller holds the task and has read the steps under its lock. Errors: TK005 when the rules do not
-- allow a move. Returns how many moved. Source: design section 3, ADR 0015.
create or replace function tasker.move_steps_by_operator(
  p_task_uuid uuid, p_step_uuids uuid[], p_to tasker.step_state, p_metadata jsonb, p_result jsonb, p_server_uuid uuid,
  p_now timestamptz)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_moved int;
begin
  with chosen as (
    select s.workflow_step_uuid, s.state as from_state
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (p_step_uuids) and s.task_uuid = p_task_uuid
    order by s.workflow_step_uuid
    for no key update),
  moved as (
    update tasker.workflow_steps s
    set state = p_to,
        transition_count = s.transition_count + 1,
        attempts_before_reset = case when p_to = 'pending' then s.attempts else s.attempts_before_reset end,
        next_retry_at = null,
        completed_at = case when p_to <> 'pending' then p_now end,
        result_sort_key = case when p_to = 'complete' then s.transition_count + 1 else s.result_sort_key end
    from chosen c
    where s.workflow_step_uuid = c.workflow_step_uuid
    returning s.workflow_step_uuid, s.handoffs, s.attempts, s.transition_count, c.from_state),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome, result)
    select m.workflow_step_uuid, m.transition_count, p_task_uuid, p_server_uuid, p_now, m.handoffs, m.attempts, 'manual_completion', p_result
    from moved m where p_to = 'complete'),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt, processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, p_task_uuid, m.from_state, p_to, 'operator', m.handoffs, m.attempts, p_server_uuid,
           nullif(p_metadata, '{}')
    from moved m),
  counted as (
    update tasker.tasks t
    set unfinished_steps = t.unfinished_steps + d.unfinished, failed_steps = t.failed_steps - d.failed,
        retrying_steps = t.retrying_steps - d.retrying
    from (select count(*)::int as moved,
                 (count(*) filter (where p_to = 'pending' and m.from_state in ('complete', 'resolved_manually'))
                  - count(*) filter (where p_to <> 'pending'))::int as unfinished,
                 (count(*) filter (where m.from_state = 'error'))::int as failed,
                 (count(*) filter (where m.from_state = 'waiting_for_retry'))::int as retrying
          from moved m) d
    where t.task_uuid = p_task_uuid and d.moved > 0)
  select count(*)::int into v_moved from moved;

  -- Recounted instead of adjusted: the call is rare, and a recount is right for every kind of move.
  update tasker.workflow_steps s set remaining_parents = r.remaining
  from (
    select e.to_step_uuid, (count(*) filter (where p.state not in ('complete', 'resolved_manually')))::int as remaining
    from tasker.workflow_step_edges e
    join tasker.workflow_steps p on p.workflow_step_uuid = e.from_step_uuid
    where e.to_step_uuid in (select c.to_step_uuid from tasker.workflow_step_edges c where c.from_step_uuid = any (p_step_uuids))
    group by e.to_step_uuid) r
  where s.workflow_step_uuid = r.to_step_uuid and s.remaining_parents <> r.remaining;
  return v_moved;
end
$$;
comment on function tasker.move_steps_by_operator(uuid, uuid[], tasker.step_state, jsonb, jsonb, uuid, timestamptz) is
  'The common part of all operator actions on steps: moves steps of one task to pending, complete or resolved_manually.';
