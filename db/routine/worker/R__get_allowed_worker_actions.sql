-- {allowed_actions}: drain, for an external worker whose state drain_worker would change. Locks:
-- none. Source: ADR 0058.
create or replace function tasker.get_allowed_worker_actions(
  p_server_uuid uuid, p_state tasker.worker_state, p_claimed int)
returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
           'allowed_actions', case
             when p_server_uuid is null
               and tasker.get_drained_state(p_state, p_claimed) <> p_state then '["drain"]'
             else '[]' end::jsonb)
$$;
comment on function tasker.get_allowed_worker_actions(uuid, tasker.worker_state, int) is
  'The actions on a worker that would change its state now, by the rule of drain_worker.';
