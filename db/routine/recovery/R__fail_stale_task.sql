-- Ends a stale task as error: offered and running steps move to error, so that a late result is
-- refused; steps that have not started keep their state, for an operator who retries the task.
-- Locks: the steps; the caller holds the task. Returns false when the task has ended or is blocked
-- already.
-- Source: docs/templates.md, lifecycle.
create or replace function tasker.fail_stale_task(
  p_task_uuid uuid, p_metadata jsonb, p_server_uuid uuid, p_now timestamptz)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_task    tasker.tasks;
  v_offered uuid[];
begin
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found or v_task.completed_at is not null or v_task.state = 'blocked_by_failures' then
    return false;
  end if;
  v_offered := array(select s.workflow_step_uuid
                     from tasker.get_open_steps(p_task_uuid) s
                     where s.state = 'enqueued');
  with offered_or_running as (
    select s.workflow_step_uuid, s.state as from_state
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (array(select a.workflow_step_uuid
                                            from tasker.get_open_steps(p_task_uuid) a
                                            where a.state in ('enqueued', 'in_progress')))
    order by s.workflow_step_uuid for no key update),
  moved as (
    update tasker.workflow_steps s
    set state = 'error', transition_count = s.transition_count + 1, lease_expires_at = null,
        completed_at = p_now, last_failure_at = p_now,
        result_sort_key = s.transition_count + 1
    from offered_or_running o
    where s.workflow_step_uuid = o.workflow_step_uuid
    returning s.workflow_step_uuid, s.handoffs, s.attempts, s.transition_count, o.from_state),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome,
       error)
    select m.workflow_step_uuid, m.transition_count, p_task_uuid, p_server_uuid, p_now, m.handoffs,
           m.attempts, 'permanent_failure',
           jsonb_build_object(
             'type', 'task_timed_out',
             'message', 'the task exceeded its time limit, and its template fails such a task')
    from moved m),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, p_task_uuid, m.from_state, 'error', 'recovery',
           m.handoffs, m.attempts, p_server_uuid, '{"reason": "task_timed_out"}'::jsonb
    from moved m),
  ended as (
    update tasker.tasks t
    set state = 'error', completed_at = p_now,
        transition_count = t.transition_count + case v_task.state when 'pending' then 1 else 2 end,
        in_flight_steps = t.in_flight_steps - n.moved, failed_steps = t.failed_steps + n.moved
    from (select count(*)::int as moved from moved) n
    where t.task_uuid = p_task_uuid
    returning t.transition_count)
  insert into tasker.task_transitions
    (task_uuid, sort_key, from_state, to_state, actor, processor_uuid, metadata)
  select p_task_uuid, e.transition_count - 1, v_task.state, 'evaluating_results'::tasker.task_state,
         'orchestrator'::tasker.actor, p_server_uuid, null::jsonb
  from ended e
  where v_task.state <> 'pending'
  union all
  select p_task_uuid, e.transition_count,
         case v_task.state when 'pending' then 'pending'
              else 'evaluating_results' end::tasker.task_state,
         'error', 'recovery', p_server_uuid, p_metadata
  from ended e;
  perform tasker.cancel_waits(array[p_task_uuid], null, p_now);
  perform tasker.recount_batches(array[p_task_uuid]);
  delete from tasker.task_wakeups w where w.task_uuid = p_task_uuid;
  perform tasker.withdraw_messages(v_offered);
  return true;
end
$$;
comment on function tasker.fail_stale_task(uuid, jsonb, uuid, timestamptz) is
  'Ends a stale task as error; offered and running steps move to error, so that a late result is '
  'refused.';
