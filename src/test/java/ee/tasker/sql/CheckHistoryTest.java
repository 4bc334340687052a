package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.SingleMoves;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.BreaksPromises
@DatabaseTest.Covers({"find_history_violations", "find_counter_violations",
  "find_result_violations", "find_order_violations",
  "find_wakeup_violations", "find_reference_violations", "find_queue_violations",
  "find_overdue_violations", "find_slot_violations"})
class CheckHistoryTest {
  private static final String FREE = "set session_replication_role = replica";
  private final Dag.Task task = Dag.linear(2).started();

  /** Breaks something by hand, past triggers, and returns the invariants that noticed. */
  private static List<String> noticed(String... damage) {
    try (Sql sql = Sql.open()) {
      sql.run(FREE);
      SingleMoves.spellOut(sql);
      for (String statement : damage) {
        assertThat(sql.run(statement)).as(statement).isPositive();
      }
      return sql.texts(
          "select invariant from tasker.check_history(p_quiet_for => '-1 hour') where violations > 0 "
              + "and jsonb_array_length(examples) between 1 and 5");
    }
  }

  private void complete() {
    try (SqlWorker worker = SqlWorker.open()) {
      worker.runToTheEnd();
    }
  }

  @Test
  void a_sound_database_has_a_row_of_zero_for_every_promise() {
    complete();
    try (Sql sql = Sql.open()) {
      assertThat(sql.rows("select * from tasker.check_history(p_quiet_for => '-1 hour')"))
          .hasSize(190).allSatisfy(row -> assertThat(row.get("violations")).isEqualTo(0L));
    }
  }

  @Test
  void a_state_changed_past_the_history_is_noticed() {
    complete();
    assertThat(noticed("update tasker.tasks set state = 'error'"))
        .contains("task_state_is_the_end_of_its_history");
    assertThat(noticed("update tasker.workflow_steps set state = 'resolved_manually'"))
        .contains("step_state_is_the_end_of_its_history");
  }

  @Test
  void missing_and_doubled_history_is_noticed() {
    complete();
    assertThat(noticed("delete from tasker.task_moves where sort_key = 2"))
        .contains("task_history_counts_without_gaps", "task_move_starts_where_the_last_one_ended");
    assertThat(noticed("delete from tasker.step_moves where sort_key = 2"))
        .contains("step_history_counts_without_gaps", "step_move_starts_where_the_last_one_ended",
            "handoff_grows_by_handoffs_only");
  }

  @Test
  void a_move_by_an_actor_who_may_not_make_it_is_noticed() {
    assertThat(noticed("update tasker.task_moves set actor = 'worker' where sort_key = 2"))
        .contains("task_move_is_allowed_to_its_actor");
    assertThat(noticed(
        "update tasker.step_moves set actor = 'worker' where to_state = 'enqueued'"))
        .contains("step_move_is_allowed_to_its_actor");
  }

  @Test
  void a_handoff_that_jumps_is_noticed() {
    assertThat(noticed("update tasker.workflow_steps set handoffs = 5 where state = 'enqueued'"))
        .contains("handoff_is_that_of_the_latest_move", "offer_has_a_message");
  }

  @Test
  void time_that_runs_backwards_is_noticed() {
    assertThat(noticed(
        "update tasker.step_moves set created_at = now() - interval '1 day' where to_state = 'enqueued'"))
        .contains("step_history_goes_forward_in_time");
  }

  @Test
  void wrong_counters_are_noticed() {
    assertThat(noticed("update tasker.tasks set unfinished_steps = 1"))
        .contains("task_counters_equal_a_recount");
    assertThat(noticed("update tasker.workflow_steps set remaining_parents = 0"))
        .contains("parent_counters_equal_a_recount");
  }

  @Test
  void a_completion_without_result_and_a_result_without_completion_are_noticed() {
    complete();
    assertThat(noticed("update tasker.workflow_step_result_audit set attempt = 2"))
        .contains("completed_step_has_one_accepted_success", "ended_handoff_has_its_result",
            "result_has_its_move");
    assertThat(noticed("delete from tasker.workflow_step_result_audit")).contains(
        "completed_step_has_one_accepted_success",
        "ended_handoff_has_its_result");
  }

  @Test
  void a_step_that_is_claimed_submitted_or_completed_twice_is_noticed() {
    complete();
    assertThat(noticed(
        "insert into tasker.step_moves (workflow_step_uuid, sort_key, task_uuid, from_state, to_state, actor, handoff, attempt) "
            + "select workflow_step_uuid, sort_key + 10, task_uuid, from_state, to_state, actor, handoff, attempt from tasker.workflow_step_transitions"))
        .contains("handoff_is_claimed_once", "handoff_ends_once", "step_is_completed_once");
  }

  @Test
  void a_step_that_started_before_its_parent_ended_is_noticed() {
    complete();
    assertThat(
        noticed(
            "update tasker.step_moves set created_at = created_at - interval '1 hour' where workflow_step_uuid = '"
                + task.step("s2") + "'"))
        .contains("step_starts_after_its_parents_ended");
  }

  @Test
  void a_start_after_a_cancel_request_is_noticed() {
    assertThat(noticed(
        "update tasker.tasks set cancel_requested_at = now() - interval '1 hour', cancel_policy = 'allow_finish'"))
        .contains("nothing_starts_after_a_cancel_request");
  }

  @Test
  void missing_and_useless_wake_ups_are_noticed() {
    assertThat(noticed("delete from tasker.task_wakeups"))
        .contains("task_that_can_move_has_a_wakeup");
    Dag.of("a").started();
    complete();
    assertThat(noticed(
        "insert into tasker.task_wakeups select task_uuid, now() from tasker.tasks limit 1"))
        .contains("terminal_or_blocked_task_has_no_wakeup");
  }

  @Test
  void a_retry_that_would_be_forgotten_is_noticed() {
    try (SqlWorker worker = SqlWorker.open()) {
      worker.complete(worker.claimOne().retryableFailure(1000));
    }
    assertThat(noticed("update tasker.task_wakeups set wake_at = now() + interval '1 hour'"))
        .contains("retry_is_due_no_later_than_its_wakeup");
  }

  @Test
  void a_step_that_goes_on_in_a_finished_task_is_noticed() {
    complete();
    assertThat(noticed("update tasker.workflow_steps set state = 'enqueued', completed_at = null"))
        .contains("step_of_a_finished_task_cannot_move");
  }

  @Test
  void rows_that_belong_to_nothing_are_noticed() {
    assertThat(
        noticed("insert into tasker.added_step_edges select task_uuid, 1, 99 from tasker.tasks"))
        .contains("added_edge_is_of_an_added_step");
    complete();
    assertThat(noticed(
        "update tasker.step_moves set workflow_step_uuid = gen_random_uuid()"))
        .contains("history_belongs_to_a_step");
    assertThat(noticed("update tasker.task_moves set task_uuid = gen_random_uuid()"))
        .contains("history_belongs_to_a_task");
    assertThat(noticed(
        "update tasker.workflow_step_result_audit set workflow_step_uuid = gen_random_uuid()"))
        .contains("result_belongs_to_a_step");
  }

  @Test
  void a_task_that_is_not_whole_is_noticed() {
    assertThat(noticed("update tasker.task_wakeups set task_uuid = gen_random_uuid()"))
        .contains("wakeup_belongs_to_a_task");
    assertThat(noticed("update tasker.task_contexts set task_uuid = gen_random_uuid()"))
        .contains("context_belongs_to_a_task");
    assertThat(noticed("delete from tasker.workflow_steps where step_position = 2"))
        .contains("task_has_its_steps")
        .doesNotContain("step_belongs_to_a_task");
    assertThat(noticed("update tasker.tasks set named_task_uuid = gen_random_uuid()"))
        .contains("task_belongs_to_a_template");
    assertThat(noticed("update tasker.workflow_steps set task_uuid = gen_random_uuid()")).contains(
        "step_belongs_to_a_task",
        "task_has_its_steps");
  }

  @Test
  void a_template_with_a_cycle_is_noticed() {
    try (Sql sql = Sql.session()) {
      sql.run("set local session_replication_role = replica");
      sql.run(
          "update tasker.named_tasks_named_steps set parent_positions = array[2] where named_task_uuid = ? and step_position = 1",
          task.template().uuid());
      assertThat(sql.number(
          "select violations from tasker.check_history() where invariant = 'template_has_no_cycle'"))
          .isEqualTo(2);
      sql.rollback();
    }
  }

  @Test
  void lost_messages_and_messages_about_finished_steps_are_noticed_on_a_quiet_system() {
    assertThat(
        noticed("update pgmq.q_worker_orders_queue set message = message || '{\"handoff\": 9}'"))
        .contains("offer_has_a_message");
    try (Sql sql = Sql.open()) {
      sql.run("update pgmq.q_worker_orders_queue set message = message || '{\"handoff\": 1}'");
      sql.text(
          "select pgmq.send('worker_orders_queue', message, headers) from pgmq.q_worker_orders_queue");
      sql.run(
          "update pgmq.q_worker_orders_queue set vt = now() + interval '1 hour' where msg_id = (select max(msg_id) from pgmq.q_worker_orders_queue)");
    }
    complete();
    assertThat(noticed("update tasker.task_contexts set context = context"))
        .contains("message_is_about_an_unfinished_step");
  }

  @Test
  void slots_that_are_not_as_they_must_be_are_noticed() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}");
    for (int i = 0; i < 3; i++) {
      dag.started();
    }
    try (SqlWorker worker = SqlWorker.open()) {
      worker.advance();
    }
    assertThat(noticed("update tasker.concurrency_policies set updated_at = now()"))
        .as("sound before")
        .doesNotContain("slot_is_held_by_what_is_under_way",
            "limited_step_in_flight_holds_its_slots", "waiter_has_a_way_to_be_promoted");
    assertThat(noticed("update tasker.concurrency_slots set handoff = 7 where handoff = 1"))
        .contains("slot_is_held_by_what_is_under_way", "limited_step_in_flight_holds_its_slots");
    assertThat(noticed("update tasker.concurrency_slots set handoff = 1 where handoff = 7",
        "update tasker.concurrency_slots set admitted_at = now(), admitted_limit = 1 where admitted_at is null"))
        .contains("slots_are_within_the_limit_of_their_admission");
    assertThat(noticed("update tasker.concurrency_slots set handoff = null",
        "update tasker.concurrency_slots set admitted_at = null, admitted_limit = null"))
        .contains("waiter_has_a_way_to_be_promoted");
  }

  @Test
  void a_waiter_admitted_before_one_who_came_long_before_is_noticed() {
    Dag dag = Dag.of("a").stepPolicy("{\"limit\": 1}");
    dag.started();
    dag.started();
    try (SqlWorker worker = SqlWorker.open()) {
      worker.advance();
    }
    assertThat(noticed(
        "update tasker.concurrency_slots set requested_at = requested_at - interval '1 hour'"
            + " where admitted_at is not null"))
        .doesNotContain("slots_go_to_the_first_in_line");
    assertThat(noticed(
        "update tasker.concurrency_slots set requested_at = now() - interval '1 hour' where admitted_at is null",
        "update tasker.concurrency_slots set claim_rank = claim_rank + 3600000 where admitted_at is not null"))
        .contains("slots_go_to_the_first_in_line");
  }

  @Test
  void a_task_that_ends_twice_or_goes_on_after_its_end_is_noticed() {
    complete();
    assertThat(noticed(
        "insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor) "
            + "select task_uuid, sort_key + 1, 'complete', 'evaluating_results', 'orchestrator' from tasker.task_transitions where to_state = 'complete'"))
        .contains("task_ends_once");
    assertThat(noticed("delete from tasker.task_moves where from_state = 'complete'",
        "insert into tasker.task_moves (task_uuid, sort_key, from_state, to_state, actor) "
            + "select task_uuid, sort_key + 1, 'evaluating_results', 'complete', 'orchestrator' from tasker.task_transitions where to_state = 'complete'"))
        .contains("task_ends_once");
  }

  @Test
  void an_unprocessed_task_and_an_expired_lease_are_noticed_on_a_quiet_system() {
    try (SqlWorker worker = SqlWorker.open(); Sql sql = Sql.open()) {
      worker.claimOne();
      assertThat(sql.texts(
          "select invariant from tasker.check_history(p_quiet_for => '1 minute') where violations > 0"))
          .isEmpty();
      sql.run("update tasker.task_wakeups set wake_at = clock_timestamp() - interval '2 minutes'");
      sql.run(
          "update tasker.workflow_steps set lease_expires_at = clock_timestamp() - interval '2 minutes' where state = 'in_progress'");
      assertThat(sql.texts(
          "select invariant from tasker.check_history(p_quiet_for => '1 minute') where violations > 0"))
          .containsExactly("due_task_is_processed", "expired_lease_is_recovered");
      assertThat(sql.texts(
          "select invariant from tasker.check_history(p_quiet_for => '3 minutes') where violations > 0"))
          .isEmpty();
    }
  }

  @Test
  void older_tasks_can_be_left_out() {
    noticed(
        "update tasker.tasks set unfinished_steps = 1, created_at = now() - interval '2 months'");
    try (Sql sql = Sql.open()) {
      assertThat(sql.number("select sum(violations) from tasker.check_history()")).isPositive();
      assertThat(sql.number(
          "select violations from tasker.check_history(now() - interval '1 month') where invariant = 'task_counters_equal_a_recount'"))
          .isZero();
    }
  }

  @Test
  void a_login_that_may_only_read_can_run_the_check() {
    complete();
    try (Sql sql = Sql.open()) {
      sql.run(
          "do $$ begin create role history_reader login; exception when duplicate_object then null; end $$");
      sql.run("grant pg_read_all_data to history_reader");
      sql.run("grant usage on schema tasker, pgmq to history_reader");
    }
    try (Sql reader = Sql.openAs("history_reader")) {
      reader.run("set default_transaction_read_only = on");
      assertThat(reader.texts(
          "select invariant from tasker.check_history(p_quiet_for => '10 minutes') where violations > 0"))
          .isEmpty();
      assertThat(
          reader.number("select count(*) from tasker.check_history(p_quiet_for => '10 minutes')"))
          .isEqualTo(190);
    }
  }
}
