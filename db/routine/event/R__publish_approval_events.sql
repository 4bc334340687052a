-- Writes the domain event for each event of an approval, in its transaction, when the template asks
-- for such events (lifecycle.publishes_events: approvals). The data say who may decide, until when,
-- and what happened; not what is shown to those who decide, nor the values of the form.
-- Locks: none but the new row. Trigger on approval_events. Source: ADR 0055.
create or replace function tasker.publish_approval_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events
    (kind, task_uuid, workflow_step_uuid, cause_uuid, sort_key, name, data)
  select 'approval', new.task_uuid, a.workflow_step_uuid, new.approval_uuid, new.number,
         tasker.get_approval_event_name(new.event),
         jsonb_strip_nulls(jsonb_build_object(
                             'approval_uuid', a.approval_uuid, 'title', a.title, 'state', a.state,
                             'due_at', a.due_at, 'claimed_by', a.claimed_by, 'by', new.acted_by,
                             'given_to', new.given_to,
                             'approved', case when new.event in ('approved', 'rejected') then
                                                new.event = 'approved' end,
                             'candidate_roles', to_jsonb(a.candidate_roles),
                             'candidate_users', to_jsonb(a.candidate_users)))
  from tasker.approvals a
  join tasker.tasks t on t.task_uuid = a.task_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    and nt.published_lifecycle ? 'approvals'
  where a.approval_uuid = new.approval_uuid;
  return null;
end
$$;
comment on function tasker.publish_approval_events() is
  'Writes the domain event for each event of an approval, in its transaction.';

create or replace trigger events_follow_approvals after insert on tasker.approval_events
  for each row execute function tasker.publish_approval_events();
