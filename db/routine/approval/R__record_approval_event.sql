-- Adds an event to the history of an approval, with the next number. p_by: null for what the engine
-- did. Locks: the caller holds the task.
create or replace function tasker.record_approval_event(
  p_approval_uuid uuid, p_event tasker.approval_event, p_by text, p_at timestamptz,
  p_given_to text default null, p_note text default null)
returns void
language sql
set search_path = ''
as $$
  insert into tasker.approval_events
    (approval_uuid, number, task_uuid, happened_at, event, acted_by, given_to, note)
  select a.approval_uuid,
         1 + (
           select count(*) from tasker.approval_events e where e.approval_uuid = a.approval_uuid),
         a.task_uuid, p_at, p_event, p_by, p_given_to, p_note
  from tasker.approvals a
  where a.approval_uuid = p_approval_uuid
$$;
comment on function tasker.record_approval_event(
  uuid, tasker.approval_event, text, timestamptz, text, text) is
  'Adds an event to the history of an approval, with the next number.';
