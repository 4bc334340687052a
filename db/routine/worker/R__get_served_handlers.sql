-- The handler keys whose steps a worker may claim, by namespace, as calculate_served_handlers;
-- null: everything, also for a caller that is not a registered worker. Uses the value in the
-- worker's row unless a template has named another handler since; then it recalculates the value on
-- each call, until the next heartbeat stores it.
create or replace function tasker.get_served_handlers(p_worker_uuid uuid)
returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (select case when w.served_version = c.version then w.served
                      else tasker.calculate_served_handlers(
                        w.namespaces, w.handlers, w.resolvers, w.unable) end
          from tasker.workers w
          cross join tasker.handler_catalog c
          where w.worker_uuid = p_worker_uuid);
end
$$;
comment on function tasker.get_served_handlers(uuid) is
  'The handler keys whose steps a worker may claim, by namespace; null: everything.';
