-- Checks on the existing data whether every promise was kept: one row per invariant, with the
-- number of its violations and up to five examples. docs/reference/invariants.md explains what each
-- invariant means to a user. Safe on a live database: it reads all data in one snapshot.
-- p_since: only tasks created from then on (null: all). p_quiet_for: also reports messages and due
-- tasks that have waited for longer than this; null leaves them out, because on a busy system
-- messages come and go.
-- Locks: none.
create or replace function tasker.check_history(
  p_since timestamptz default null, p_quiet_for interval default null)
returns table (invariant text, violations bigint, examples jsonb)
language sql stable
set search_path = ''
as $$
  with invariants as (
    select i.name, i.n
    from unnest(
      array['task_state_is_the_end_of_its_history', 'step_state_is_the_end_of_its_history',
            'bulk_action_counts_its_verdicts', 'claim_lapses_no_later_than_the_wakeup',
            'ended_child_is_compensated_by_its_parent', 'queue_timeout_is_no_later_than_its_wakeup',
            'task_history_counts_without_gaps', 'step_history_counts_without_gaps',
            'task_move_starts_where_the_last_one_ended',
            'step_move_starts_where_the_last_one_ended', 'task_move_is_allowed_to_its_actor',
            'step_move_is_allowed_to_its_actor', 'handoff_grows_by_handoffs_only',
            'handoff_is_that_of_the_latest_move', 'attempt_follows_its_handoff',
            'attempts_are_those_of_the_history', 'idempotency_token_changes_by_an_operator_only',
            'step_history_goes_forward_in_time', 'row_keeps_its_facts',
            'task_counters_equal_a_recount',
            'parent_counters_equal_a_recount', 'completed_step_has_one_accepted_success',
            'step_is_completed_once', 'handoff_ends_once', 'ended_handoff_has_its_result',
            'result_has_its_move', 'step_starts_after_its_parents_ended', 'handoff_is_claimed_once',
            'nothing_starts_after_a_cancel_request', 'task_that_can_move_has_a_wakeup',
            'terminal_or_blocked_task_has_no_wakeup', 'retry_is_due_no_later_than_its_wakeup',
            'step_of_a_finished_task_cannot_move', 'template_has_no_cycle',
            'added_edge_is_of_an_added_step', 'added_edge_is_in_the_history',
            'grown_step_has_its_decision', 'grown_edge_has_its_decision', 'decision_is_carried_out',
            'batch_counters_equal_a_recount', 'batch_keeps_its_parallelism', 'worker_has_its_batch',
            'batch_is_closed_once', 'batchable_step_has_its_batch', 'grown_task_has_no_cycle',
            'wait_is_one_of_its_step', 'open_wait_is_of_a_pending_step',
            'step_starts_after_its_wait', 'wait_does_not_end_early',
            'wait_is_due_no_later_than_its_wakeup', 'approval_is_that_of_its_wait',
            'approval_is_decided_once', 'decision_is_the_result_of_its_step', 'four_eyes_are_kept',
            'claim_has_its_event', 'signal_is_consumed_once', 'signals_are_numbered_without_gaps',
            'signal_belongs_to_a_task', 'delayed_task_has_not_started', 'fire_has_its_task',
            'scheduled_task_has_its_fire', 'fire_is_behind_the_cursor',
            'queued_fire_is_that_of_its_schedule', 'backfill_stays_in_its_period',
            'fork_belongs_to_a_task', 'fork_has_what_it_copied', 'event_has_its_result',
            'result_has_its_events', 'events_of_a_step_are_in_order',
            'event_of_the_engine_has_its_cause', 'cause_has_its_event_of_the_engine',
            'delivery_has_its_event', 'event_has_its_deliveries',
            'deliveries_of_a_task_are_in_order', 'webhook_has_a_secret',
            'compensation_belongs_to_its_task', 'undo_has_its_done_step',
            'done_step_is_compensated', 'compensation_is_in_reverse_order',
            'compensated_means_each_is_complete', 'nothing_runs_beside_a_compensation',
            'child_is_one_of_its_step', 'end_of_a_child_is_told', 'ended_parent_leaves_no_child',
            'step_has_one_living_child', 'result_is_the_output_of_the_child',
            'output_belongs_to_an_ended_task', 'notice_belongs_to_a_task',
            'history_belongs_to_a_task', 'history_belongs_to_a_step', 'result_belongs_to_a_step',
            'task_ends_once', 'task_belongs_to_a_template', 'task_has_its_steps',
            'step_belongs_to_a_task', 'context_belongs_to_a_task', 'wakeup_belongs_to_a_task',
            'purged_task_is_gone', 'slot_is_held_by_what_is_under_way',
            'slots_are_within_the_limit_of_their_admission',
            'limited_step_in_flight_holds_its_slots', 'waiter_has_a_way_to_be_promoted',
            'slots_go_to_the_first_in_line', 'task_history_goes_forward_in_time',
            'nothing_is_dated_in_the_future', 'time_is_that_of_its_move',
            'step_has_the_times_of_its_start', 'result_fits_its_move', 'failed_step_has_a_failure',
            'permanent_failure_is_not_retried_by_the_engine', 'document_equals_its_hash',
            'search_attributes_equal_the_context', 'erased_task_has_no_document',
            'erasure_is_recorded', 'blocked_task_breaches_its_sla',
            'inputs_of_an_operator_are_kept', 'step_is_one_of_its_template',
            'added_step_has_a_name_of_its_own', 'task_has_the_edges_of_its_template',
            'task_keeps_the_settings_of_its_template', 'attempts_stay_within_the_limit',
            'attempts_were_handed_off', 'identity_is_kept', 'identity_has_one_unfinished_task',
            'identity_is_taken_over_as_its_template_says', 'template_equals_its_definition',
            'initial_edges_are_those_of_the_template',
            'rules_are_those_of_this_version', 'guards_are_in_place', 'task_state_fits_its_steps',
            'cancelled_means_asked_for', 'cancel_request_is_recorded', 'operator_move_is_recorded',
            'blocked_task_has_a_dead_letter', 'lease_belongs_to_its_claim',
            'attempts_count_from_the_latest_reset', 'yields_are_those_of_the_history',
            'decision_is_that_of_a_result', 'live_worker_is_one_of_its_batch',
            'batch_keeps_the_settings_of_its_template', 'batch_is_that_of_a_result',
            'wait_is_due_as_its_template_says', 'approval_is_that_of_its_template',
            'fork_is_that_of_its_request', 'feed_ends_at_its_last_position',
            'webhook_is_as_far_as_its_deliveries', 'webhook_counts_its_deliveries',
            'delivery_is_what_its_attempts_were', 'delivery_is_due_within_its_backoff',
            'active_schedule_has_its_next_fire_time', 'schedule_counts_its_fires',
            'unchecked_task_has_not_started', 'sla_breach_has_its_limit',
            'worker_serves_what_it_declared', 'worker_is_of_its_owner',
            'lease_is_that_of_its_heartbeat', 'policy_is_that_of_its_template',
            'slot_has_the_key_of_its_task', 'pause_is_that_of_its_action',
            'bulk_action_has_its_tasks', 'single_rows_are_there', 'lease_ends_within_a_day',
            'retry_waits_as_long_as_was_decided', 'wakeup_is_within_reach',
            'time_limit_is_no_later_than_its_wakeup', 'time_out_has_its_limit_and_its_reason',
            'document_belongs_to_a_step', 'dead_letter_belongs_to_a_task',
            'slot_belongs_to_its_task', 'recovery_record_belongs_to_a_task',
            'unclaimed_offer_is_one_of_its_task', 'worker_claim_is_one_of_its_worker',
            'handler_is_in_the_catalog', 'claimed_step_is_of_a_worker_that_serves_it',
            'tallies_equal_a_recount', 'sealed_value_is_sealed',
            'sealing_is_that_of_its_template'] || case
        when p_quiet_for is not null then
          array['offer_has_a_message', 'message_is_about_an_unfinished_step',
                'due_task_is_processed', 'expired_lease_is_recovered', 'queue_is_there',
                'message_is_about_a_step', 'message_is_sent_once', 'message_can_be_seen',
                'settled_dead_letter_is_closed', 'due_schedule_is_processed',
                'due_delivery_is_sent', 'nothing_is_put_off',
                'queued_signal_is_delivered'] end) with ordinality as i(name, n)),
  found as (
    select f.invariant, f.example
    from tasker.find_sealing_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_history_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_fact_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_counter_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_result_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_order_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_wakeup_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_reference_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_slot_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_template_violations() f
    union all
    select f.invariant, f.example
    from tasker.find_graph_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_growth_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_wait_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_approval_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_child_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_batch_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_schedule_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_fork_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_event_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_webhook_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_compensation_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_identity_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_worker_violations() f
    union all
    select f.invariant, f.example
    from tasker.find_setting_violations() f
    union all
    select f.invariant, f.example
    from tasker.find_state_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_time_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_document_violations(p_since) f
    union all
    select f.invariant, f.example
    from tasker.find_erasure_violations(p_since) f
    -- Tallies are not per task, so p_since cannot restrict them.
    union all
    select f.invariant, f.example
    from tasker.find_tally_violations() f
    where p_since is null
    union all
    select f.invariant, f.example
    from tasker.find_queue_violations(p_quiet_for) f
    where p_quiet_for is not null
    union all
    select f.invariant, f.example
    from tasker.find_overdue_violations(p_quiet_for) f
    where p_quiet_for is not null),
  numbered as (
    select f.invariant, f.example, row_number() over (partition by f.invariant) as n from found f)
  -- A full join, so that a finding whose name is not in the list is reported too.
  select coalesce(i.name, f.invariant), count(f.invariant),
         coalesce(jsonb_agg(f.example) filter (where f.n <= 5), '[]')
  from invariants i
  full join numbered f on f.invariant = i.name
  group by coalesce(i.name, f.invariant), i.n
  order by i.n
$$;
comment on function tasker.check_history(timestamptz, interval) is
  'Checks on the existing data whether every promise was kept: one row per invariant, with the '
  'number of its violations and up to five examples.';
