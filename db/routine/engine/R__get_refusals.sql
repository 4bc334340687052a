-- The verdicts of refused results, a JSON array of {step_uuid, handoff, verdict} for those not
-- among p_accepted: ALREADY when the result of that handoff has already been submitted (also by the
-- same batch), STALE when it is not the current one, UNKNOWN when there is no such step.
create or replace function tasker.get_refusals(p_results jsonb, p_accepted uuid[])
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  if jsonb_array_length(p_results) = cardinality(p_accepted) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('step_uuid', r.step_uuid, 'handoff', r.handoff,
                                                 'verdict', case when s.workflow_step_uuid is
                                                                   null then 'UNKNOWN'
                                                                 when s.handoffs = r.handoff
                                                                   and (a.handoff is not null
                                                                        or d.yielded_handoff is not
                                                                          null) then 'ALREADY'
                                                                 else 'STALE' end)),
                    '[]')
    from (select g.*, row_number() over (partition by g.step_uuid, g.task_uuid, g.handoff) as n
          from jsonb_to_recordset(p_results) as g(step_uuid uuid, task_uuid uuid, handoff int)) r
    left join tasker.workflow_steps s on s.workflow_step_uuid = r.step_uuid
      and s.task_uuid = r.task_uuid
    left join tasker.workflow_step_result_audit a on a.workflow_step_uuid = s.workflow_step_uuid
      and a.sort_key = s.result_sort_key
      and a.handoff = r.handoff
    left join tasker.workflow_step_documents d on d.workflow_step_uuid = s.workflow_step_uuid
      and d.yielded_handoff = r.handoff
    where (r.step_uuid = any (p_accepted) and r.handoff = s.handoffs and r.n = 1) is not true);
end
$$;
comment on function tasker.get_refusals(jsonb, uuid[]) is
  'The verdicts of refused results, a JSON array of {step_uuid, handoff, verdict} for those not '
  'accepted.';
