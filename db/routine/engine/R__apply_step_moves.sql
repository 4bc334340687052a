-- The writer of moves: the step's row, its history, its result and the counters of its task, in one
-- statement. The caller decides under its locks what moves, and passes it here. WritersTest names
-- the hot paths that write for themselves.
-- p_moves: each step once. A step moves only while its state and its handoff are still from_state
-- and handoff; others are left out. With an outcome it gets a result: result, error and worker_uuid
-- are those of it. next_retry_at is that of a step that waits for its retry. metadata is the
-- history's; new_idempotency_token in that of a reset gives the step a new token. A handoff that is
-- given back (released, yielded, its offer revoked) was no attempt.
-- Handoffs (to enqueued or in_progress) are not made here.
-- p_counts_all: the counters are changed at once, for callers that judge the tasks next; otherwise
-- the caller rolls up o_deltas. A step that fails is always counted at once, because that decides
-- which other steps of the task may start.
-- o_moved: the steps that moved; o_deltas: of each what the caller has to roll up.
-- Errors: TK005 when the rules do not allow a move; nothing moves then.
-- Locks: the steps, then their tasks; the caller holds the tasks. Source: ADR 0072.
create or replace function tasker.apply_step_moves(
  p_moves tasker.step_move[], p_server_uuid uuid, p_now timestamptz,
  p_counts_all boolean default false,
  out o_moved uuid[], out o_deltas tasker.task_delta[])
language plpgsql
set search_path = ''
as $$
declare
  v_move record;
begin
  if p_moves is null then
    o_moved := '{}';
    o_deltas := '{}';
    return;
  end if;
  select g.from_state, g.to_state, g.actor into v_move
  from unnest(p_moves) g
  left join tasker.workflow_step_transition_rules r on r.from_state = g.from_state
    and r.to_state = g.to_state
    and r.actor = g.actor
  where r.to_state is null
    or tasker.step_is_handed_off(g.to_state)
  limit 1;
  if found then
    raise exception 'a step may not move from % to % by %',
      coalesce(v_move.from_state::text, 'nothing'), v_move.to_state, v_move.actor
      using errcode = 'TK005';
  end if;
  with given as materialized (
    select g.*,
           tasker.step_is_handed_off(g.from_state)
             and (g.to_state = 'waiting_for_retry'
                  or (g.to_state = 'pending' and g.actor = 'worker')
                  or (g.to_state = 'cancelled' and g.from_state = 'enqueued')) as is_given_back,
           g.to_state = 'pending' and g.actor = 'operator' as is_reset
    from unnest(p_moves) g),
  moved as (
    update tasker.workflow_steps s
    set state = g.to_state,
        transition_count = s.transition_count + 1,
        result_sort_key = case when g.outcome is not null then s.transition_count + 1
                               else s.result_sort_key end,
        attempts = s.attempts - g.is_given_back::int,
        attempts_before_reset = case when g.is_reset then s.attempts
                                     else s.attempts_before_reset end,
        idempotency_resets
          = case when g.is_reset and g.metadata @> '{"new_idempotency_token": true}' then
                   coalesce(s.idempotency_resets, 0) + 1
                 else s.idempotency_resets end,
        -- What the engine ends itself waits for no parent, also where none was created.
        remaining_parents
          = case when g.from_state = 'pending'
                   and g.actor = 'orchestrator'
                   and g.outcome is not null then 0
                 else s.remaining_parents end,
        lease_expires_at = null,
        next_retry_at = g.next_retry_at,
        backoff_request_seconds
          = case when g.next_retry_at is not null then
                   ceil(extract(epoch from g.next_retry_at - p_now))::int
                 else s.backoff_request_seconds end,
        completed_at = case when tasker.step_has_ended(g.to_state) then p_now end,
        last_failure_at = case when g.to_state = 'error' or g.actor = 'recovery' then p_now
                               else s.last_failure_at end
    from given g
    where s.workflow_step_uuid = g.step_uuid
      and s.state = g.from_state
      and s.handoffs = g.handoff
    returning s.workflow_step_uuid, s.task_uuid, s.transition_count,
              s.attempts + g.is_given_back::int as attempt,
              coalesce(s.publishes_events, false) as may_publish,
              g.handoff, g.from_state, g.to_state, g.actor, g.metadata, g.outcome, g.result,
              g.error, g.worker_uuid),
  results as (
    insert into tasker.workflow_step_result_audit
      (workflow_step_uuid, sort_key, task_uuid, worker_uuid, recorded_at, handoff, attempt, outcome,
       result, error, may_publish)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, m.worker_uuid, p_now, m.handoff,
           m.attempt, m.outcome, m.result, m.error,
           -- What a fork copies was published by its source.
           m.may_publish and m.metadata ->> 'action' is distinct from 'fork'
    from moved m
    where m.outcome is not null),
  history as (
    insert into tasker.step_moves
      (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt,
       processor_uuid, metadata)
    select m.workflow_step_uuid, m.transition_count, m.task_uuid, m.from_state, m.to_state, m.actor,
           m.handoff, m.attempt, p_server_uuid, m.metadata
    from moved m),
  changes as (
    select m.workflow_step_uuid, m.task_uuid, n.in_flight - o.in_flight as in_flight,
           n.unfinished - o.unfinished as unfinished, n.failed - o.failed as failed,
           n.retrying - o.retrying as retrying, p_counts_all or n.failed > o.failed as is_counted
    from moved m
    cross join lateral tasker.weigh_step_state(m.from_state) o
    cross join lateral tasker.weigh_step_state(m.to_state) n),
  counted as (
    update tasker.tasks t
    set failed_steps = t.failed_steps + c.failed,
        in_flight_steps = t.in_flight_steps + c.in_flight,
        unfinished_steps = t.unfinished_steps + c.unfinished,
        retrying_steps = t.retrying_steps + c.retrying
    from (select h.task_uuid, sum(h.in_flight)::int as in_flight,
                 sum(h.unfinished)::int as unfinished, sum(h.failed)::int as failed,
                 sum(h.retrying)::int as retrying
          from changes h
          where h.is_counted
          group by h.task_uuid) c
    where t.task_uuid = c.task_uuid
      and (c.failed <> 0 or c.in_flight <> 0 or c.unfinished <> 0 or c.retrying <> 0))
  select coalesce(array_agg(c.workflow_step_uuid), '{}'),
         coalesce(array_agg(
                    case when c.is_counted then (c.task_uuid, 0, 0, 0, 0)::tasker.task_delta
                         else (c.task_uuid, c.in_flight, c.unfinished, c.failed,
                               c.retrying)::tasker.task_delta end),
                  '{}') into o_moved, o_deltas
  from changes c;
end
$$;
comment on function tasker.apply_step_moves(tasker.step_move[], uuid, timestamptz, boolean) is
  'The writer of moves of steps: compares, moves, writes history and results, counts.';
