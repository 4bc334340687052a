-- Whether the latest operator action on a task, or on one of its steps, is the same as this one:
-- same
-- action, same operator, same reason. A client that repeats a request because it lost the response
-- gets "already" and not a refusal. That documents were opened meanwhile changes nothing.
create or replace function tasker.is_repeated_action(
  p_task_uuid uuid, p_step_uuid uuid, p_action text, p_by text, p_reason text)
returns boolean
language sql stable
set search_path = ''
as $$
  select coalesce((
    select (a.action, a.acted_by, a.reason) = (p_action, p_by, p_reason)
    from tasker.operator_actions a
    where a.task_uuid = p_task_uuid
      and (p_step_uuid is null or a.workflow_step_uuid = p_step_uuid)
      and a.action <> 'open_documents'
    order by a.acted_at desc, a.action_uuid desc limit 1), false)
$$;
comment on function tasker.is_repeated_action(uuid, uuid, text, text, text) is
  'Whether the latest operator action on a task, or on one of its steps, is the same as this one.';
