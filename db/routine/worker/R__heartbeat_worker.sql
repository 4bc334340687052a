-- Records the heartbeat of an external worker: renews its row and the leases of the steps that it
-- still runs.
-- p_steps: array of {step_uuid, handoff}, all that it runs. p_state: healthy, degraded, paused,
-- draining, or stopped; a worker that drains or has stopped must register again.
-- p_owner: the caller of the REST interface, as register_worker got it; null for a caller of SQL.
-- For a caller of REST, p_steps counts only as far as worker_claims has the steps; a claim that no
-- heartbeat has named within half a lease is released, because its answer must have been lost; a
-- step that has run for longer than its template allows (timeout_seconds, and 5 s for the way)
-- fails as handler_timeout. p_settle: see complete_steps.
-- Returns {outcome: renewed, takes_changed: whether it may claim other steps than before, state,
-- lease_expires_at} and what renew_leases returns; for a caller of REST also {cancels: as
-- get_cancel_requests, unreported: [{step_uuid, handoff, claimed_ms_ago}] of the claims that
-- p_steps does not name, queued, ended}. {outcome: unknown_worker} when it is not registered, or by
-- another caller, and {outcome: invalid, field, message}; both change nothing.
-- Locks: tasks by uuid when steps are released or fail, the worker's row, then the steps (skip
-- locked).
create or replace function tasker.heartbeat_worker(
  p_worker_uuid   uuid,
  p_running       int,
  p_steps         jsonb       default '[]',
  p_state         text        default 'healthy',
  p_lease_seconds int         default 60,
  p_now           timestamptz default null,
  p_owner         text        default null,
  p_settle        boolean     default true)
returns jsonb
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now     timestamptz := coalesce(p_now, clock_timestamp());
  v_worker  tasker.workers;
  v_steps   jsonb := p_steps;
  v_lost    jsonb := '[]';
  v_ended   jsonb := '{}';
  v_state   text;
  v_changed boolean;
  v_reply   jsonb;
begin
  if coalesce(p_running, -1) < 0 then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'running', 'message', 'running must not be negative');
  elsif not coalesce(p_state = any (enum_range(null::tasker.worker_state)::text[]), false) then
    return jsonb_build_object('outcome', 'invalid', 'field', 'state',
                              'message', 'state must be one of ' || array_to_string(
                                enum_range(null::tasker.worker_state), ', '));
  elsif coalesce(p_lease_seconds, 0) not between 1 and 86400 then
    return jsonb_build_object('outcome', 'invalid', 'field', 'lease_seconds',
                              'message', 'lease_seconds must be from 1 to 86400');
  elsif not coalesce(jsonb_typeof(p_steps) = 'array', false)
      or exists (select from jsonb_array_elements(p_steps) e
                 where coalesce(e.value ->> 'step_uuid',
                                '') !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                   or coalesce(e.value ->> 'handoff', '') !~ '^[0-9]{1,9}$') then
    return jsonb_build_object(
      'outcome', 'invalid', 'field', 'steps',
      'message', 'steps must be an array of objects with step_uuid and handoff');
  end if;
  if not exists (select from tasker.workers w
                 where w.worker_uuid = p_worker_uuid
                   and w.server_uuid is null
                   and (p_owner is null or w.owner is not distinct from p_owner)) then
    return '{"outcome": "unknown_worker"}';
  end if;
  if p_owner is not null then
    v_ended := tasker.end_worker_claims(p_worker_uuid, p_steps, p_lease_seconds, p_settle, v_now);
  end if;
  select w.* into v_worker
  from tasker.workers w
  where w.worker_uuid = p_worker_uuid for no key update;
  v_state := case
    when v_worker.state in ('draining', 'stopped') and p_state <> 'stopped' then
      v_worker.state::text
    else p_state end;
  if p_owner is not null then
    perform tasker.clean_worker_claims(p_worker_uuid);
    if v_state = 'draining'
       and not exists (select from tasker.worker_claims c where c.worker_uuid = p_worker_uuid) then
      v_state := 'stopped';
    end if;
    select coalesce(jsonb_agg(e.value) filter (where c.worker_uuid is not null), '[]'),
           coalesce(jsonb_agg(e.value -> 'step_uuid') filter (where c.worker_uuid is null), '[]')
      into v_steps, v_lost
    from jsonb_array_elements(p_steps) e
    left join tasker.worker_claims c on c.worker_uuid = p_worker_uuid
      and c.workflow_step_uuid = (e.value ->> 'step_uuid')::uuid
      and c.handoff = (e.value ->> 'handoff')::int;
    update tasker.worker_claims c set acknowledged_at = v_now
    from jsonb_to_recordset(v_steps) as r(step_uuid uuid)
    where c.worker_uuid = p_worker_uuid
      and c.workflow_step_uuid = r.step_uuid
      and c.acknowledged_at is null;
  end if;
  v_changed := tasker.declare_worker(
    p_worker_uuid, null, v_worker.name, v_state::tasker.worker_state, v_worker.namespaces,
    v_worker.handlers, v_worker.resolvers, v_worker.capacity, p_running, v_worker.heartbeat_seconds,
    false, v_now);
  v_reply := tasker.renew_leases(v_steps, p_lease_seconds, v_now);
  v_reply := v_reply || jsonb_build_object(
    'outcome', 'renewed', 'takes_changed', v_changed, 'lost', (v_reply -> 'lost') || v_lost,
    'state', v_state,
    'lease_expires_at', v_now + 4 * v_worker.heartbeat_seconds * interval '1 second');
  if p_owner is null then
    return v_reply;
  end if;
  return v_reply || v_ended || jsonb_build_object(
    'heartbeat_seconds', v_worker.heartbeat_seconds,
    'cancels', tasker.get_cancel_requests(v_steps, p_now),
    'unreported', (
      select coalesce(jsonb_agg(jsonb_build_object(
                                  'step_uuid', c.workflow_step_uuid, 'handoff', c.handoff,
                                  'claimed_ms_ago', greatest(
                                    ceil(extract(epoch from v_now - c.claimed_at) * 1000),
                                    0)) order by c.claimed_at,
                                c.workflow_step_uuid),
                      '[]')
      from tasker.worker_claims c
      where c.worker_uuid = p_worker_uuid
        and not exists (select from jsonb_to_recordset(v_steps) as r(step_uuid uuid)
                        where r.step_uuid = c.workflow_step_uuid)));
end
$$;
comment on function tasker.heartbeat_worker(
  uuid, int, jsonb, text, int, timestamptz, text, boolean) is
  'Records the heartbeat of an external worker and renews the leases of the steps that it still '
  'runs.';
