-- Claims steps for the waiting requests of external workers, first come, first served: one call for
-- all that wait on a server. A kind of workers (namespaces and handlers) for which the queues have
-- nothing is asked for once, so that a thousand waiting requests for one step cost little more than
-- one.
-- p_polls: array of {worker_uuid, owner, max, request_id, namespaces, kind}: owner is the caller's
-- key, as register_worker got it; request_id may be null; namespaces are those where the caller may
-- work, null for all. kind: null at first; what the latest answer said, for a request that has
-- waited since.
-- Returns an array in the order of p_polls: {worker_uuid, outcome, state, kind, claimed_steps};
-- outcome as claim_for_worker, also unknown_worker (not registered, or by another caller), and
-- busy, when another request of the worker is under way: ask again.
-- Locks: the workers' rows (skip locked); then as claim_for_worker.
create or replace function tasker.claim_steps_for_workers(
  p_polls jsonb, p_lease_seconds int default 60, p_now timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_poll    record;
  v_worker  tasker.workers;
  v_claim   record;
  v_dry     text[] := '{}';
  v_answers json[] := '{}';
begin
  for v_poll in
    select (e.value ->> 'worker_uuid')::uuid as worker_uuid, e.value ->> 'owner' as owner,
           (e.value ->> 'max')::int as most, e.value ->> 'request_id' as request_id,
           e.value ->> 'kind' as kind,
           case when jsonb_typeof(e.value -> 'namespaces') = 'array' then
                  array(select jsonb_array_elements_text(e.value -> 'namespaces')) end as namespaces
    from jsonb_array_elements(p_polls) with ordinality as e(value, n)
    order by e.n
  loop
    -- A new request may be a repeated one, or of an unknown worker; one that waits has been looked
    -- at.
    if v_poll.kind = any (v_dry) then
      v_answers := v_answers || json_build_object(
        'worker_uuid', v_poll.worker_uuid, 'outcome', 'empty', 'kind', v_poll.kind,
        'claimed_steps', '[]'::json);
      continue;
    end if;
    select w.* into v_worker
    from tasker.workers w
    where w.worker_uuid = v_poll.worker_uuid
      and w.server_uuid is null
      and w.owner is not distinct from v_poll.owner
    for no key update skip locked;
    if not found then
      v_answers := v_answers || json_build_object(
        'worker_uuid', v_poll.worker_uuid, 'claimed_steps', '[]'::json,
        'outcome', case when exists (select from tasker.workers w
                                     where w.worker_uuid = v_poll.worker_uuid
                                       and w.server_uuid is null
                                       and w.owner is not distinct from v_poll.owner) then 'busy'
                        else 'unknown_worker' end);
      continue;
    end if;
    v_claim := tasker.claim_for_worker(
      v_worker, v_poll.most, v_poll.request_id, v_poll.namespaces, p_lease_seconds, v_dry, p_now);
    if v_claim.o_is_dry then
      v_dry := v_dry || v_claim.o_kind;
    end if;
    v_answers := v_answers || json_build_object(
      'worker_uuid', v_poll.worker_uuid, 'outcome', v_claim.o_outcome, 'state', v_claim.o_state,
      'kind', v_claim.o_kind, 'claimed_steps', v_claim.o_claimed_steps);
  end loop;
  return to_json(v_answers);
end
$$;
comment on function tasker.claim_steps_for_workers(jsonb, int, timestamptz) is
  'Claims steps for the waiting requests of external workers, first come, first served.';
