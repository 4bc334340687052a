-- The output of an ended task, {output, error}: what its template's mapping gave when it ended; without a mapping the results of its leaves by
-- name, computed now, because results never change and most outputs are never asked for. Leaves are the steps that no step depends on, without the workers
-- of batches; those without a result are left out. error says why there is no output: expression_error, or output_too_large beyond 1 MiB.
-- Null for a task that is neither complete nor resolved manually, and for an unknown one.
-- Locks: none. Source: design section 13, ADR 0043.
create or replace function tasker.get_task_output(p_task_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_task   record;
  v_output jsonb;
begin
  select t.has_output, o.output, o.error into v_task
  from tasker.tasks t left join tasker.task_outputs o on o.task_uuid = t.task_uuid
  where t.task_uuid = p_task_uuid and t.state in ('complete', 'resolved_manually');
  if not found then
    return null;
  end if;
  if v_task.has_output then
    return jsonb_build_object('output', v_task.output, 'error', v_task.error);
  end if;
  select coalesce(jsonb_object_agg(coalesce(s.name, n.name), r.result) filter (where r.result is not null), '{}') into v_output
  from tasker.workflow_steps s
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key and r.success
  where s.task_uuid = p_task_uuid and s.step_position <= 1000000 and s.state = 'complete'
    and not exists (select from tasker.workflow_step_edges e where e.from_step_uuid = s.workflow_step_uuid);
  if octet_length(v_output::text) > 1048576 then
    return jsonb_build_object('output', null, 'error', jsonb_build_object('type', 'output_too_large',
      'message', format('the results of the leaves have %s bytes, and an output at most 1048576; choose from them with output', octet_length(v_output::text))));
  end if;
  return jsonb_build_object('output', v_output, 'error', null);
end
$$;
comment on function tasker.get_task_output(uuid) is
  'The output of an ended task: what its template''s mapping gave, or the results of its leaves by name.';
