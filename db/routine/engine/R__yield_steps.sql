-- Ends handoffs that yielded: stores the checkpoint, and the step waits until its next handoff, at
-- the earliest after_ms from now, on any worker. It gives up its permit, its lease and its slots;
-- the attempt does not count, and its number is used again. State, history, checkpoint and counters
-- of the yields change in one statement.
-- p_results: as complete_steps; of those with the outcome yielded: checkpoint (any JSON; missing or
-- null keeps the last one) and after_ms (0). A yield that asks for less than a second and brings no
-- other checkpoint has no progress: it waits 1 s, then 2 s, 4 s, at most a minute.
-- o_rest: what is left for submit_results, with the yields that judge_yields refused; null when
-- p_results has no yield.
-- o_yielded: the steps that wait now; a caller whose handoff is not the current one changes
-- nothing.
-- Locks: the step rows; the caller holds their tasks. Source: ADR 0049, time-and-growth.md section
-- 9.
create or replace function tasker.yield_steps(
  p_results     jsonb,
  p_server_uuid uuid,
  p_now         timestamptz default null,
  out o_rest    jsonb,
  out o_yielded uuid[],
  out o_deltas  tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_now    timestamptz := coalesce(p_now, clock_timestamp());
  v_judged jsonb := tasker.judge_yields(p_results);
begin
  o_yielded := '{}';
  o_deltas := '{}';
  if v_judged is null then
    return;
  end if;
  o_rest := jsonb_path_query_array(v_judged, '$[*] ? (@.outcome != "yielded")');
  with given as (
    select distinct on (r.step_uuid, r.handoff) r.step_uuid, r.task_uuid, r.handoff,
           r.execution_time_ms, coalesce(r.after_ms, 0) as after_ms,
           nullif(r.checkpoint, 'null') as checkpoint
    from jsonb_to_recordset(
      v_judged) as r(step_uuid uuid, task_uuid uuid, handoff int, outcome text, checkpoint jsonb,
                     after_ms bigint, execution_time_ms bigint)
    where r.outcome = 'yielded'),
  -- The progress, before anything is written.
  judged as (
    select g.*, coalesce(d.yields, 0) + 1 as yields,
           case when g.after_ms < 1000
                  and coalesce(g.checkpoint, d.checkpoint) is not distinct from d.checkpoint then
                  coalesce(d.stalled_yields, 0) + 1
                else 0 end as stalled
    from given g
    left join tasker.workflow_step_documents d on d.workflow_step_uuid = g.step_uuid),
  timed as (
    select j.*,
           greatest(j.after_ms,
                    case
                      when j.stalled > 0 then least(60, power(2, least(j.stalled, 10) - 1)) * 1000
                      else 0 end)::bigint as wait_ms
    from judged j),
  moved as (
    update tasker.workflow_steps s
    set state = 'waiting_for_retry', transition_count = s.transition_count + 1,
        attempts = s.attempts - 1, lease_expires_at = null,
        next_retry_at = v_now + g.wait_ms * interval '1 millisecond',
        backoff_request_seconds = ceil(g.wait_ms / 1000.0)::int
    from timed g
    where s.workflow_step_uuid = g.step_uuid
      and s.task_uuid = g.task_uuid
      and s.state = 'in_progress'
      and s.handoffs = g.handoff
    returning s.workflow_step_uuid, s.task_uuid, s.handoffs, s.attempts, s.transition_count,
              s.next_retry_at, g.checkpoint, g.yields, g.stalled, g.execution_time_ms),
  history as (
    insert into tasker.workflow_step_transitions
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, 'in_progress',
           'waiting_for_retry', 'worker', m.handoffs, m.attempts + 1, p_server_uuid,
           jsonb_strip_nulls(jsonb_build_object(
                               'reason', 'yielded', 'next_retry_at', m.next_retry_at,
                               'yield', m.yields, 'stalled_yields', nullif(m.stalled, 0),
                               'checkpoint_bytes', octet_length(m.checkpoint::text),
                               'execution_time_ms', m.execution_time_ms))
    from moved m),
  documents as (
    insert into tasker.workflow_step_documents as d
      (workflow_step_uuid, task_uuid, checkpoint, yields, stalled_yields, yielded_handoff)
    select m.workflow_step_uuid, m.task_uuid, m.checkpoint, m.yields, m.stalled, m.handoffs
    from moved m
    on conflict (workflow_step_uuid) do update
      set checkpoint = coalesce(excluded.checkpoint, d.checkpoint), yields = excluded.yields,
          stalled_yields = excluded.stalled_yields,
          yielded_handoff = excluded.yielded_handoff,
          document_hash
            = tasker.hash_documents(d.inputs, coalesce(excluded.checkpoint, d.checkpoint))),
  -- The task is evaluated when the step is due, even if it also waits for something else.
  woken as (
    update tasker.task_wakeups w set wake_at = m.next_retry_at
    from (
      select m.task_uuid, min(m.next_retry_at) as next_retry_at from moved m group by m.task_uuid) m
    -- A difference, so that the planner avoids the index on wake_at, as in settle_steps.
    where w.task_uuid = any (array(select r.task_uuid from moved r))
      and w.task_uuid = m.task_uuid
      and w.wake_at - m.next_retry_at > interval '0')
  select coalesce(array_agg(m.workflow_step_uuid), '{}'),
         coalesce(array_agg((m.task_uuid, -1, 0, 0, 1)::tasker.task_delta), '{}')
    into o_yielded, o_deltas
  from moved m;
end
$$;
comment on function tasker.yield_steps(jsonb, uuid, timestamptz) is
  'Ends handoffs that yielded: stores the checkpoint, and the step waits until its next handoff.';
