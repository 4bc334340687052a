-- Closes the dead letters of tasks that have ended well in the meantime: complete, cancelled or
-- closed by an operator. Leaves open those that an operator opened, and those of failed tasks.
-- Locks: the entries (skip locked). Returns how many. Source: ADR 0016.
create or replace function tasker.close_settled_dlq_entries(p_now timestamptz default null)
returns int
language plpgsql
set search_path = ''
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_closed int;
begin
  with settled as (
    select d.dlq_entry_uuid, t.state
    from tasker.tasks_dlq d
    join tasker.tasks t on t.task_uuid = d.task_uuid
    where d.resolution_status = 'pending'
      and d.dlq_reason <> 'manual_dlq'
      and t.state in ('complete', 'cancelled', 'resolved_manually')
    for no key update of d skip locked)
  update tasker.tasks_dlq d
  set resolution_status = case s.state when 'cancelled' then 'cancelled'
                               else 'manually_resolved' end::tasker.dlq_resolution_status,
      resolution_timestamp = v_now, resolution_notes = format('the task has ended as %s', s.state),
      updated_at = v_now
  from settled s
  where d.dlq_entry_uuid = s.dlq_entry_uuid;
  get diagnostics v_closed = row_count;
  return v_closed;
end
$$;
comment on function tasker.close_settled_dlq_entries(timestamptz) is
  'Closes the dead letters of tasks that have ended well in the meantime.';
