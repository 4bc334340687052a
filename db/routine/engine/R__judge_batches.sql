-- Checks the batches among submitted results: p_results of complete_steps, in which a success of a
-- batchable step whose cursors are wrong has become a permanent failure of the type
-- invalid_batches.
-- Locks: none; the caller holds the tasks where it settles the results. Source: ADR 0039.
create or replace function tasker.judge_batches(p_results jsonb)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_complaints jsonb;
begin
  select jsonb_object_agg(j.step_uuid, j.complaint) into v_complaints
  from (select r.step_uuid, tasker.check_batches(s.named_step_uuid, r.batches) as complaint
        from jsonb_to_recordset(
          p_results) as r(step_uuid uuid, outcome tasker.step_outcome, batches jsonb)
        join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
        where tasker.outcome_ends_well(r.outcome) and (s.is_batchable or r.batches is not null)) j
  where j.complaint is not null;
  if v_complaints is null then
    return p_results;
  end if;
  return (select jsonb_agg(case when tasker.outcome_ends_well(
                                    (g.value ->> 'outcome')::tasker.step_outcome)
                                  and v_complaints ? lower(g.value ->> 'step_uuid') then
                                  g.value - 'batches' || jsonb_build_object(
                                    'outcome', 'permanent_failure',
                                    'error', jsonb_build_object(
                                      'type', 'invalid_batches',
                                      'message', v_complaints ->> lower(g.value ->> 'step_uuid')))
                                else g.value end order by g.ordinality)
          from jsonb_array_elements(p_results) with ordinality as g);
end
$$;
comment on function tasker.judge_batches(jsonb) is
  'Checks the batches in submitted results; an invalid one makes its result a permanent failure.';
