-- Whether a step may be tried again after an attempt that failed or was lost: it is retryable and
-- has attempts left, counted from its latest reset. Inlined into the query that calls it.
-- Locks: none. Source: ADR 0072.
create or replace function tasker.may_be_retried(p_step tasker.workflow_steps)
returns boolean
language sql immutable parallel safe
as $$
  select p_step.retryable
         and p_step.attempts - p_step.attempts_before_reset < p_step.max_attempts
$$;
comment on function tasker.may_be_retried(tasker.workflow_steps) is
  'Whether a step may be tried again after an attempt that failed or was lost.';
