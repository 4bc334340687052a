-- Claims steps for one external worker, at most as many as its capacity leaves. The same request
-- again, when its answer was lost, gets the steps that it got before and the worker still holds,
-- with a new lease, and no others.
-- p_namespaces: where the caller may work now (null: everywhere); the worker's own list applies as
-- well.
-- p_dry: kinds of workers (o_kind, a hash of namespaces and handlers) for which the queues have
-- nothing, as calls before this one in the same transaction found.
-- Returns o_outcome: claimed; empty, when there is nothing for it; full, when its capacity is in
-- use; not_claiming, when it is paused, draining, stopped or considered lost. o_state: the worker's
-- state, lost included. o_is_dry: the queues have no more for its kind.
-- Locks: the caller holds the worker's row; messages (skip locked), then steps by uuid.
create or replace function tasker.claim_for_worker(
  p_worker tasker.workers, p_limit int, p_request_id text, p_namespaces text[], p_lease_seconds int,
  p_dry text[], p_now timestamptz,
  out o_outcome text, out o_state text, out o_kind text, out o_is_dry boolean,
  out o_claimed_steps json)
returns record
language plpgsql
set search_path = ''
as $$
declare
  v_now        timestamptz := coalesce(p_now, clock_timestamp());
  v_held       int := tasker.clean_worker_claims(p_worker.worker_uuid);
  v_repeated   uuid[];
  v_namespaces text[] := p_worker.namespaces;
  v_limit      int := least(p_limit, p_worker.capacity - v_held);
  v_claimed    int;
begin
  o_claimed_steps := '[]';
  o_is_dry := false;
  o_state := case
    when p_worker.state <> 'stopped' and p_worker.lease_expires_at <= v_now then 'lost'
    else p_worker.state::text end;
  if p_request_id is not null then
    v_repeated := array(select c.workflow_step_uuid
                        from tasker.worker_claims c
                        where c.worker_uuid = p_worker.worker_uuid and c.request_id = p_request_id
                        order by c.workflow_step_uuid);
    if cardinality(v_repeated) > 0 then
      -- A step that another session has locked is being settled or renewed.
      with repeated as (
        select s.workflow_step_uuid
        from tasker.workflow_steps s
        where s.workflow_step_uuid = any (v_repeated) and s.state = 'in_progress'
        for no key update skip locked)
      update tasker.workflow_steps s
      set lease_expires_at = tasker.calculate_lease_end(v_now, p_lease_seconds)
      from repeated r
      where s.workflow_step_uuid = r.workflow_step_uuid and s.state = 'in_progress';
      o_outcome := 'claimed';
      o_claimed_steps := tasker.get_claimed_steps(v_repeated);
      return;
    end if;
  end if;
  if p_namespaces is not null then
    v_namespaces := case
      when p_worker.namespaces is null then p_namespaces
      else array(
        select n from unnest(p_worker.namespaces) n where n = any (p_namespaces) order by n) end;
  end if;
  o_kind := md5(concat(v_namespaces, ' ', tasker.get_served_handlers(p_worker.worker_uuid)));
  if o_state not in ('healthy', 'degraded') then
    o_outcome := 'not_claiming';
    return;
  elsif v_limit <= 0 then
    o_outcome := 'full';
    return;
  end if;
  if o_kind = any (p_dry) then
    o_outcome := 'empty';
    return;
  end if;
  o_claimed_steps := tasker.claim_steps(
    p_worker.worker_uuid, v_limit, v_namespaces, p_lease_seconds, p_now);
  v_claimed := tasker.record_worker_claims(
    p_worker.worker_uuid, o_claimed_steps, p_request_id, v_now);
  o_is_dry := v_claimed < v_limit;
  o_outcome := case when v_claimed = 0 then 'empty' else 'claimed' end;
end
$$;
comment on function tasker.claim_for_worker(
  tasker.workers, int, text, text[], int, text[], timestamptz) is
  'Claims steps for one external worker, at most as many as its capacity leaves.';
