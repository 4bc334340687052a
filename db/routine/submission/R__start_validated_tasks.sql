-- Starts the unchecked tasks whose context is valid; the others end in error, with the violations
-- in the history.
-- p_verdicts: array of {task_uuid, violations: [..], reason}; no violations means that the context
-- is valid; the reason of the others is context_violates_input_schema unless it says another one
-- (context_not_validated: finding out took too much work).
-- Returns as evaluate_tasks. Locks: tasks by uuid.
create or replace function tasker.start_validated_tasks(
  p_verdicts jsonb, p_server_uuid uuid, p_claim_limit int default 0, p_lease_seconds int default 60,
  p_now timestamptz default null)
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

  with refused as (
    update tasker.tasks t
    set state = 'error', context_checked = true, transition_count = t.transition_count + 1,
        completed_at = coalesce(p_now, clock_timestamp())
    where t.task_uuid = any (v_bad) and t.state = 'pending' and not t.context_checked
    returning t.task_uuid, t.transition_count),
  asleep as (delete from tasker.task_wakeups w using refused r where w.task_uuid = r.task_uuid)
  insert into tasker.task_transitions
    (task_uuid, sort_key, from_state, to_state, actor, processor_uuid, metadata)
  select r.task_uuid, r.transition_count, 'pending', 'error', 'orchestrator', p_server_uuid,
         jsonb_build_object('reason', coalesce(v.reason, 'context_violates_input_schema'),
                            'violations', v.violations)
  from refused r
  join jsonb_to_recordset(p_verdicts) as v(task_uuid uuid, violations jsonb, reason text)
    on v.task_uuid = r.task_uuid;

  update tasker.tasks t set context_checked = true
  where t.task_uuid = any (v_good) and not t.context_checked;
  return tasker.evaluate_tasks(
    coalesce(v_good, '{}'), p_server_uuid, p_claim_limit, p_lease_seconds,
    p_now) || jsonb_build_object('tasks', jsonb_array_length(p_verdicts));
end
$$;
comment on function tasker.start_validated_tasks(jsonb, uuid, int, int, timestamptz) is
  'Starts the unchecked tasks whose context is valid; the others end in error.';
