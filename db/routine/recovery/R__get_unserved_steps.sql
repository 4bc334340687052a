-- The offered steps whose handler no live worker serves, by namespace and handler: how many, since
-- when the first of them has been unserved, and when the first of them fails as worker_unavailable
-- (null: never). Recovery records them (recover_unclaimed_offers) at the earliest a few seconds
-- after the offer; leaves out steps claimed since.
-- Locks: none.
create or replace function tasker.get_unserved_steps()
returns table (namespace varchar, handler text, steps bigint, since timestamptz,
               fails_at timestamptz)
language sql stable
set search_path = ''
as $$
  select ns.name, n.handler_key, count(*), min(o.since), min(o.due_at)
  from tasker.unclaimed_offers o
  join tasker.workflow_steps s on s.workflow_step_uuid = o.workflow_step_uuid
    and s.state = 'enqueued'
    and s.handoffs = o.handoff
  join tasker.named_tasks_named_steps n on n.named_step_uuid = s.named_step_uuid
  join tasker.named_tasks nt on nt.named_task_uuid = n.named_task_uuid
  join tasker.task_namespaces ns on ns.task_namespace_uuid = nt.task_namespace_uuid
  where o.why = 'unserved'
  group by ns.name, n.handler_key
  order by ns.name, n.handler_key
$$;
comment on function tasker.get_unserved_steps() is
  'The offered steps whose handler no live worker serves, by namespace and handler.';
