-- Writes the domain events that follow from a result, in the transaction of the result, whichever
-- function records it: a worker's, an operator's, recovery's. A function that knows that the step
-- publishes nothing says so in may_publish, and this one is not called.
-- Locks: none but the new rows. Trigger on workflow_step_result_audit. Source: ADR 0050.
create or replace function tasker.publish_events()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  insert into tasker.domain_events
    (task_uuid, workflow_step_uuid, sort_key, declaration, name, delivery_mode, outcome, attempt,
     data, error)
  select new.task_uuid, new.workflow_step_uuid, new.sort_key, e.ordinality, e.value ->> 'name',
         e.value ->> 'delivery_mode', new.outcome, new.attempt, d.o_data, d.o_error
  from tasker.workflow_steps s
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_steps ns on ns.named_step_uuid = n.named_step_uuid
  cross join lateral jsonb_array_elements(n.events) with ordinality as e
  cross join lateral tasker.make_event_data(
    e.value, new.task_uuid, new.workflow_step_uuid, ns.name, new.result, new.error) d
  where s.workflow_step_uuid = new.workflow_step_uuid
    and tasker.is_event_due(e.value ->> 'condition', new.outcome)
  order by e.ordinality;
  return null;
end
$$;
comment on function tasker.publish_events() is
  'Writes the domain events that follow from a result, in the transaction of the result.';

create or replace trigger events_follow_results after insert on tasker.workflow_step_result_audit
  for each row when (new.may_publish is not false) execute function tasker.publish_events();
