-- Writes the domain event of a task that has ended or is blocked, in the transaction of the move, whichever function makes it, when the template asks for
-- such events (lifecycle.publishes_events: tasks). The trigger fires for these moves only, so that others pay for a comparison.
-- A task that ended compensated gets tasker.task.compensated before its end, once.
-- Locks: none but the new rows. Trigger on task_transitions. Source: ADR 0055.
create or replace function tasker.publish_task_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events (kind, task_uuid, cause_uuid, sort_key, name, data)
  select 'task', new.task_uuid, new.task_uuid, n.sort_key, n.name,
         jsonb_strip_nulls(jsonb_build_object(
           'state', new.to_state, 'previous_state', new.from_state, 'compensation', c.state, 'by', new.metadata -> 'by', 'reason', new.metadata -> 'reason'))
  from tasker.tasks t
  join tasker.named_tasks nt on nt.named_task_uuid = t.named_task_uuid and nt.published_lifecycle ? 'tasks'
  left join tasker.task_compensations c on c.task_uuid = t.task_uuid
  cross join lateral (
    select 1 as place, 0 as sort_key, 'tasker.task.compensated' as name
    where c.state = 'compensated'
      and not exists (select from tasker.domain_events e where e.cause_uuid = t.task_uuid and e.name = 'tasker.task.compensated' and e.kind <> 'step')
    union all
    select 2, new.sort_key, tasker.get_task_event_name(new.to_state)) n
  where t.task_uuid = new.task_uuid
  order by n.place;
  return null;
end
$$;
comment on function tasker.publish_task_events() is 'Writes the domain event of a task that has ended or is blocked, in the transaction of the move.';

create or replace trigger events_follow_moves_of_tasks after insert on tasker.task_transitions
  for each row when (new.to_state in ('complete', 'error', 'cancelled', 'resolved_manually', 'blocked_by_failures')) execute function tasker.publish_task_events();
