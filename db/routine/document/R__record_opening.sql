-- Records, before it happens, that a caller opens what is sealed in the documents of a task, or of
-- one of its steps: in the history of the task, as open_documents.
-- p_step_uuid: null for the documents of the task.
-- Returns {outcome: done | refused, code?, message?}: task-not-found, step-not-found.
-- Locks: none but the new row. Errors: TK007 as check_action. Source: ADR 0095.
create or replace function tasker.record_opening(
  p_task_uuid uuid, p_step_uuid uuid, p_by text, p_reason text, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  perform tasker.check_action('open_documents', array['open_documents'], p_by, p_reason);
  if not exists (select from tasker.tasks t where t.task_uuid = p_task_uuid) then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  if p_step_uuid is not null
     and not exists (select from tasker.workflow_steps s
                     where s.workflow_step_uuid = p_step_uuid and s.task_uuid = p_task_uuid) then
    return tasker.refuse_unknown('step', p_step_uuid::text);
  end if;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, workflow_step_uuid)
  values (coalesce(p_now, clock_timestamp()), 'open_documents', p_by, p_reason, p_task_uuid,
          p_step_uuid);
  return '{"outcome": "done"}';
end
$$;
comment on function tasker.record_opening(uuid, uuid, text, text, timestamptz) is
  'Records that a caller opens what is sealed in the documents of a task, or of one of its steps.';
