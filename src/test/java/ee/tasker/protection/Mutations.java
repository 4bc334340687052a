package ee.tasker.protection;

import static ee.tasker.protection.Mutation.of;

import java.util.List;

/** The guards of the database, one entry each. */
final class Mutations {
  private static final String TAKE = "R__30_take_messages.sql";
  private static final String CLAIM = "R__30_claim_offered_steps.sql";
  private static final String BACK = "R__30_hand_back_steps.sql";
  private static final String ENQUEUE = "R__30_enqueue_steps.sql";
  private static final String SETTLE = "R__30_settle_steps.sql";
  private static final String CONCLUDE = "R__30_conclude_tasks.sql";
  private static final String RELEASE = "R__30_release_children.sql";
  private static final String RECOVER = "R__30_recover_expired_steps.sql";
  private static final String EVALUATE = "R__41_evaluate_tasks.sql";
  private static final String CANCEL = "R__41_request_cancel.sql";
  private static final String MOVE = "R__41_transition_step_state_atomic.sql";
  private static final String BEAT = "R__41_heartbeat.sql";
  private static final String NEXT = "R__41_get_next_ready_tasks.sql";
  private static final String PURGE = "R__30_purge_tasks.sql";
  private static final String SUBMIT = "R__41_submit_tasks.sql";
  private static final String LATE = "R__30_raise_late_tasks.sql";
  private static final String TABLES = "V0004__create_tasks_and_steps.sql";
  private static final String HISTORY = "V0005__create_history.sql";
  private static final String UNIQUE = "TableGuardsTest#what_is_unique";
  private static final String SANE = "TableGuardsTest#a_row_that";

  private Mutations() {}

  static final List<Mutation> ALL = List.of(
      // Locks.
      of("messages being taken are skipped", TAKE, "for update skip locked", "for update", "ClaimStepsTest#two_sessions_claim_disjoint"),
      of("messages being taken are locked", TAKE, "for update skip locked", "", "ClaimStepsTest#two_sessions_claim_disjoint"),
      of("due tasks of another session are skipped", NEXT, "for no key update of t skip locked", "for no key update of t", "GetNextReadyTasksTest#two_sessions_get_different"),
      of("due tasks are locked", NEXT, "for no key update of t skip locked", "", "GetNextReadyTasksTest#two_sessions_get_different"),
      of("a task is locked before its steps move", "R__20_lock_tasks.sql", "for no key update", "",
          "CrashWindowsTest#C8", "CompleteStepsTest#two_parents_that_are_completed", "MessageDelayTest#D4_join_of_parents_that_complete")
          .and("R__41_complete_steps.sql", "order by t.task_uuid for no key update;", "order by t.task_uuid;"),
      of("tasks are locked in one order", "R__20_lock_tasks.sql", "order by t.task_uuid for no key update", "order by random() for no key update",
          "CrashWindowsTest#C9_batches").and("R__41_complete_steps.sql", "order by t.task_uuid for no key update;", "order by random() for no key update;"),
      of("a cancel locks its task", CANCEL, "perform tasker.lock_tasks(v_known);", "null;",
          "CancelAfterHandoffTest#H5", "CancelBeforeHandoffTest#C3"),
      of("a sweep locks what it judges", RECOVER, "order by s.workflow_step_uuid\n    for update of s", "", "WorkerCrashTest#W7_heartbeat"),
      of("a heartbeat leaves locked steps alone", BEAT, "for no key update of s skip locked", "for no key update of s",
          "RequestCancelTest#a_heartbeat_does_not_wait"),
      of("one transaction claims a finalisation", "R__40_claim_task_for_finalization.sql", "for no key update skip locked", "",
          "FinalizeTaskCompletionTest#one_transaction_at_a_time"),
      // Who has the handler.
      of("a claim leaves messages to servers that have the handler", TAKE, "case when p_elsewhere is not null then", "case when false then",
          "DeclineStepsTest#a_server_without_the_handler"),
      of("a completion gives no step to a server without its handler", ENQUEUE, "if v_elsewhere is not null then", "if false then",
          "DeclineStepsTest#submission_and_completion"),
      of("a submission gives no step to a server without its handler", "R__30_create_steps.sql", "s.is_handed_off and not s.is_elsewhere and", "s.is_handed_off and",
          "DeclineStepsTest#roots_of_another"),
      of("a step without a handler here goes to a server that has it", "R__42_decline_steps.sql", "coalesce(v_elsewhere -> ns.name::text ? n.handler_key, false)", "false",
          "DeclineStepsTest#a_step_that_was_claimed_before"),
      of("a server that may come back is waited for", "R__30_refresh_handlers_elsewhere.sql", "((o.lease_expires_at > v_now and o.state <> 'stopped') or o.heartbeat_at > v_now - p_grace_seconds * interval '1 second')",
          "o.lease_expires_at > v_now and o.state <> 'stopped'", "DeclineStepsTest#a_server_that_restarts"),
      // Who is lost.
      of("a server that was away declares no other server lost", "R__30_expire_lost_servers.sql", "case when p_is_new and", "case when", "GetServersTest#who_was_away"),
      of("a new server waits for one and a half heartbeats", "R__30_expire_lost_servers.sql", "then 1.5 else 4 end", "then 0 else 4 end", "GetServersTest#a_server_that_starts_notices"),
      of("a new server need not live for four heartbeats", "R__30_expire_lost_servers.sql", "then 1.5 else 4 end", "then 4 else 4 end", "GetServersTest#a_server_that_starts_notices"),
      of("a start of the database is no evidence", "R__30_expire_lost_servers.sql", "p_is_new and v.heartbeat_at > pg_postmaster_start_time()", "p_is_new", "GetServersTest#after_a_start_of_the_database"),
      // Compare and set.
      of("a claim compares the attempt", CLAIM, " and s.attempts = o.attempt", "", "ClaimStepsTest#a_message_of_an_earlier_attempt", "WorkerCrashTest#W4"),
      of("a claim compares the state", CLAIM, "s.state = 'enqueued' and ", "", "WorkerCrashTest#W5", "CancelAfterHandoffTest#H1_offer", "ClaimStepsTest#of_two_messages"),
      of("a result submission compares the attempt", BACK, " and s.attempts = g.attempt", "", "WorkerCrashTest#W4"),
      of("a result submission compares the state", BACK, "s.state = 'in_progress' and ", "", "CompleteStepsTest#the_same_result_twice_is", "CompleteStepsTest#a_step_that_nobody_claimed"),
      of("a cancel compares the state of what it revokes", CANCEL, "order by s.workflow_step_uuid\n    for update),", "order by s.workflow_step_uuid),",
          "CancelAfterHandoffTest#H1_cancel_races", "ClaimStepsTest#a_claim_that_comes_before").and(CANCEL, " and s.state = n.from_state", ""),
      of("a heartbeat compares the attempt", BEAT, "where s.state = 'in_progress' and s.attempts = r.attempt\n        and s.lease", "where s.state = 'in_progress'\n        and s.lease", "WorkerCrashTest#W4"),
      of("a checkpoint compares the attempt", "R__40_save_checkpoint.sql", " and s.attempts = p_attempt", "", "WorkerCrashTest#W4"),
      of("a release compares the attempt", "R__41_release_steps.sql", " and s.attempts = r.attempt", "", "WorkerCrashTest#W4"),
      of("a single move compares the attempt", MOVE, "v_step.state is distinct from v_from or v_step.attempts is distinct from p_attempt or", "v_step.state is distinct from v_from or",
          "TransitionStepStateAtomicTest#another_attempt").and(MOVE, " and s.attempts = p_attempt", ""),
      of("a task that ended is never concluded again", CONCLUDE, "where t.completed_at is null)", "where true)", "MessageDelayTest#D1_late"),
      // Time.
      of("recovery waits for the end of the lease", RECOVER, "(s.lease_expires_at <= v_now or", "(true or", "WorkerCrashTest#W6", "OwnershipTest#O4"),
      of("a single move by recovery waits for the end of the lease", MOVE, "if p_actor = 'recovery' and v_step.lease_expires_at > v_now", "if false", "OwnershipTest#O4"),
      of("a retry waits until it is due", EVALUATE, " and s.next_retry_at <= v_now", "", "MessageDelayTest#D2_notice_that_comes_too_early"),
      // One transaction, and nothing left out of it.
      of("a result submission stores its result", BACK, "m.outcome, m.result, m.error\n    from moved m)", "m.outcome, m.result, m.error\n    from moved m where false)",
          "CompleteStepsTest#a_success_releases", "CrashWindowsTest#C3"),
      of("a result submission writes its history", BACK, "from moved m where m.state = 'complete')", "from moved m where false)", "CompleteStepsTest#a_success_releases"),
      of("a claim writes its history", CLAIM, "from claimed c),\n  -- A task", "from claimed c where false),\n  -- A task", "ClaimStepsTest#a_claim_leases"),
      of("a task's move writes its history", CONCLUDE, "where m.from_state <> m.to_state)", "where false)", "CompleteStepsTest#the_last_success"),
      of("a handoff writes its history", ENQUEUE, "from moved m where m.is_claimed)", "from moved m where false)", "CompleteStepsTest#a_caller_with_available_permits"),
      of("a handoff sends its message", ENQUEUE, "perform tasker.send_handoffs(v_handoffs);", "null;", "CrashWindowsTest#C1", "CrashWindowsTest#C5"),
      of("a result submission sends its notice", "R__41_complete_steps.sql", "perform pgmq.send_batch('orchestration_step_results', (", "perform ((",
          "CrashWindowsTest#C10", "PartialFailureTest#F2"),
      of("counters follow the steps", CONCLUDE, "t.unfinished_steps + j.unfinished,", "t.unfinished_steps,", "CompleteStepsTest#a_success_releases"),
      of("flight is counted", CONCLUDE, "t.in_flight_steps + j.in_flight,", "t.in_flight_steps,", "CompleteStepsTest#the_last_success"),
      // What may start.
      of("a child waits for all of its parents", RELEASE, "c.remaining_parents = k.done and c.state", "c.state", "CompleteStepsTest#a_fan_in_counts"),
      of("nothing starts after a failure", RELEASE, "and (t.failed_steps = 0 or t.continue_on_error)", "", "CompleteStepsTest#after_a_failure", "CompleteStepsTest#a_failure_and_the_success"),
      of("a failure is counted before the children start", "R__40_advance_tasks.sql", "if exists (select from unnest(v_settled.o_deltas) d where d.failed > 0) then", "if false then",
          "CompleteStepsTest#a_failure_and_the_success"),
      of("attempts have an end", SETTLE, "< s.max_attempts", "< 32000", "CompleteStepsTest#max_attempts_counts"),
      of("an unchecked context keeps its task from starting", EVALUATE, "t.cancel_requested_at is null and t.context_checked\n", "t.cancel_requested_at is null\n",
          "MessageDelayTest#D2_notice_that_comes_too_early"),
      of("a lost message is sent again", "R__42_process_tasks.sql", "perform tasker.resend_lost_messages(p_task_uuids, p_now);", "null;", "AdvanceDueTasksTest#a_queue_row"),
      of("a hidden message is shown again", "R__30_resend_lost_messages.sql", "set vt = clock_timestamp() where", "set vt = q.vt where", "AdvanceDueTasksTest#a_message_that_is_hidden"),
      of("a lost dead letter is restored", "R__40_reconcile_tasks.sql", "perform tasker.create_dlq_entries(array_agg(b.task_uuid), v_now), count(*)", "perform count(*)",
          "ReconcileTasksTest#a_blocked_task_whose"),
      // Rules and records.
      of("moves of steps follow the rules", "R__50_check_step_transitions.sql", "if found then", "if false then", "OwnershipTest#O1", "CancelBeforeHandoffTest#C6"),
      of("moves of tasks follow the rules", "R__50_check_task_transitions.sql", "if found then", "if false then", "GuardsTest#a_move_outside"),
      of("the rules give no half to two roles", HISTORY, "  ('in_progress', 'pending', 'worker', 'given back before it was started'),",
          "  ('in_progress', 'pending', 'worker', 'given back before it was started'), ('in_progress', 'complete', 'orchestrator', 'too much'),", "OwnershipTest#O1"),
      of("history is append-only", "R__50_refuse_history_change.sql", "begin\n  raise", "begin\n  return coalesce(new, old);\n  raise", "GuardsTest#history_is_never"),
      of("a template never changes", "R__50_refuse_template_change.sql", "if tg_op = 'UPDATE' then", "if tg_op = 'UPDATE' then\n    return new;", "GuardsTest#a_template_never"),
      // What is purged.
      of("unfinished work is never purged", PURGE, "any (p_task_uuids) and t.completed_at is not null", "any (p_task_uuids)", "PurgeTasksTest#unfinished_work"),
      of("what somebody holds is not purged", PURGE, "order by t.task_uuid for update skip locked) l", "order by t.task_uuid) l", "PurgeTasksTest#who_submits_a_child"),
      of("a child is not purged before its parent", PURGE, "      and not exists (select from tasker.tasks p where p.task_uuid = t.parent_task_uuid)\n", "", "PurgeTasksTest#a_child_is_kept"),
      of("a parent is one of a namespace that the caller may name", SUBMIT, " and coalesce(r -> 'parent_namespaces' ? ns.name, true)", "", "RequestCancelTest#a_parent_of_a_namespace")
          .and(SUBMIT, "\n               or not coalesce(g.request -> 'parent_namespaces' ? (v_parents ->> lower(g.request ->> 'parent_task_uuid')), true)", ""),
      of("a token is run by its maker", "R__43_run_bulk_action.sql", " or (p_run_by is not null and v_bulk.made_by is distinct from p_run_by)", "", "RunBulkActionTest#a_token_of_one_caller"),
      of("a parent is not purged before its child has ended", PURGE,
          "      and not exists (select from tasker.tasks c where c.parent_task_uuid = t.task_uuid and c.completed_at is null)\n", "", "PurgeTasksTest#a_child_is_kept"),
      of("what an open dead letter is about is not purged", PURGE, "d.task_uuid = t.task_uuid and d.resolution_status = 'pending')", "false)", "PurgeTasksTest#a_task_with_an_open_dead_letter"),
      of("what is not counted yet is not purged", PURGE, "on h.xact_id < a.next_xact or h.created_at <= a.rebuilt_at", "on true", "PurgeTasksTest#what_the_analytics"),
      of("what is purged leaves the counts by state", PURGE, "set tasks = y.tasks - g.n", "set tasks = y.tasks", "PurgeTasksTest#counts_by_state"),
      of("what was purged is not counted afresh", "R__20_count_task_moves.sql", "and not exists (select from tasker.purged_tasks g where g.task_uuid = h.task_uuid)", "",
          "PurgeTasksTest#counts_by_state"),
      of("a template is purged by one at a time", "R__40_purge_expired_tasks.sql", "limit 1\n  for update skip locked;", "limit 1;", "PurgeTasksTest#two_purgers"),
      of("a month keeps the history of what is not purged", "R__41_drop_history_month.sql", "where exists (select from tasker.tasks t where t.task_uuid = h.task_uuid and t.task_uuid < $1)", "where $1 is null",
          "DropHistoryMonthTest#a_month_in_which_an_unfinished"),
      of("who was purged is remembered while history may be left", "R__41_forget_purged_tasks.sql", "and m.rewritten_at < p.purged_at + interval '1 hour')", "and false)", "DropHistoryMonthTest#what_was_purged_just_before"),
      // Who comes first.
      of("a retry comes forward", "R__10_calculate_step_place.sql", "* 60000", "* 0", "EscalateSlaBreachesTest#every_further", "EscalateSlaBreachesTest#a_retry_comes"),
      of("who is late comes forward", "R__42_process_tasks.sql", "perform tasker.escalate_sla_breaches(p_task_uuids, p_now);", "null;", "EscalateSlaBreachesTest#an_offer_that_waits"),
      of("who is late comes forward once", LATE, " and t.sla_breached_at is null", "", "EscalateSlaBreachesTest#an_offer_that_waits"),
      of("an offer that is being taken keeps nobody who is late waiting", LATE, "for update skip locked)", "for update)", "EscalateSlaBreachesTest#a_worker_that_is_taking"),
      // Who may.
      of("an expired key is no way in", "R__21_get_key_access.sql", " or v_key.expires_at <= clock_timestamp()", "", "CreateUserTest#a_key_is_known"),
      of("a revoked key is no way in", "R__21_get_key_access.sql", "v_key.revoked_at is not null or ", "", "CreateUserTest#a_key_is_known"),
      of("a disabled user is told apart", "R__21_get_user_access.sql", "'enabled', u.disabled_at is null", "'enabled', true", "ListAccessTest#a_disabled_user"),
      of("the grant of the last administrator stays", "R__40_revoke_grant.sql", "return v_refusal;", "null;", "ListAccessTest#the_last_administrator"),
      of("the last administrator is not disabled", "R__40_set_user_enabled.sql", "return v_refusal;", "null;", "ListAccessTest#the_last_administrator"),
      of("administrators are taken away one at a time", "R__30_refuse_last_administrator.sql", "perform pg_advisory_xact_lock(hashtextextended('tasker.administrators', 0));", "null;", "ListAccessTest#of_two_administrators"),
      of("a filter of null means no task", "R__28_find_tasks_for_action.sql", "f where f.value = 'null'", "f where false", "RunBulkActionTest#a_filter_of_null"),
      of("a move is of an attempt", "R__41_transition_step_state_atomic.sql", "v_step.attempts is distinct from p_attempt", "v_step.attempts <> p_attempt", "TransitionStepStateAtomicTest#a_move_without"),
      of("a bulk token is told to its maker alone", "R__20_get_bulk_action.sql", " and b.made_by = p_made_by", "", "RunBulkActionTest#its_maker"),
      of("a request is answered once", "R__40_finish_write_request.sql", " and w.status is null", "", "ListAccessTest#a_write_request"),
      of("what people did is told under the name that was authenticated", "R__26_get_task_story.sql", "coalesce(a.authenticated_as, a.acted_by)", "a.acted_by", "ListAccessTest#an_action_keeps"),
      of("only rows that are old enough expire", "R__40_purge_expired_rows.sql", "where o.%2$I < $1 order by", "where $1 is not null order by", "PurgeExpiredRowsTest#"),
      // Tables.
      of("a request is one task", TABLES, "create unique index tasks_identity_hash_key", "create index tasks_identity_hash_key",
          UNIQUE, "SubmitTasksTest#two_sessions_with_the_same_request").and("R__41_submit_tasks.sql", "on conflict (identity_hash) where identity_hash is not null do nothing", ""),
      of("an identity is taken over under the lock of the task that has it", SUBMIT, "for no key update of t),\n    released", "),\n    released",
          "IdentityReuseTest#a_task_that_an_operator_takes_up"),
      of("an identity is kept as its template says", SUBMIT, "(f.identity_reuse = 'after_end' or t.state in ('error', 'cancelled'))", "true", "IdentityReuseTest#neither_an_unfinished"),
      of("an unfinished task keeps its identity", SUBMIT, "where t.completed_at is not null and (f.identity_reuse", "where (f.identity_reuse", "IdentityReuseTest#neither_an_unfinished"),
      of("a task whose identity was taken over stays ended", "R__42_act_on_task.sql", "when v_task.replaced_by_task_uuid is not null then", "when false then", "IdentityReuseTest#a_replaced_task_is_started"),
      of("an identity is given up after the end", "V0094__let_an_identity_be_used_again.sql",
          ",\n  add constraint identity_is_given_up_after_the_end check (replaced_by_task_uuid is null or completed_at is not null);", ";", SANE),
      of("a value that cannot be found is refused", SUBMIT, "from tasker.extract_search_attributes(g.search_attributes, g.request -> 'context') a where a.complaint is not null",
          "from tasker.extract_search_attributes(g.search_attributes, g.request -> 'context') a where false", "WriteSearchAttributesTest#a_value_that_cannot"),
      of("a task is found by its context from the start", SUBMIT, "perform tasker.write_search_attributes(v_created);", "null;", "WriteSearchAttributesTest#tasks_are_found"),
      of("a task is found by the context of a retry", "R__42_act_on_task.sql", "perform tasker.write_search_attributes(array[p_task_uuid]);", "null;",
          "WriteSearchAttributesTest#an_operators_retry"),
      of("a list by context stays in the namespaces of its caller", "R__27_list_tasks.sql", "      and (p_filter -> 'namespaces' is null or p_filter -> 'namespaces' ? ns.name)\n", "",
          "WriteSearchAttributesTest#tasks_are_found"),
      of("a position is one step", TABLES, "constraint one_step_per_task_and_position unique (task_uuid, step_position),", "", UNIQUE),
      of("a move has one result", TABLES, "  primary key (workflow_step_uuid, sort_key),\n  constraint failure", "  constraint failure", UNIQUE),
      of("an edge is there once", TABLES, "primary key (from_step_uuid, to_step_uuid),", "", UNIQUE),
      of("a task has one open investigation", HISTORY, "create unique index one_open_investigation_per_task", "create index one_open_investigation_per_task", UNIQUE)
          .and("R__29_create_dlq_entries.sql", "on conflict (task_uuid) where resolution_status = 'pending' do nothing", ""),
      of("a version is one template", "V0003__create_templates.sql", "  constraint one_template_per_version unique (task_namespace_uuid, name, version),\n", "", UNIQUE),
      of("a lease exactly while in progress", TABLES, "  constraint leased_iff_in_progress check ((lease_expires_at is not null) = (state = 'in_progress')),\n", "", SANE),
      of("started means that the parents are done", TABLES, "  constraint started_means_parents_are_done check\n    (remaining_parents = 0 or state in ('pending', 'cancelled', 'error', 'complete', 'resolved_manually')),\n", "", SANE),
      of("complete means that no step is left", TABLES, "  constraint complete_iff_no_step_is_left check (state <> 'complete' or unfinished_steps = 0),\n", "", SANE),
      of("nothing is in flight after the end", TABLES, "  constraint terminal_means_nothing_in_flight check (completed_at is null or in_flight_steps = 0),\n", "", SANE));
}
