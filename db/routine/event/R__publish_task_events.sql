-- Writes the domain event of a task that has ended or is blocked, in the transaction of the move,
-- whichever function makes it, when the template asks for such events (lifecycle.publishes_events:
-- tasks). The task has the answer of its template, so that a move without an event costs the
-- evaluation of the trigger's condition. The function runs after the statement that moves the task,
-- which writes the history of the move, too. A task that ended compensated gets
-- tasker.task.compensated before its end, once.
-- Locks: none but the new rows. Trigger on tasks. Source: ADR 0055.
create or replace function tasker.publish_task_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events (kind, task_uuid, cause_uuid, sort_key, name, data)
  select 'task', new.task_uuid, new.task_uuid, n.sort_key, n.name,
         jsonb_strip_nulls(jsonb_build_object('state', new.state, 'previous_state', old.state,
                                              'compensation', c.state, 'by', h.metadata -> 'by',
                                              'reason', h.metadata -> 'reason'))
  from (values (1)) as one
  left join tasker.task_compensations c on c.task_uuid = new.task_uuid
  -- In the months that the transaction can have written to.
  left join tasker.task_moves h on h.task_uuid = new.task_uuid
    and h.sort_key = new.transition_count
    and h.created_at >= now() - interval '1 minute'
  cross join lateral (select 1 as place, 0 as sort_key, 'tasker.task.compensated' as name
                      where c.state = 'compensated'
                        and not exists (select from tasker.domain_events e
                                        where e.cause_uuid = new.task_uuid
                                          and e.name = 'tasker.task.compensated'
                                          and e.kind <> 'step')
                      union all
                      select 2, new.transition_count, tasker.get_task_event_name(new.state)) n
  order by n.place;
  return null;
end
$$;
comment on function tasker.publish_task_events() is
  'Writes the domain event of a task that has ended or is blocked, in the transaction of the move.';

create or replace trigger events_follow_moves_of_tasks after update of state on tasker.tasks
  for each row when (new.publishes_events
                     and new.state <> old.state
                     and new.state in ('complete', 'error', 'cancelled', 'resolved_manually',
                                       'blocked_by_failures'))
  execute function tasker.publish_task_events();
