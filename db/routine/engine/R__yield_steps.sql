-- Ends handoffs that yielded: stores the checkpoint, and the step waits until its next handoff, at
-- the earliest after_ms from now, on any worker. It gives up its permit, its lease and its slots;
-- the attempt does not count, and its number is used again. State, history, checkpoint and counters
-- of the yields change in one transaction.
-- p_results: as complete_steps; of those with the outcome yielded: checkpoint (any JSON; missing or
-- null keeps the last one) and after_ms (0). A yield that asks for less than a second and brings no
-- other checkpoint has no progress: it waits 1 s, then 2 s, 4 s, at most a minute.
-- o_rest: what is left for submit_results, with the yields that judge_yields refused; null when
-- p_results has no yield.
-- o_yielded: the steps that wait now; a caller whose handoff is not the current one changes
-- nothing.
-- Locks: the step rows; the caller holds their tasks. Source: ADR 0049.
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
  v_moves       tasker.step_move[];
  v_checkpoints jsonb[];
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
  chosen as (
    select t.*, v_now + t.wait_ms * interval '1 millisecond' as next_retry_at
    from timed t
    join tasker.workflow_steps s on s.workflow_step_uuid = t.step_uuid
      and s.task_uuid = t.task_uuid
      and s.handoffs = t.handoff)
  select array_agg((c.step_uuid, c.handoff, 'in_progress', 'waiting_for_retry', 'worker',
                    jsonb_strip_nulls(jsonb_build_object(
                                        'reason', 'yielded', 'next_retry_at', c.next_retry_at,
                                        'yield', c.yields, 'stalled_yields', nullif(c.stalled, 0),
                                        'checkpoint_bytes', octet_length(c.checkpoint::text),
                                        'execution_time_ms', c.execution_time_ms)),
                    null, null, null, null, c.next_retry_at)::tasker.step_move),
         array_agg(c.checkpoint) into v_moves, v_checkpoints
  from chosen c;
  select m.o_moved, m.o_deltas into o_yielded, o_deltas
  from tasker.apply_step_moves(v_moves, p_server_uuid, v_now) m;
  insert into tasker.workflow_step_documents as d
    (workflow_step_uuid, task_uuid, checkpoint, yields, stalled_yields, yielded_handoff)
  select s.workflow_step_uuid, s.task_uuid, v_checkpoints[i],
         ((v_moves[i]).metadata ->> 'yield')::int,
         coalesce(((v_moves[i]).metadata ->> 'stalled_yields')::int, 0), s.handoffs
  from generate_subscripts(v_moves, 1) i
  join tasker.workflow_steps s on s.workflow_step_uuid = (v_moves[i]).step_uuid
  where s.workflow_step_uuid = any (o_yielded)
  on conflict (workflow_step_uuid) do update
    set checkpoint = coalesce(excluded.checkpoint, d.checkpoint), yields = excluded.yields,
        stalled_yields = excluded.stalled_yields,
        yielded_handoff = excluded.yielded_handoff,
        document_hash
          = tasker.hash_documents(d.inputs, coalesce(excluded.checkpoint, d.checkpoint));
  -- The task is evaluated when the step is due, even if it also waits for something else.
  update tasker.task_wakeups w set wake_at = m.next_retry_at
  from (select s.task_uuid, min(s.next_retry_at) as next_retry_at
        from tasker.workflow_steps s
        where s.workflow_step_uuid = any (o_yielded)
        group by s.task_uuid) m
  -- A difference, so that the planner avoids the index on wake_at, as in settle_steps.
  where w.task_uuid = m.task_uuid and w.wake_at - m.next_retry_at > interval '0';
end
$$;
comment on function tasker.yield_steps(jsonb, uuid, timestamptz) is
  'Ends handoffs that yielded: stores the checkpoint, and the step waits until its next handoff.';
