-- Starts the unchecked tasks whose context is valid; the others end in error, with the violations
-- in the history.
-- p_verdicts: array of {task_uuid, violations: [..], reason}; no violations means that the context
-- is valid; the reason of the others is context_violates_input_schema unless it says another one
-- (context_not_validated: finding out took too much work). With p_evaluate false the valid ones are
-- left to advance_due_tasks, because they are due: after the database gave up a call for one.
-- Returns as evaluate_tasks. Locks: tasks by uuid.
create or replace function tasker.start_validated_tasks(
  p_verdicts jsonb, p_server_uuid uuid, p_claim_limit int default 0, p_lease_seconds int default 60,
  p_now timestamptz default null, p_evaluate boolean default true)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_bad  uuid[];
  v_good uuid[];
begin
  select array_agg(v.task_uuid) filter (where jsonb_array_length(v.violations) > 0),
         array_agg(v.task_uuid) filter (where jsonb_array_length(v.violations) = 0)
    into v_bad, v_good
  from jsonb_to_recordset(p_verdicts) as v(task_uuid uuid, violations jsonb);
  perform tasker.lock_tasks(v_bad || v_good);

  v_bad := array(select t.task_uuid
                 from tasker.tasks t
                 where t.task_uuid = any (v_bad) and t.state = 'pending' and not t.context_checked);
  update tasker.tasks t set context_checked = true where t.task_uuid = any (v_bad);
  perform tasker.apply_task_moves(
    (select array_agg((v.task_uuid, 'pending', 'error', 'orchestrator',
                       jsonb_build_object('reason', coalesce(v.reason,
                                                             'context_violates_input_schema'),
                                          'violations', v.violations))::tasker.task_change)
     from jsonb_to_recordset(p_verdicts) as v(task_uuid uuid, violations jsonb, reason text)
     where v.task_uuid = any (v_bad)),
    p_server_uuid, coalesce(p_now, clock_timestamp()));

  update tasker.tasks t set context_checked = true
  where t.task_uuid = any (v_good) and not t.context_checked;
  return tasker.evaluate_tasks(
    case when p_evaluate then coalesce(v_good, '{}') else '{}' end, p_server_uuid, p_claim_limit,
    p_lease_seconds, p_now) || jsonb_build_object('tasks', jsonb_array_length(p_verdicts));
end
$$;
comment on function tasker.start_validated_tasks(jsonb, uuid, int, int, timestamptz, boolean) is
  'Starts the unchecked tasks whose context is valid; the others end in error.';
