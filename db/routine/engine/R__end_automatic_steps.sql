-- Ends steps that the engine completes itself: pending to complete with a result, or to error with
-- an error. A failure is counted on its task at once, because it decides which other steps of the
-- task may start.
-- p_ends: [{step_uuid, result}] or [{step_uuid, error}]; each step once, and pending.
-- Locks: the steps; the caller holds their tasks. Returns what the caller has to roll up.
create or replace function tasker.end_automatic_steps(
  p_ends jsonb, p_server_uuid uuid, p_now timestamptz)
returns tasker.task_delta[]
language plpgsql
set search_path = ''
as $$
declare
  v_moved  uuid[];
  v_deltas tasker.task_delta[];
begin
  select m.o_moved, m.o_deltas into v_moved, v_deltas
  from tasker.apply_step_moves(
    (select array_agg((e.step_uuid, s.handoffs, 'pending',
                       case when r.error is null then 'complete' else 'error' end, 'orchestrator',
                       case when r.error is not null then
                              jsonb_build_object('error_type', r.error ->> 'type') end,
                       case when r.error is null then 'success' else 'permanent_failure' end,
                       case when r.error is null then e.result end, r.error, p_server_uuid,
                       null)::tasker.step_move)
     from jsonb_to_recordset(p_ends) as e(step_uuid uuid, result jsonb, error jsonb)
     cross join lateral (select nullif(e.error, 'null') as error) r
     join tasker.workflow_steps s on s.workflow_step_uuid = e.step_uuid),
    p_server_uuid, p_now) m;
  if cardinality(v_moved) <> jsonb_array_length(p_ends) then
    raise exception '% of % steps that were to end are not pending',
      jsonb_array_length(p_ends) - cardinality(v_moved), jsonb_array_length(p_ends);
  end if;
  return v_deltas;
end
$$;
comment on function tasker.end_automatic_steps(jsonb, uuid, timestamptz) is
  'Ends steps that the engine completes itself: pending to complete with a result, or to error '
  'with an error.';
