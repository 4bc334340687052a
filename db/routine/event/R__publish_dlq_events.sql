-- Writes the domain event of a dead letter that is opened, in its transaction, when the template
-- asks for such events (lifecycle.publishes_events: dead_letters).
-- Locks: none but the new row. Trigger on tasks_dlq. Source: ADR 0055.
create or replace function tasker.publish_dlq_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events (kind, task_uuid, cause_uuid, sort_key, name, data)
  select 'dead_letter', new.task_uuid, new.dlq_entry_uuid, 0, 'tasker.dead_letter.opened',
         jsonb_strip_nulls(jsonb_build_object('dlq_entry_uuid', new.dlq_entry_uuid,
                                              'reason', new.dlq_reason, 'state', new.original_state,
                                              'failed_steps', new.metadata -> 'failed_steps'))
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid
    and nt.published_lifecycle ? 'dead_letters'
  where t.task_uuid = new.task_uuid;
  return null;
end
$$;
comment on function tasker.publish_dlq_events() is
  'Writes the domain event of a dead letter that is opened, in its transaction.';

create or replace trigger events_follow_dead_letters after insert on tasker.tasks_dlq
  for each row execute function tasker.publish_dlq_events();
