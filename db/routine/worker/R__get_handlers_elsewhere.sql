-- By namespace, the handlers that a server lacks and others have; null when there are none, which is so wherever all
-- servers run the same application, and for callers that are no servers.
create or replace function tasker.get_handlers_elsewhere(p_server_uuid uuid)
returns jsonb
language sql stable
set search_path = ''
as $$
  select v.elsewhere from tasker.servers v where v.server_uuid = p_server_uuid
$$;
comment on function tasker.get_handlers_elsewhere(uuid) is
  'By namespace, the handlers that a server lacks and others have.';
