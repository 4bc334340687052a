-- Results and completions that do not match one to one: one row per finding. Without nested loops:
-- where statistics are missing or old, one over the whole history would never end.
-- Locks: none. Source: docs/reference/invariants.md.
create or replace function tasker.find_result_violations(p_since timestamptz default null)
returns table (invariant text, example jsonb)
language sql stable
set search_path = '' set jit = off set enable_nestloop = off
as $$
  with steps as (
    select s.* from tasker.workflow_steps s where s.created_at >= coalesce(p_since, '-infinity')),
  moves as (
    select h.*
    from tasker.workflow_step_transitions h
    join steps s on s.workflow_step_uuid = h.workflow_step_uuid),
  -- How often an operator had a finished step run again: it may end once more for each.
  reruns as (
    select m.workflow_step_uuid, count(*) as times
    from moves m
    where m.from_state in ('complete', 'resolved_manually')
    group by m.workflow_step_uuid)
  select 'completed_step_has_one_accepted_success',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'outcome', r.outcome,
                            'handoff', r.handoff, 'attempt', r.attempt)
  from steps s
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    and r.sort_key = s.result_sort_key
  where s.state = 'complete'
    and (r.success is not true or (r.handoff, r.attempt) <> (s.handoffs, s.attempts))
  union all
  select 'completed_step_has_one_accepted_success',
         jsonb_build_object('step_uuid', r.workflow_step_uuid, 'successes', count(*))
  from tasker.workflow_step_result_audit r
  join steps s on s.workflow_step_uuid = r.workflow_step_uuid
  left join reruns a on a.workflow_step_uuid = r.workflow_step_uuid
  where r.success
  group by r.workflow_step_uuid, a.times
  having count(*) > 1 + coalesce(a.times, 0)
  union all
  select 'step_is_completed_once',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'times', count(*))
  from moves m
  left join reruns a on a.workflow_step_uuid = m.workflow_step_uuid
  where m.to_state in ('complete', 'resolved_manually')
  group by m.workflow_step_uuid, a.times
  having count(*) > 1 + coalesce(a.times, 0)
  union all
  select 'handoff_ends_once',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'handoff', m.handoff,
                            'times', count(*))
  from moves m
  where m.from_state = 'in_progress'
  group by m.workflow_step_uuid, m.handoff
  having count(*) > 1
  union all
  select 'ended_handoff_has_its_result',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'result_handoff', r.handoff, 'result_attempt', r.attempt)
  from moves m
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = m.workflow_step_uuid
    and r.sort_key = m.sort_key
  where m.to_state in ('enqueued_for_orchestration', 'enqueued_as_error_for_orchestration')
    and (r.handoff, r.attempt) is distinct from (m.handoff, m.attempt)
  union all
  select 'result_has_its_move',
         jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key,
                            'handoff', r.handoff, 'attempt', r.attempt)
  from tasker.workflow_step_result_audit r
  join steps s on s.workflow_step_uuid = r.workflow_step_uuid
  left join moves m on m.workflow_step_uuid = r.workflow_step_uuid and m.sort_key = r.sort_key
  -- A worker's result is that of the worker which made the move.
  where (m.handoff, m.attempt) is distinct from (r.handoff, r.attempt)
    or (m.actor = 'worker' and r.worker_uuid is distinct from m.processor_uuid)
  union all
  select 'result_fits_its_move',
         jsonb_build_object('step_uuid', r.workflow_step_uuid, 'sort_key', r.sort_key,
                            'outcome', r.outcome, 'to_state', m.to_state, 'actor', m.actor)
  from tasker.workflow_step_result_audit r
  join moves m on m.workflow_step_uuid = r.workflow_step_uuid and m.sort_key = r.sort_key
  where not case m.to_state
      when 'enqueued_for_orchestration' then
        r.success and r.outcome <> 'manual_completion'
      when 'enqueued_as_error_for_orchestration' then
        r.outcome in ('retryable_failure', 'permanent_failure')
      when 'error' then r.outcome in ('retryable_failure', 'permanent_failure')
      -- The engine completes only a step that has no handler, a decision by rules.
      when 'complete' then
        r.success and (r.outcome = 'manual_completion') = (m.actor = 'operator')
      when 'cancelled' then r.outcome = 'cancelled'
      else false end
  union all
  -- A step that cannot be processed ends in error and keeps its result, even a success.
  select 'failed_step_has_a_failure',
         jsonb_build_object('step_uuid', s.workflow_step_uuid, 'outcome', r.outcome)
  from steps s
  left join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid
    and r.sort_key = s.result_sort_key
  left join moves m on m.workflow_step_uuid = s.workflow_step_uuid
    and m.sort_key = s.transition_count
  where s.state = 'error'
    and m.from_state is distinct from 'enqueued_for_orchestration'
    and r.success is distinct from false
  union all
  select 'permanent_failure_is_not_retried_by_the_engine',
         jsonb_build_object('step_uuid', m.workflow_step_uuid, 'sort_key', m.sort_key,
                            'to_state', m.to_state)
  from moves m
  join tasker.workflow_step_result_audit r on r.workflow_step_uuid = m.workflow_step_uuid
    and r.sort_key = m.sort_key - 1
  where m.to_state = 'waiting_for_retry'
    and m.from_state <> 'in_progress'
    and r.outcome <> 'retryable_failure'
$$;
comment on function tasker.find_result_violations(timestamptz) is
  'Results and completions that do not match one to one: one row per finding.';
