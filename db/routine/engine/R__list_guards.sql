-- The guards of the hot rows, each once: what must hold between the columns of a row, and the
-- triggers that compare moves with the rules. guard_tables installs and removes them,
-- find_fact_violations proves the facts without them, find_template_violations misses one that was
-- taken out by itself. A guard that is to say something else gets another name, and a migration
-- drops the former one: guard_tables looks at names.
-- Not here, and always enforced: keys, not null, append-only history, and the constraints of tables
-- that are written more rarely.
-- fact: the expression of a CHECK; null for a trigger. trigger: what follows its name.
-- Locks: none. Source: ADR 0081.
create or replace function tasker.list_guards()
returns table (table_name text, guard text, fact text, trigger text)
language sql immutable parallel safe
as $$
  values
    ('tasks', 'completed_at_iff_terminal',
     $f$(completed_at is not null)
        = (state in ('complete', 'error', 'cancelled', 'resolved_manually'))$f$, null),
    ('tasks', 'complete_iff_no_step_is_left',
     $f$state <> 'complete' or unfinished_steps = 0$f$, null),
    ('tasks', 'terminal_means_nothing_in_flight', 'completed_at is null or in_flight_steps = 0',
     null),
    ('tasks', 'counters_are_sane',
     'in_flight_steps >= 0
      and failed_steps >= 0
      and retrying_steps >= 0
      and unfinished_steps >= in_flight_steps + failed_steps + retrying_steps
      and total_steps >= unfinished_steps', null),
    ('tasks', 'priority_is_in_range', 'priority between -100 and 100', null),
    ('tasks', 'cancel_request_is_whole',
     '(cancel_requested_at is null) = (cancel_policy is null)', null),
    ('tasks', 'identity_is_held_or_given_up',
     '(former_identity_hash is not null) = (replaced_by_task_uuid is not null)
      and (former_identity_hash is null or identity_hash is null)', null),
    ('tasks', 'delay_has_an_end', 'not is_delayed or (start_at is not null and isfinite(start_at))',
     null),
    ('tasks', 'compensates_for_its_parent',
     $f$(compensates_task_uuid is not null)
        = (compensation is not distinct from 'parent')$f$, null),
    ('tasks', 'identity_is_given_up_after_the_end',
     'replaced_by_task_uuid is null or completed_at is not null', null),
    ('task_contexts', 'context_is_an_object', $f$jsonb_typeof(context) = 'object'$f$, null),
    ('task_contexts', 'trace_parent_is_of_w3c',
     $f$trace_parent ~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'$f$, null),
    ('workflow_steps', 'parents_are_counted', 'remaining_parents between 0 and total_parents',
     null),
    ('workflow_steps', 'leased_iff_in_progress',
     $f$(lease_expires_at is not null) = (state = 'in_progress')$f$, null),
    ('workflow_steps', 'retry_time_iff_waiting',
     $f$(next_retry_at is not null) = (state = 'waiting_for_retry')$f$, null),
    ('workflow_steps', 'completed_at_iff_finished',
     $f$(completed_at is not null)
        = (state in ('complete', 'error', 'cancelled', 'resolved_manually'))$f$, null),
    ('workflow_steps', 'started_means_parents_are_done',
     $f$remaining_parents = 0
        or state in ('pending', 'cancelled', 'error', 'complete', 'resolved_manually')$f$, null),
    ('workflow_steps', 'attempts_are_not_negative', 'attempts >= 0 and max_attempts >= 0', null),
    ('workflow_steps', 'attempts_were_handed_off', 'attempts <= handoffs', null),
    ('workflow_steps', 'reset_is_behind', 'attempts_before_reset between 0 and attempts', null),
    ('workflow_steps', 'worker_has_a_name', 'batch_step_uuid is null or name is not null', null),
    -- So that the other steps are read without the workers: get_open_steps.
    ('workflow_steps', 'worker_is_behind_the_steps',
     '(batch_step_uuid is not null) = (step_position > 1000000)', null),
    ('added_step_edges', 'no_step_depends_on_itself', 'from_position <> to_position', null),
    ('workflow_step_result_audit', 'failure_has_an_error',
     $f$outcome not in ('retryable_failure', 'permanent_failure') or error is not null$f$, null),
    ('task_moves', 'moves_follow_the_rules', null,
     'after insert on tasker.task_moves referencing new table as new_rows
      for each statement execute function tasker.check_task_transitions()'),
    ('step_moves', 'moves_follow_the_rules', null,
     'after insert on tasker.step_moves referencing new table as new_rows
      for each statement execute function tasker.check_step_transitions()')
$$;
comment on function tasker.list_guards() is
  'The guards of the hot rows, each once: what must hold between the columns of a row, and the '
  'triggers that compare moves with the rules.';
