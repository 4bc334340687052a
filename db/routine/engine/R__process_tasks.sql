-- Recovers tasks, if asked to, evaluates them, except for those that only wait
-- (postpone_waiting_tasks), and handles stale ones, so that one task whose processing raises an
-- error does not hold up the others: the function splits a set that fails into halves, down to the
-- task that causes the error, and records its fault. Transient errors (lost connections, deadlocks,
-- locks, lack of resources, a cancelled statement) are raised to the caller, who tries again.
-- p_task_uuids in the order of their uuids. p_claim_seconds null: only evaluates. p_fault_limit:
-- see record_task_fault.
-- Returns as evaluate_tasks, with the failing tasks as "faulty".
-- Locks: as evaluate_tasks. One savepoint per set: a single one when all tasks succeed.
create or replace function tasker.process_tasks(
  p_task_uuids uuid[], p_server_uuid uuid, p_claim_limit int, p_lease_seconds int,
  p_claim_seconds int, p_unserved_seconds int,
  p_fault_limit int, p_now timestamptz default null)
returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  v_state  text;
  v_cause  text;
  v_half   int := cardinality(p_task_uuids) / 2;
  v_first  jsonb;
  v_second jsonb;
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_active uuid[] := p_task_uuids;
  v_waiting uuid[];
  v_timed_out jsonb := '[]';
  v_stale     jsonb;
begin
  if coalesce(cardinality(p_task_uuids), 0) = 0 then
    return '{"claimed_steps": [], "queued": [], "ended": [], "faulty": []}';
  end if;
  begin
    if p_claim_seconds is not null then
      v_timed_out := tasker.time_out_tasks(p_task_uuids, p_server_uuid, p_now);
      perform tasker.escalate_sla_breaches(p_task_uuids, p_now);
      perform tasker.recover_expired_steps(p_task_uuids, p_server_uuid, p_now);
      perform tasker.resend_lost_messages(p_task_uuids, p_now);
      perform tasker.recover_unclaimed_offers(
        p_task_uuids, p_server_uuid, p_claim_seconds, p_unserved_seconds, p_now);
      v_waiting := tasker.postpone_waiting_tasks(p_task_uuids, v_now);
      if v_waiting <> '{}' then
        v_active := array(select a.u
                          from unnest(p_task_uuids) with ordinality as a(u, n)
                          where a.u <> all (v_waiting)
                          order by a.n);
      end if;
    end if;
    v_first := case when v_active = '{}' then '{"claimed_steps": [], "queued": [], "ended": []}'
                    else tasker.evaluate_tasks(
                      v_active, p_server_uuid, p_claim_limit, p_lease_seconds, p_now) end;
    if p_claim_seconds is not null then
      v_stale := tasker.handle_stale_tasks(p_task_uuids, p_server_uuid, p_now);
      -- Of a task that has just ended, the caller gets no step to run.
      if v_stale <> '[]' then
        v_first := jsonb_set(v_first, '{claimed_steps}',
                             (select coalesce(jsonb_agg(c.value order by c.ordinality), '[]')
                              from jsonb_array_elements(
                                v_first -> 'claimed_steps') with ordinality as c
                              where not v_stale @> jsonb_build_array(
                                  jsonb_build_object('task_uuid', c.value -> 'task_uuid'))));
      end if;
      v_first := jsonb_set(v_first, '{ended}', v_timed_out || (v_first -> 'ended') || v_stale);
    end if;
    delete from tasker.task_faults f where f.task_uuid = any (p_task_uuids);
    return v_first || '{"faulty": []}';
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_cause = message_text;
    if tasker.is_transient_error(v_state) then
      raise;
    end if;
  end;

  if v_half = 0 then
    if p_claim_limit > 0 then
      -- It may be what a claim would return; by the queue that is the claim's own matter.
      return tasker.process_tasks(p_task_uuids, p_server_uuid, 0, p_lease_seconds, p_claim_seconds,
                                  p_unserved_seconds, p_fault_limit, p_now);
    end if;
    return tasker.record_task_fault(
      p_task_uuids[1], v_state, v_cause, p_server_uuid, p_fault_limit,
      p_now) || jsonb_build_object(
      'claimed_steps', '[]'::jsonb, 'queued', '[]'::jsonb, 'faulty', to_jsonb(p_task_uuids));
  end if;
  v_first := tasker.process_tasks(
    p_task_uuids[:v_half], p_server_uuid, p_claim_limit, p_lease_seconds, p_claim_seconds,
    p_unserved_seconds, p_fault_limit, p_now);
  v_second := tasker.process_tasks(
    p_task_uuids[v_half + 1:], p_server_uuid,
    greatest(p_claim_limit - jsonb_array_length(v_first -> 'claimed_steps'), 0), p_lease_seconds,
    p_claim_seconds, p_unserved_seconds, p_fault_limit, p_now);
  return tasker.merge_replies(v_first, v_second);
end
$$;
comment on function tasker.process_tasks(uuid[], uuid, int, int, int, int, int, timestamptz) is
  'Recovers and evaluates tasks, so that one task whose processing raises an error does not hold '
  'up the others.';
