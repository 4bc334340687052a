-- Claims up to p_limit offered steps of the given namespaces (null: all) for one server and returns what it needs to
-- run them, a JSON array. Queues are served by the place of their first message; while several have work, each gets a
-- fair share of the limit.
-- Locks: message rows (skip locked), then step rows by uuid. Source: design decisions 4, 6, 13.
-- Called by the worker, and by anybody with psql: select tasker.claim_steps(gen_random_uuid(), 10).
create or replace function tasker.claim_steps(
  p_server_uuid   uuid,
  p_limit         int,
  p_namespaces    text[]      default null,
  p_lease_seconds int         default 60,
  p_now           timestamptz default null)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_claimed uuid[];
begin
  -- Two statements: within one, the second function would read with a snapshot from before the claim and miss the tasks
  -- that were committed in between, whose steps would be claimed and never run.
  v_claimed := tasker.claim_queued_steps(p_server_uuid, p_limit, p_namespaces, p_lease_seconds, p_now);
  return tasker.get_step_assignments(v_claimed);
end
$$;
comment on function tasker.claim_steps(uuid, int, text[], int, timestamptz) is
  'Claims up to p_limit offered steps of the given namespaces (null: all) for one server and returns what it needs to run them.';
