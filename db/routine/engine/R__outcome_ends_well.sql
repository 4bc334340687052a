-- Whether a result with that outcome ends its step well: its document is what successors read. The
-- column success of workflow_step_result_audit says the same of a stored row. Inlined into the
-- query that calls it.
-- Locks: none.
create or replace function tasker.outcome_ends_well(p_outcome tasker.step_outcome)
returns boolean
language sql immutable parallel safe
as $$
  select p_outcome in ('success', 'manual_completion')
$$;
comment on function tasker.outcome_ends_well(tasker.step_outcome) is
  'Whether a result with that outcome ends its step well: its document is what successors read.';
