-- Checks the choices among submitted results: p_results of complete_steps, in which a success of a
-- decision whose choice is wrong has become a permanent failure of the type invalid_decision; and
-- the batches, as judge_batches. Null when no result is of a decision or of a batchable step and
-- none has a choice or batches, which is the rule.
-- Locks: none; the caller holds the tasks where it settles the results.
create or replace function tasker.judge_decisions(p_results jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_complaints jsonb;
begin
  if not exists (
      select from jsonb_to_recordset(
        p_results) as r(step_uuid uuid, decision jsonb, batches jsonb)
      left join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
      where s.is_decision or r.decision is not null or s.is_batchable or r.batches is not null) then
    return null;
  end if;
  p_results := tasker.judge_batches(p_results);
  with given as materialized (
    select r.step_uuid, coalesce(r.decision, 'null') as chosen, s.named_step_uuid,
           n.growth_rank is not null
             or nt.total_steps - nt.initial_steps > nt.max_steps_per_decision as has_limits
    from jsonb_to_recordset(
      p_results) as r(step_uuid uuid, outcome tasker.step_outcome, decision jsonb)
    join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
    join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    where tasker.outcome_ends_well(r.outcome) and (s.is_decision or r.decision is not null)),
  -- Many tasks of one template choose the same.
  choices as materialized (
    select c.named_step_uuid, c.chosen,
           tasker.check_choice(c.named_step_uuid, c.chosen) as complaint
    from (select distinct g.named_step_uuid, g.chosen from given g) c),
  judged as (
    select g.step_uuid,
           coalesce(c.complaint,
                    case when g.has_limits then
                           tasker.check_decision(g.step_uuid, g.chosen, true) end) as complaint
    from given g
    join choices c on c.named_step_uuid = g.named_step_uuid and c.chosen = g.chosen)
  select jsonb_object_agg(j.step_uuid, j.complaint) into v_complaints
  from judged j
  where j.complaint is not null;
  if v_complaints is null then
    return p_results;
  end if;
  return (
    select jsonb_agg(case when tasker.outcome_ends_well(
                              (g.value ->> 'outcome')::tasker.step_outcome)
                            and v_complaints ? lower(g.value ->> 'step_uuid') then
                            g.value || jsonb_build_object(
                              'outcome', 'permanent_failure',
                              'error', jsonb_build_object(
                                'type', 'invalid_decision',
                                'message', v_complaints ->> lower(g.value ->> 'step_uuid'),
                                'details', jsonb_build_object('decision', g.value -> 'decision')))
                          else g.value end order by g.ordinality)
    from jsonb_array_elements(p_results) with ordinality as g);
end
$$;
comment on function tasker.judge_decisions(jsonb) is
  'Checks the choices in submitted results; an invalid one makes its result a permanent failure.';
