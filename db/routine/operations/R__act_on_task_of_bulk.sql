-- Acts on one task of a bulk action: act_on_task, or for close_dead_letters update_dlq_entry on
-- each open dead letter of the task, which itself does not change.
-- Returns the reply of these: {outcome, code?, message?}, already for a task without an open dead
-- letter.
-- Locks: the caller holds the task; the dead letters, by uuid.
create or replace function tasker.act_on_task_of_bulk(
  p_bulk tasker.bulk_actions, p_task_uuid uuid, p_server_uuid uuid, p_now timestamptz)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_entry uuid;
  v_reply jsonb;
begin
  if p_bulk.action <> 'close_dead_letters' then
    return tasker.act_on_task(p_task_uuid, p_bulk.action, p_bulk.acted_by, p_bulk.reason, '{}',
                              p_server_uuid, p_now, p_bulk.token);
  end if;
  for v_entry in select d.dlq_entry_uuid
                 from tasker.tasks_dlq d
                 where d.task_uuid = p_task_uuid
                   and d.resolution_status = 'pending'
                 order by d.dlq_entry_uuid loop
    v_reply := tasker.update_dlq_entry(v_entry, p_bulk.resolution, p_bulk.acted_by, p_bulk.reason,
                                       null, p_now, p_bulk.token);
  end loop;
  return coalesce(v_reply, jsonb_build_object('outcome', 'already'));
end
$$;
comment on function tasker.act_on_task_of_bulk(tasker.bulk_actions, uuid, uuid, timestamptz) is
  'Acts on one task of a bulk action: act_on_task, or for close_dead_letters update_dlq_entry on '
  'each open dead letter of the task, which itself does not change.';
