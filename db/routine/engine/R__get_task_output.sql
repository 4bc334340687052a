-- The output of an ended task, {output, error}: what its template's mapping gave when it ended;
-- without a mapping the results of its leaves by name, computed now, because results never change
-- and most outputs are never asked for. Leaves are the steps that no step depends on, without the
-- workers of batches; those without a result are left out. error says why there is no output:
-- expression_error, or output_too_large beyond 1 MiB. Null for a task that is neither complete nor
-- resolved manually, and for an unknown one.
-- Locks: none. Source: ADR 0043. By keys, whatever plans its caller asks for: check_history calls
-- it for each child task.
create or replace function tasker.get_task_output(p_task_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_nestloop = on set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return (select jsonb_build_object('output', o.output, 'error', o.error)
          from tasker.get_task_outputs(array[p_task_uuid]) o);
end
$$;
comment on function tasker.get_task_output(uuid) is
  'The output of an ended task: what its template''s mapping gave, or the results of its leaves '
  'by name.';
