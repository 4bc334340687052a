-- One row per step of the given tasks: its state, whether its parents are done, whether it may be
-- tried (again), and whether it can be handed off now: what the engine would do if it evaluated the
-- task at this moment, except that a step under a concurrency policy which has not requested its
-- slot yet may find none. A filter on steps narrows the rows, never the parents that count for
-- them.
create or replace function tasker.get_step_readiness_status_batch(
  input_task_uuids uuid[], step_uuids uuid[] default null, p_now timestamptz default null)
returns table (
  workflow_step_uuid uuid, task_uuid uuid, named_step_uuid uuid, name text, current_state text,
  dependencies_satisfied boolean, retry_eligible boolean, ready_for_execution boolean,
  last_failure_at timestamptz, next_retry_at timestamptz, total_parents int, completed_parents int,
  attempts int, max_attempts int, backoff_request_seconds int, last_attempted_at timestamptz)
language sql stable parallel safe
as $$
  select s.workflow_step_uuid, s.task_uuid, s.named_step_uuid, coalesce(s.name, n.name)::text,
         s.state::text, p.total = p.satisfied, e.retry_eligible,
         tasker.evaluate_step_state_readiness(
             s.state::text, tasker.step_ended_well(s.state),
             s.lease_expires_at is not null, p.total = p.satisfied, e.retry_eligible, s.retryable,
             s.next_retry_at, p_now)
           and tasker.accepts_handoffs(t)
           and not tasker.waits_for_slot(s)
           and not tasker.has_open_wait(s, p_now),
         s.last_failure_at, s.next_retry_at, p.total, p.satisfied, s.attempts::int,
         s.max_attempts::int, s.backoff_request_seconds, s.last_attempted_at
  from tasker.workflow_steps s
  join tasker.named_steps n on n.named_step_uuid = s.named_step_uuid
  -- Counted from the edges and not read from the cached remaining_parents: the checks compare the
  -- cache with this count.
  cross join lateral (
    select count(*)::int as total,
           (count(*) filter (where tasker.step_ended_well(parent.state)))::int as satisfied
    from tasker.get_parent_steps(s.workflow_step_uuid) parent) p
  -- The first attempt is always allowed; after it retryable and max_attempts decide. A pending step
  -- that has attempts behind was put there by recovery, a release or an operator, and may be tried.
  -- One that is finished is not tried again by itself, and neither is anything of a task that is
  -- finished or being cancelled.
  join tasker.tasks t on t.task_uuid = s.task_uuid
  cross join lateral (
    select t.completed_at is null
           and t.cancel_requested_at is null
           and s.completed_at is null
           and (s.attempts = s.attempts_before_reset
                or s.state = 'pending'
                or tasker.may_be_retried(s)) as retry_eligible) e
  -- By their keys, so that the steps that are not asked for are not read.
  where s.task_uuid = any (input_task_uuids)
    and s.workflow_step_uuid = any (coalesce(step_uuids,
                                             array(select a.workflow_step_uuid
                                                   from tasker.workflow_steps a
                                                   where a.task_uuid = any (input_task_uuids))))
  order by s.task_uuid, s.step_position
$$;
comment on function tasker.get_step_readiness_status_batch(uuid[], uuid[], timestamptz) is
  'One row per step of the given tasks: its state, whether its parents are done, whether it may '
  'be tried (again), and whether it can be handed off now.';
