-- Submits the results of an external worker, in one transaction with everything that follows from
-- them, and its next claims in the same call. Accepts results of steps that the worker holds in
-- that handoff, whatever a caller names.
-- p_results: array of {step_uuid, handoff, outcome, result?, error?, execution_time_ms?}, each step
-- once. outcome: as complete_steps (yielded with checkpoint? and after_ms?), released (not started:
-- given back without using an attempt), or declined (the worker lacks the handler: given back, and
-- the worker gets no steps of that handler until it registers again). Without execution_time_ms the
-- time from the claim to the result is recorded, and that it is that.
-- p_claims: null, or {max, request_id, namespaces} as claim_steps_for_workers.
-- p_owner: as register_worker got it. p_settle: see complete_steps.
-- Returns as complete_steps, without refused, and with {outcome: submitted, state, verdicts:
-- [{step_uuid, handoff, verdict}] in the order of p_results}: accepted; already, when a result of
-- the worker for that handoff has been recorded before; stale, when it does not hold the step in
-- that handoff, never did, or recovery has ended it, which changes nothing. A step that is named
-- twice counts once. {outcome: unknown_worker} changes nothing.
-- Errors: TK007 as complete_steps.
-- json and not jsonb, as get_claimed_steps: the documents of the next steps are sent as text.
-- Locks: tasks by uuid, then the worker's row, then as complete_steps.
create or replace function tasker.submit_worker_results(
  p_worker_uuid uuid, p_owner text, p_results jsonb, p_claims jsonb default null,
  p_lease_seconds int default 60,
  p_settle boolean default true, p_now timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1
as $$
declare
  v_now        timestamptz := coalesce(p_now, clock_timestamp());
  v_claims     jsonb := nullif(p_claims, 'null');
  v_worker     tasker.workers;
  v_tasks      uuid[];
  v_held       int;
  -- The results of steps that the worker holds: their positions in p_results, their steps, and by
  -- what becomes of them.
  v_numbers    bigint[];
  v_steps      uuid[];
  v_done       jsonb;
  v_given_back jsonb;
  v_declined   jsonb;
  v_namespaces text[] := case when jsonb_typeof(v_claims -> 'namespaces') = 'array' then array(
                                select jsonb_array_elements_text(v_claims -> 'namespaces')) end;
  v_request_id text := v_claims ->> 'request_id';
  v_verdicts   json;
  v_limit      int := 0;
  v_completed  record;
  v_claim      record;
  v_claimed    json := '[]';
  v_retry      numeric;
  v_state      text;
  v_reply      jsonb := '{"queued": [], "ended": []}';
begin
  if not exists (select from tasker.workers w
                 where w.worker_uuid = p_worker_uuid
                   and w.server_uuid is null
                   and w.owner is not distinct from p_owner) then
    return '{"outcome": "unknown_worker"}';
  end if;
  v_tasks := array(select c.task_uuid
                   from jsonb_to_recordset(p_results) as r(step_uuid uuid, handoff int)
                   join tasker.worker_claims c on c.worker_uuid = p_worker_uuid
                     and c.workflow_step_uuid = r.step_uuid
                     and c.handoff = r.handoff);
  perform tasker.lock_tasks(v_tasks);
  select w.* into v_worker
  from tasker.workers w
  where w.worker_uuid = p_worker_uuid for no key update;
  v_state := v_worker.state;
  -- While the tasks are locked, no other session ends a step that is in progress. A step that is
  -- named twice counts once.
  select coalesce(array_agg(m.n), '{}'), coalesce(array_agg(m.step_uuid), '{}'),
         jsonb_agg(m.result order by m.n) filter (where m.outcome = 'declined'),
         jsonb_agg(m.result order by m.n) filter (where m.outcome = 'released'),
         jsonb_agg(m.result order by m.n)
           filter (where m.outcome is null or m.outcome not in ('declined', 'released'))
    into v_numbers, v_steps, v_declined, v_given_back, v_done
  from (select r.n, r.step_uuid, r.value ->> 'outcome' as outcome,
               r.value || jsonb_build_object('task_uuid', c.task_uuid)
                 || case
                   when r.value ->> 'execution_time_ms' is null then jsonb_build_object(
                     'is_time_measured', true,
                     'execution_time_ms', greatest(
                       round(extract(epoch from v_now - s.last_attempted_at) * 1000), 0)::bigint)
                   else '{}' end as result
        from (select e.value, e.n, (e.value ->> 'step_uuid')::uuid as step_uuid,
                     (e.value ->> 'handoff')::int as handoff,
                     row_number() over (partition by (e.value ->>
                                                      'step_uuid')::uuid order by e.n) as nth
              from jsonb_array_elements(p_results) with ordinality as e(value, n)) r
        join tasker.worker_claims c on c.worker_uuid = p_worker_uuid
          and c.workflow_step_uuid = r.step_uuid
          and c.handoff = r.handoff
        join tasker.workflow_steps s on s.workflow_step_uuid = c.workflow_step_uuid
          and s.state = 'in_progress'
          and s.handoffs = c.handoff
        where r.nth = 1 and c.task_uuid = any (v_tasks)) m;
  if cardinality(v_numbers) = jsonb_array_length(p_results) then
    select json_agg(json_build_object('step_uuid', r.value -> 'step_uuid',
                                      'handoff', r.value -> 'handoff',
                                      'verdict', 'accepted') order by r.n) into v_verdicts
    from jsonb_array_elements(p_results) with ordinality as r(value, n);
  else
    select coalesce(json_agg(
                      json_build_object(
                        'step_uuid', r.value -> 'step_uuid', 'handoff', r.value -> 'handoff',
                        'verdict', case
                          when r.n = any (v_numbers) then 'accepted'
                          when exists (select from unnest(v_numbers) as m(n)
                                       where (p_results -> (m.n - 1)::int ->> 'step_uuid')::uuid
                                           = (r.value ->> 'step_uuid')::uuid
                                         and (p_results -> (m.n - 1)::int ->> 'handoff')::int
                                           = (r.value ->> 'handoff')::int)
                            -- Not the end by recovery, which names the worker too: nothing of what
                            -- the worker says was recorded.
                            or exists (select from tasker.workflow_step_transitions h
                                       where h.workflow_step_uuid = (r.value ->> 'step_uuid')::uuid
                                         and h.handoff = (r.value ->> 'handoff')::int
                                         and h.from_state = 'in_progress'
                                         and h.to_state <> 'pending'
                                         and h.actor = 'worker'
                                         and h.processor_uuid = p_worker_uuid) then 'already'
                          else 'stale' end) order by r.n),
                    '[]') into v_verdicts
    from jsonb_array_elements(p_results) with ordinality as r(value, n);
  end if;
  -- Those of the results, and those that have ended otherwise, as clean_worker_claims.
  delete from tasker.worker_claims c
  where c.worker_uuid = p_worker_uuid
    and (c.workflow_step_uuid = any (v_steps)
         or not exists (select from tasker.workflow_steps s
                        where s.workflow_step_uuid = c.workflow_step_uuid
                          and s.state = 'in_progress'
                          and s.handoffs = c.handoff));
  select count(*) into v_held from tasker.worker_claims c where c.worker_uuid = p_worker_uuid;

  -- First, because it narrows what the worker may claim.
  if v_declined is not null then
    v_reply := tasker.merge_replies(
      v_reply, tasker.decline_steps(v_declined, p_worker_uuid, p_now));
  end if;
  if v_done is not null then
    -- Successors of these steps go to the worker at once, except when the caller may no longer work
    -- everywhere that the worker serves, or repeats a request whose answer was lost.
    if v_claims is not null
       and v_namespaces is null
       and v_worker.state in ('healthy', 'degraded')
       and v_worker.lease_expires_at > v_now
       and (v_request_id is null
            or not exists (select from tasker.worker_claims c
                           where c.worker_uuid = p_worker_uuid
                             and c.request_id = v_request_id)) then
      v_limit := greatest(least((v_claims ->> 'max')::int, v_worker.capacity - v_held), 0);
    end if;
    select r.* into v_completed
    from json_to_record(tasker.complete_steps(v_done, p_worker_uuid, v_limit, v_worker.namespaces,
                                              p_lease_seconds, p_settle, v_limit > 0, p_now))
      as r(claimed_steps json, queued jsonb, ended jsonb, next_retry_in_ms numeric);
    v_claimed := v_completed.claimed_steps;
    v_retry := v_completed.next_retry_in_ms;
    v_reply := jsonb_build_object('ended', (v_reply -> 'ended') || v_completed.ended,
                                  'queued', (v_reply -> 'queued') || v_completed.queued);
    if v_limit > 0 then
      perform tasker.record_worker_claims(p_worker_uuid, v_claimed, v_request_id, v_now);
    end if;
  end if;
  if v_claims is not null and v_limit = 0 then
    v_claim := tasker.claim_for_worker(
      v_worker, (v_claims ->> 'max')::int, v_request_id, v_namespaces, p_lease_seconds, '{}',
      p_now);
    v_claimed := v_claim.o_claimed_steps;
    v_state := v_claim.o_state;
  end if;
  -- Last, so that the worker is not given in the same call what it gives back.
  if v_given_back is not null then
    v_reply := tasker.merge_replies(
      v_reply, tasker.release_steps(v_given_back, p_worker_uuid, p_now));
  end if;
  if v_worker.state = 'draining'
     and not exists (select from tasker.worker_claims c where c.worker_uuid = p_worker_uuid) then
    update tasker.workers w set state = 'stopped' where w.worker_uuid = p_worker_uuid;
    v_state := 'stopped';
  end if;
  return json_build_object(
    'outcome', 'submitted', 'state', v_state, 'verdicts', v_verdicts, 'claimed_steps', v_claimed,
    'queued', v_reply -> 'queued', 'ended', v_reply -> 'ended', 'next_retry_in_ms', v_retry);
end
$$;
comment on function tasker.submit_worker_results(
  uuid, text, jsonb, jsonb, int, boolean, timestamptz) is
  'Submits the results of an external worker, in one transaction with everything that follows '
  'from them, and its next claims.';
