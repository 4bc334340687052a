-- Adds the handlers that a new template names to namespace_handlers. When some are new, increments
-- the version of the catalog in the same transaction: a transaction that sees a step of the
-- template also sees that version, and recalculates what a worker serves. Locks: the row of the
-- catalog, only when there is a handler to add; it is the first lock, so that two registrations
-- wait there and nowhere else. Trigger on named_tasks_named_steps.
create or replace function tasker.record_handlers()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from new_steps n
             join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
             where n.handler_key is not null
               and not exists (select from tasker.namespace_handlers h
                               where h.task_namespace_uuid = nt.task_namespace_uuid
                                 and h.handler_key = n.handler_key)) then
    update tasker.handler_catalog c set version = c.version + 1;
    insert into tasker.namespace_handlers
      (task_namespace_uuid, handler_key, handler_callable, handler_resolver)
    select distinct nt.task_namespace_uuid, n.handler_key, n.handler_callable, n.handler_resolver
    from new_steps n
    join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
    where n.handler_key is not null
    on conflict do nothing;
  end if;
  return null;
end
$$;
comment on function tasker.record_handlers() is
  'Adds the handlers that a new template names to namespace_handlers.';

create or replace trigger handlers_are_recorded after insert on tasker.named_tasks_named_steps
  referencing new table as new_steps for each statement execute function tasker.record_handlers();
