-- Opens a dead letter for a task on an operator's request, with reason manual_dlq. The task
-- continues.
-- Returns {outcome, dlq_entry_uuid}: done, already when one is open, or refused with the code
-- task-not-found.
-- Locks: none but the new rows. Errors: TK007 as check_action.
create or replace function tasker.send_task_to_dlq(
  p_task_uuid uuid, p_by text, p_reason text, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_now   timestamptz := coalesce(p_now, clock_timestamp());
  v_entry uuid;
begin
  perform tasker.check_action('send_to_dlq', array['send_to_dlq'], p_by, p_reason);
  if not exists (select from tasker.tasks t where t.task_uuid = p_task_uuid) then
    return tasker.refuse_unknown('task', p_task_uuid::text);
  end if;
  v_entry := tasker.create_dlq_entry(
    p_task_uuid, 'manual_dlq',
    jsonb_build_object('by', coalesce(tasker.get_caller(), p_by), 'reason', p_reason), v_now);
  if v_entry is null then
    return jsonb_build_object(
      'outcome', 'already',
      'dlq_entry_uuid', (select d.dlq_entry_uuid
                         from tasker.tasks_dlq d
                         where d.task_uuid = p_task_uuid and d.resolution_status = 'pending'));
  end if;
  insert into tasker.operator_actions
    (acted_at, action, acted_by, reason, task_uuid, dlq_entry_uuid)
  values (v_now, 'send_to_dlq', p_by, p_reason, p_task_uuid, v_entry);
  return jsonb_build_object('outcome', 'done', 'dlq_entry_uuid', v_entry);
end
$$;
comment on function tasker.send_task_to_dlq(uuid, text, text, timestamptz) is
  'Opens a dead letter for a task on an operator''s request, with reason manual_dlq.';
