-- explain_waiting as the REST interface shows it: {task_uuid, state, next_wake_at, explanation,
-- waiting: [...]}; explanation is that of diagnose_task, at the same moment; null when there is no
-- such task. p_shows_context: false leaves out the value of a concurrency key, which is part of the
-- context, from sentence and details.
-- p_shows_errors: false leaves out the error that a handler reported.
create or replace function tasker.get_waiting_document(
  p_task_uuid uuid, p_shows_context boolean default true, p_shows_errors boolean default true)
returns jsonb
language plpgsql stable
set search_path = '' set timezone = 'UTC'
as $$
begin
  return (
    select jsonb_build_object(
             'task_uuid', t.task_uuid, 'state', t.state, 'next_wake_at', w.wake_at,
             'explanation', tasker.diagnose_task(t.task_uuid),
             'waiting', (select coalesce(jsonb_agg(jsonb_build_object(
                                                     'step_uuid', e.workflow_step_uuid,
                                                     'name', e.step_name, 'state', e.state,
                                                     'cause', e.cause, 'sentence', e.sentence,
                                                     'details', e.details) order by e.step_position,
                                                   e.workflow_step_uuid),
                                         '[]')
                         from tasker.explain_waiting_steps(
                           array[t.task_uuid], null, false, p_shows_context, p_shows_errors) e))
    from tasker.tasks t
    left join tasker.task_wakeups w on w.task_uuid = t.task_uuid
    where t.task_uuid = p_task_uuid);
end
$$;
comment on function tasker.get_waiting_document(uuid, boolean, boolean) is
  'explain_waiting as the REST interface shows it; null when there is no such task.';
