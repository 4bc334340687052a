-- Ends steps that the engine completes itself: pending to complete with a result, or to error with
-- an error. A failure is counted on its task at once, because it decides which other steps of the
-- task may start.
-- p_ends: [{step_uuid, result}] or [{step_uuid, error}]; each step once, and pending.
-- Locks: the steps; the caller holds their tasks. Returns what the caller has to roll up. Source:
-- design section 13.
create or replace function tasker.end_automatic_steps(
  p_ends jsonb, p_server_uuid uuid, p_now timestamptz)
returns tasker.task_delta[]
language plpgsql
set search_path = ''
as $$
declare
  v_deltas tasker.task_delta[];
  v_failed int;
begin
  with given as materialized (
    select e.step_uuid, e.result, nullif(e.error, 'null') as error
    from jsonb_to_recordset(p_ends) as e(step_uuid uuid, result jsonb, error jsonb)),
  moved as (
    update tasker.workflow_steps s
    set state = case when g.error is null then 'complete' else 'error' end::tasker.step_state,
        remaining_parents = 0,
        transition_count = s.transition_count + 1, result_sort_key = s.transition_count + 1,
        completed_at = p_now,
        last_failure_at = case when g.error is null then s.last_failure_at else p_now end
    from given g
    where s.workflow_step_uuid = g.step_uuid and s.state = 'pending'
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              s.state, coalesce(s.publishes_events, false) as may_publish, g.result, g.error),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome,
       result, error, may_publish)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, p_server_uuid, p_now, m.handoffs,
           m.attempts,
           case when m.error is null then 'success'
                else 'permanent_failure' end::tasker.step_outcome,
           case when m.error is null then m.result end, m.error, m.may_publish
    from moved m),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'pending', m.state,
           'orchestrator', m.handoffs, m.attempts, p_server_uuid,
           case
             when m.error is not null then jsonb_build_object('error_type', m.error ->> 'type') end
    from moved m)
  select array_agg((m.task_uuid, 0, case when m.error is null then -1 else 0 end, 0,
                    0)::tasker.task_delta),
         (count(*) filter (where m.error is not null))::int into v_deltas, v_failed
  from moved m;
  if coalesce(cardinality(v_deltas), 0) <> jsonb_array_length(p_ends) then
    raise exception '% of % steps that were to end are not pending',
      jsonb_array_length(p_ends) - coalesce(cardinality(v_deltas), 0), jsonb_array_length(p_ends);
  end if;
  if v_failed > 0 then
    update tasker.tasks t set failed_steps = t.failed_steps + f.steps
    from (select d.task_uuid, count(*)::int as steps
          from unnest(v_deltas) d
          where d.unfinished = 0
          group by d.task_uuid) f
    where t.task_uuid = f.task_uuid;
  end if;
  return coalesce(v_deltas, '{}');
end
$$;
comment on function tasker.end_automatic_steps(jsonb, uuid, timestamptz) is
  'Ends steps that the engine completes itself: pending to complete with a result, or to error '
  'with an error.';
