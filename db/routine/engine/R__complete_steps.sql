-- Completes any number of steps in one transaction: result submission, settling, children, their
-- handoff, the tasks. A caller with available permits gets the next steps in the same round trip:
-- first the successors of what it just finished, then offers from the queues.
-- p_results: see submit_results; that of a decision also has decision, the names of the steps that
-- it chose, and that of a batchable step batches, one cursor for each. The outcome yielded ends the
-- handoff and not the step: see yield_steps. A success that is the only result may have is_awaited,
-- true where a caller waits for the end of its task.
-- p_settle false: the caller has only the worker's role; the results go to the queue
-- orchestration_step_results and an orchestrator completes the work.
-- Returns {refused: [{step_uuid, handoff, verdict}], claimed_steps: [...], queued: [namespaces],
-- ended: [{task_uuid, state}], next_retry_in_ms, changed}: an end that is_awaited may have document
-- too, see describe_awaited_end; changed is the number of results that were recorded with another
-- outcome than was submitted, because their choice, batches or yield is not allowed; verdict
-- ALREADY when the result of that handoff has already been submitted, STALE when it is not the
-- current one.
-- Errors: TK007 when a result lacks the members that identify its step, or its outcome; nothing
-- changes then. 55P03 after 20 seconds behind a lock, before a time-out of the statement, which
-- would blame the results (ADR 0066).
-- Locks: tasks by uuid, then their steps; then messages (skip locked) and offered steps by uuid.
create or replace function tasker.complete_steps(
  p_results           jsonb,
  p_server_uuid       uuid,
  p_claim_limit       int         default 0,
  p_namespaces        text[]      default null,
  p_lease_seconds     int         default 60,
  p_settle            boolean     default true,
  p_claim_from_queues boolean     default false,
  p_now               timestamptz default null)
returns json
language plpgsql
set search_path = '' set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set join_collapse_limit = 1 set lock_timeout = '20s'
as $$
declare
  v_back     record;
  v_advance  record;
  v_claimed  uuid[] := '{}';
  v_queued   text[] := '{}';
  v_ended    jsonb := '[]';
  v_ends     json;
  v_retry_at timestamptz;
  v_refused  jsonb := '[]';
  v_is_done  boolean := false;
  v_judged   jsonb;
  v_yields   record;
  v_changed  int := 0;
  v_document json;
begin
  if not coalesce(jsonb_typeof(p_results) = 'array', false) then
    raise exception 'p_results must be an array of objects with step_uuid, task_uuid, handoff and '
                    'outcome'
      using errcode = 'TK007';
  end if;
  -- By path: this does not copy the results.
  if jsonb_path_exists(
       p_results,
       '$[*] ? (!(@.step_uuid != null && @.task_uuid != null && @.handoff != null
                  && (@.outcome == "success" || @.outcome == "retryable_failure"
                      || @.outcome == "permanent_failure" || @.outcome == "cancelled"
                      || @.outcome == "yielded")))') then
    raise exception 'each of p_results needs step_uuid, task_uuid, handoff, and outcome, which is '
                    'success, retryable_failure, permanent_failure, cancelled or yielded'
      using errcode = 'TK007';
  end if;
  -- Most calls of a quiet installation bring one result.
  if p_settle and jsonb_array_length(p_results) = 1 and p_results #>> '{0,outcome}' = 'success' then
    v_advance := tasker.complete_step(
      p_results -> 0, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    v_is_done := v_advance.o_is_accepted;
    v_document := v_advance.o_document;
  end if;
  if not v_is_done then
    if p_settle then
      -- Same as lock_tasks, with one statement less.
      perform from tasker.tasks t
      where t.task_uuid
          = any (array(select r.task_uuid from jsonb_to_recordset(p_results) as r(task_uuid uuid)))
      order by t.task_uuid for no key update;
    else
      -- A cancelled step is terminal, and one that yielded waits: this function counts it for its
      -- task, and an orchestrator rolls up the task.
      perform tasker.lock_tasks(
        (select array_agg(distinct r.task_uuid)
         from jsonb_to_recordset(p_results) as r(task_uuid uuid, outcome text)
         where r.outcome in ('cancelled', 'yielded')));
    end if;
    v_yields := tasker.yield_steps(p_results, p_server_uuid, p_now);
    v_judged := tasker.judge_decisions(coalesce(v_yields.o_rest, p_results));
    v_back := tasker.submit_results(
      coalesce(v_judged, v_yields.o_rest, p_results), p_server_uuid, p_settle, p_now);
    -- Without a difference there is nothing to count, and it is the rule.
    if coalesce(v_judged, v_yields.o_rest, p_results) <> p_results then
      select count(*) into v_changed
      from jsonb_to_recordset(p_results) as r(step_uuid uuid, handoff int, outcome text)
      join jsonb_to_recordset(
        coalesce(v_judged, v_yields.o_rest)) as j(step_uuid uuid, handoff int, outcome text)
        on j.step_uuid = r.step_uuid
          and j.handoff = r.handoff
          and j.outcome <> r.outcome;
    end if;
    if v_judged is not null then
      perform tasker.record_decisions(
        v_judged, v_back.o_completed || array(select h.step_uuid from unnest(v_back.o_submitted) h),
        p_now);
      perform tasker.record_batches(
        v_judged, v_back.o_completed || array(select h.step_uuid from unnest(v_back.o_submitted) h),
        p_now);
    end if;
    if v_back.o_cancelled <> '{}' then
      perform tasker.count_batch_workers(v_back.o_cancelled);
    end if;
    if p_settle then
      v_advance := tasker.advance_tasks(
        v_back.o_completed, v_back.o_failed || v_yields.o_yielded,
        v_back.o_deltas || v_yields.o_deltas, p_server_uuid, p_claim_limit, p_lease_seconds, p_now);
    elsif cardinality(v_back.o_submitted) > 0
        or cardinality(v_back.o_cancelled) > 0
        or cardinality(v_yields.o_yielded) > 0 then
      perform tasker.count_batch_workers(v_yields.o_yielded);
      update tasker.tasks t
      set in_flight_steps = t.in_flight_steps + d.in_flight,
          retrying_steps = t.retrying_steps + d.retrying
      from (select u.task_uuid, sum(u.in_flight)::int as in_flight, sum(u.retrying)::int as retrying
            from unnest(v_back.o_deltas || v_yields.o_deltas) u
            group by u.task_uuid) d
      where t.task_uuid = d.task_uuid;
      perform pgmq.send_batch(
        'orchestration_step_results',
        (select array_agg(jsonb_build_object('task_uuid', h.task_uuid, 'step_uuid', h.step_uuid,
                                             'handoff', h.handoff))
         from (select b.task_uuid, b.step_uuid, b.handoff
               from unnest(v_back.o_submitted) b
               union all
               select r.task_uuid, r.step_uuid, r.handoff
               from jsonb_to_recordset(p_results) as r(task_uuid uuid, step_uuid uuid, handoff int)
               where r.step_uuid = any (v_back.o_cancelled || v_yields.o_yielded)) h));
    end if;
    v_refused := tasker.get_refusals(
      p_results,
      v_back.o_completed || v_back.o_cancelled || v_yields.o_yielded || (
        select array_agg(h.step_uuid) from unnest(v_back.o_submitted) h));
  end if;
  if p_settle then
    -- A record that was never assigned cannot be read, not even in a branch that is not taken.
    v_claimed := v_advance.o_claimed;
    v_queued := v_advance.o_queued;
    v_ended := v_advance.o_ended;
    v_retry_at := v_advance.o_next_retry_at;
  end if;
  if p_claim_from_queues and cardinality(v_claimed) < p_claim_limit then
    v_claimed := v_claimed || tasker.claim_queued_steps(
      p_server_uuid, p_claim_limit - cardinality(v_claimed), p_namespaces, p_lease_seconds, p_now);
  end if;

  if v_is_done and v_ended <> '[]' and p_results @> '[{"is_awaited": true}]' then
    v_ends := tasker.describe_awaited_end(v_ended, (p_results #>> '{0,task_uuid}')::uuid);
  else
    v_ends := v_ended;
  end if;
  return json_build_object(
    'refused', v_refused,
    'claimed_steps', case when v_document is not null and cardinality(v_claimed) = 1 then
                            json_build_array(v_document)
                          when cardinality(v_claimed) > 0 then tasker.get_claimed_steps(v_claimed)
                          else '[]' end,
    'queued', to_json(v_queued), 'ended', v_ends, 'changed', v_changed,
    'next_retry_in_ms', ceil(
      extract(epoch from v_retry_at - coalesce(p_now, clock_timestamp())) * 1000));
end
$$;
comment on function tasker.complete_steps(
  jsonb, uuid, int, text[], int, boolean, boolean, timestamptz) is
  'Completes any number of steps in one transaction: result submission, settling, children, their '
  'handoff, the tasks.';
