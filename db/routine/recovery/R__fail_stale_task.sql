-- Ends a stale task as error: offered and running steps move to error, so that a late result is
-- refused; steps that have not started keep their state, for an operator who retries the task.
-- Locks: the steps; the caller holds the task. Returns false when the task has ended or is blocked
-- already, or has a result that is not processed yet: it counts, and the next evaluation of the
-- task settles it.
-- Source: docs/templates.md.
create or replace function tasker.fail_stale_task(
  p_task_uuid uuid, p_metadata jsonb, p_server_uuid uuid, p_now timestamptz)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_task    tasker.tasks;
  v_offered uuid[];
  v_moves   tasker.step_move[];
begin
  select t.* into v_task from tasker.tasks t where t.task_uuid = p_task_uuid for no key update;
  if not found or v_task.completed_at is not null or v_task.state = 'blocked_by_failures' then
    return false;
  end if;
  -- First the locks: a server with the worker's role alone submits results without that of the
  -- task.
  perform s.workflow_step_uuid
  from tasker.workflow_steps s
  where s.workflow_step_uuid = any (array(select a.workflow_step_uuid
                                          from tasker.get_open_steps(p_task_uuid) a
                                          where tasker.step_is_handed_off(a.state)))
  order by s.workflow_step_uuid
  for no key update;
  if exists (select from tasker.get_open_steps(p_task_uuid) s
             where tasker.step_awaits_settlement(s.state)) then
    return false;
  end if;
  v_offered := array(select s.workflow_step_uuid
                     from tasker.get_open_steps(p_task_uuid) s
                     where s.state = 'enqueued');
  with offered_or_running as (
    select s.workflow_step_uuid, s.handoffs, s.state
    from tasker.workflow_steps s
    where s.workflow_step_uuid = any (array(select a.workflow_step_uuid
                                            from tasker.get_open_steps(p_task_uuid) a
                                            where tasker.step_is_handed_off(a.state)))
      and tasker.step_is_handed_off(s.state)
    order by s.workflow_step_uuid for no key update)
  select array_agg((o.workflow_step_uuid, o.handoffs, o.state, 'error', 'recovery',
                    '{"reason": "task_timed_out"}', 'permanent_failure', null,
                    jsonb_build_object('type', 'task_timed_out',
                                       'message', 'the task exceeded its time limit, and its '
                                                  'template fails such a task'),
                    p_server_uuid, null)::tasker.step_move) into v_moves
  from offered_or_running o;
  perform tasker.apply_step_moves(v_moves, p_server_uuid, p_now, true);
  if v_task.state not in ('pending', 'evaluating_results') then
    perform tasker.apply_task_moves(
      array[(p_task_uuid, v_task.state, 'evaluating_results', 'orchestrator',
             null)::tasker.task_change],
      p_server_uuid, p_now);
    v_task.state := 'evaluating_results';
  end if;
  perform tasker.apply_task_moves(
    array[(p_task_uuid, v_task.state, 'error', 'recovery', p_metadata)::tasker.task_change],
    p_server_uuid, p_now);
  perform tasker.cancel_waits(array[p_task_uuid], null, p_now);
  perform tasker.recount_batches(array[p_task_uuid]);
  perform tasker.withdraw_messages(v_offered);
  return true;
end
$$;
comment on function tasker.fail_stale_task(uuid, jsonb, uuid, timestamptz) is
  'Ends a stale task as error; offered and running steps move to error, so that a late result is '
  'refused.';
