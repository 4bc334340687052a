-- Gives a fork what its source has finished: each step of the fork that is ready and that is done
-- in the source, and is not among p_rerun, takes the state and the result of the source's step, and
-- what follows from it, until there is none. Copied decisions choose what they chose in the source.
-- A batchable step is copied together with its batch step only, and then without the batch's
-- workers. Each move is in the history as one of the operator's, with the step that it was copied
-- from.
-- p_rerun: the steps of the source that are not copied, with all that follow from them. p_history:
-- as the metadata of move_steps_by_operator.
-- Locks: the steps of the fork; the caller has just created it and holds its source. Returns how
-- many steps were copied. Source: ADR 0048.
create or replace function tasker.copy_finished_steps(
  p_source_uuid uuid, p_task_uuid uuid, p_rerun uuid[], p_history jsonb, p_server_uuid uuid,
  p_now timestamptz)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_step   record;
  v_copied int := 0;
  v_before int;
begin
  loop
    v_before := v_copied;
    for v_step in
      select f.workflow_step_uuid, s.workflow_step_uuid as source_step_uuid, s.state, f.is_decision,
             o.chosen, r.result
      from tasker.workflow_steps f
      join tasker.workflow_steps s on s.task_uuid = p_source_uuid
        and s.step_position = f.step_position
        and s.name is null
      left join tasker.decision_outcomes o on o.workflow_step_uuid = s.workflow_step_uuid
      left join tasker.batches b on b.batchable_step_uuid = s.workflow_step_uuid
      left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
        and r.sort_key = s.result_sort_key
      where f.task_uuid = p_task_uuid
        and f.name is null
        and f.state = 'pending'
        and f.remaining_parents = 0
        and tasker.step_ended_well(s.state)
        and s.workflow_step_uuid <> all (p_rerun)
        and (b.workflow_step_uuid is null
             or b.closed_at is not null and b.workflow_step_uuid <> all (p_rerun))
      order by f.step_position
    loop
      perform tasker.move_steps_by_operator(
        p_task_uuid, array[v_step.workflow_step_uuid], v_step.state,
        p_history || jsonb_build_object(
          'metadata', jsonb_build_object(
            'task_uuid', p_source_uuid, 'step_uuid', v_step.source_step_uuid)) || case
          when v_step.is_decision and v_step.state = 'complete' then
            jsonb_build_object('decision', to_jsonb(v_step.chosen))
          else '{}' end,
        case when v_step.state = 'complete' then v_step.result end, p_server_uuid, p_now);
      v_copied := v_copied + 1;
    end loop;
    exit when v_copied = v_before;
  end loop;
  return v_copied;
end
$$;
comment on function tasker.copy_finished_steps(uuid, uuid, uuid[], jsonb, uuid, timestamptz) is
  'Copies the finished steps of its source into a fork, except those that run again and what '
  'follows from them.';
