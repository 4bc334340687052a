-- Saves the checkpoint of a running step for a later attempt. False when the handoff is not the
-- latest one.
-- Errors: TK007 when the checkpoint is larger than check_checkpoint allows; nothing changes then.
-- Locks: the step.
create or replace function tasker.save_checkpoint(
  p_step_uuid uuid, p_handoff int, p_checkpoint jsonb)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  v_task_uuid uuid;
  v_complaint text := tasker.check_checkpoint(p_checkpoint);
begin
  if v_complaint is not null then
    raise exception '%', v_complaint using errcode = 'TK007';
  end if;
  select s.task_uuid into v_task_uuid from tasker.workflow_steps s
  where s.workflow_step_uuid = p_step_uuid and s.state = 'in_progress' and s.handoffs = p_handoff
  for no key update;
  if not found then
    return false;
  end if;
  insert into tasker.workflow_step_documents as d (workflow_step_uuid, task_uuid, checkpoint)
  values (p_step_uuid, v_task_uuid, p_checkpoint)
  on conflict (workflow_step_uuid) do update
    set checkpoint = excluded.checkpoint,
        document_hash = tasker.hash_documents(d.inputs, excluded.checkpoint);
  return true;
end
$$;
comment on function tasker.save_checkpoint(uuid, int, jsonb) is
  'Saves the checkpoint of a running step for a later attempt; false when the handoff is not the '
  'latest one.';
