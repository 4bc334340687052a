-- The inputs of the step that undoes a worker of a batch: those of the worker, with {compensates,
-- step_uuid, completed, result}, compensates being its name.
-- Locks: none; the caller holds the task. Source: ADR 0056.
create or replace function tasker.get_undo_inputs(p_step_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select coalesce(d.inputs, '{}')
                 || jsonb_build_object('compensates', w.name, 'step_uuid', w.workflow_step_uuid,
                                       'completed', w.state = 'complete', 'result', r.result)
          from tasker.workflow_steps w
          left join tasker.workflow_step_documents d on d.workflow_step_uuid = w.workflow_step_uuid
          left join tasker.workflow_step_result_audit r on w.state = 'complete'
            and r.workflow_step_uuid = w.workflow_step_uuid
            and r.sort_key = w.result_sort_key
          where w.workflow_step_uuid = p_step_uuid);
end
$$;
comment on function tasker.get_undo_inputs(uuid) is
  'The inputs of the step that undoes a worker of a batch.';
