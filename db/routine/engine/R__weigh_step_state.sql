-- What a step counts in its task, by its state: the only place that says so. in_flight: handed off,
-- until its result is settled; unfinished: neither complete nor resolved manually; failed: in
-- error; retrying: waits for a retry. Of a move the difference is counted. Inlined into the query
-- that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.weigh_step_state(p_state tasker.step_state)
returns table (in_flight int, unfinished int, failed int, retrying int)
language sql immutable parallel safe rows 1
as $$
  select tasker.step_is_in_flight(p_state)::int,
         (not tasker.step_ended_well(p_state))::int,
         (p_state = 'error')::int,
         (p_state = 'waiting_for_retry')::int
$$;
comment on function tasker.weigh_step_state(tasker.step_state) is
  'Which counters of its task a step counts in while it is in a state: in flight, unfinished, '
  'failed, retrying.';
