-- Drains an external worker: it gets no more claims, its steps in progress may end, and then it has
-- stopped; at once when it holds none. Idempotent. A new registration ends it.
-- p_owner: the caller of the REST interface, as register_worker got it; null for an operator, who
-- may drain every external worker.
-- Returns {outcome: drained, worker_uuid, state: draining | stopped, claimed: how many steps it
-- holds}, or {outcome: unknown_worker}, which changes nothing.
-- Locks: the worker's row.
create or replace function tasker.drain_worker(p_worker_uuid uuid, p_owner text default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_claimed int;
  v_state   tasker.worker_state;
begin
  select w.state into v_state
  from tasker.workers w
  where w.worker_uuid = p_worker_uuid
    and w.server_uuid is null
    and (p_owner is null or w.owner is not distinct from p_owner)
  for no key update;
  if not found then
    return '{"outcome": "unknown_worker"}';
  end if;
  v_claimed := tasker.clean_worker_claims(p_worker_uuid);
  v_state := tasker.get_drained_state(v_state, v_claimed);
  update tasker.workers w set state = v_state
  where w.worker_uuid = p_worker_uuid and w.state <> v_state;
  return jsonb_build_object(
    'outcome', 'drained', 'worker_uuid', p_worker_uuid, 'state', v_state, 'claimed', v_claimed);
end
$$;
comment on function tasker.drain_worker(uuid, text) is
  'Drains an external worker: it gets no more claims, its steps in progress may end, and then it '
  'has stopped.';
