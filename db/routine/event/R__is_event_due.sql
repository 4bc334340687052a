-- Whether an event with that condition follows from a result with that outcome: success, also by an
-- operator; failure of either kind, or of one; always. Locks: none. Source: ADR 0050.
create or replace function tasker.is_event_due(p_condition text, p_outcome tasker.step_outcome)
returns boolean
language sql immutable parallel safe
as $$
  select case p_condition
    when 'always' then true
    when 'success' then tasker.outcome_ends_well(p_outcome)
    when 'failure' then p_outcome in ('retryable_failure', 'permanent_failure')
    else p_condition = p_outcome::text
  end
$$;
comment on function tasker.is_event_due(text, tasker.step_outcome) is
  'Whether an event with that condition follows from a result with that outcome.';
