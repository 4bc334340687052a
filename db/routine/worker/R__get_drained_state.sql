-- The state that drain_worker gives a worker: draining while it holds steps, stopped otherwise.
-- Locks: none. Source: ADR 0058.
create or replace function tasker.get_drained_state(p_state tasker.worker_state, p_claimed int)
returns tasker.worker_state
language sql immutable parallel safe
as $$
  select case when p_state = 'stopped' or p_claimed = 0 then 'stopped'::tasker.worker_state
              else 'draining' end
$$;
comment on function tasker.get_drained_state(tasker.worker_state, int) is
  'The state that drain_worker gives a worker.';
