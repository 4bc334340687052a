-- Opens a dead letter for one task, with a snapshot of it and its steps. Null when one is open
-- already, or when there is no such task; send_task_to_dlq reports which. The task does not change.
-- Locks: none but the new row.
create or replace function tasker.create_dlq_entry(
  p_task_uuid uuid, p_dlq_reason varchar, p_metadata jsonb default '{}',
  p_now timestamptz default null)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
  v_entry uuid;
begin
  insert into tasker.tasks_dlq
    (task_uuid, original_state, dlq_reason, dlq_timestamp, task_snapshot, metadata)
  select t.task_uuid, t.state, p_dlq_reason::tasker.dlq_reason, coalesce(p_now, clock_timestamp()),
         tasker.get_task_snapshot(t.task_uuid), p_metadata
  from tasker.tasks t
  where t.task_uuid = p_task_uuid
  on conflict (task_uuid)
  where resolution_status = 'pending' do nothing
  returning dlq_entry_uuid into v_entry;
  return v_entry;
end
$$;
comment on function tasker.create_dlq_entry(uuid, varchar, jsonb, timestamptz) is
  'Opens a dead letter for one task, with a snapshot of it and its steps; null when one is open '
  'already.';
