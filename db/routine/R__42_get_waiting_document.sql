-- explain_waiting as the REST interface shows it: {task_uuid, state, next_wake_at, waiting: [...]}; null when there is no such
-- task. Called by Operations.
create or replace function tasker.get_waiting_document(p_task_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select jsonb_build_object('task_uuid', t.task_uuid, 'state', t.state, 'next_wake_at', w.wake_at,
      'waiting', (select coalesce(jsonb_agg(jsonb_build_object('step_uuid', e.workflow_step_uuid, 'name', e.step_name, 'state', e.state,
                    'cause', e.cause, 'sentence', e.sentence, 'details', e.details)), '[]') from tasker.explain_waiting(t.task_uuid) e))
    from tasker.tasks t left join tasker.task_wakeups w on w.task_uuid = t.task_uuid where t.task_uuid = p_task_uuid);
end
$$;
comment on function tasker.get_waiting_document(uuid) is 'explain_waiting as the REST interface shows it.';
