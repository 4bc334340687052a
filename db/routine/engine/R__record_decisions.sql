-- Stores the choices of decisions whose success has been accepted, for the completion to carry out:
-- in the same transaction where the caller settles the results, otherwise in the orchestrator's.
-- p_results: as judge_decisions returns them. p_accepted: the steps whose result was accepted.
-- Locks: none; a step has one accepted result at a time, and a decision that has been carried out
-- is not reset.
create or replace function tasker.record_decisions(
  p_results jsonb, p_accepted uuid[], p_now timestamptz default null)
returns void
language sql
set search_path = ''
as $$
  insert into tasker.decision_outcomes as o
    (workflow_step_uuid, task_uuid, decided_at, handoff, depth, chosen, reason)
  select s.workflow_step_uuid, s.task_uuid, coalesce(p_now, clock_timestamp()), s.handoffs,
         case when n.growth_rank is null then 1
              else tasker.calculate_decision_depth(s.workflow_step_uuid) end,
         array(select jsonb_array_elements_text(r.decision)), null
  from jsonb_to_recordset(p_results) as r(step_uuid uuid, handoff int, outcome tasker.step_outcome,
                                          decision jsonb)
  join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid and s.handoffs = r.handoff
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  where tasker.outcome_ends_well(r.outcome) and s.is_decision and r.step_uuid = any (p_accepted)
  -- An earlier handoff had decided, and an orchestrator could not process it.
  on conflict (workflow_step_uuid) do update
    set decided_at = excluded.decided_at, handoff = excluded.handoff, depth = excluded.depth,
        chosen = excluded.chosen, reason = null
  where o.created_steps is null
$$;
comment on function tasker.record_decisions(jsonb, uuid[], timestamptz) is
  'Stores the choices of decisions whose success has been accepted, for the completion to carry '
  'out.';
