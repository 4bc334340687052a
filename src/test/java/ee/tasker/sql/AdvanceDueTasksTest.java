package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers({"recover_expired_steps", "resend_lost_messages", "set_next_wakeups",
  "evaluate_tasks"})
class AdvanceDueTasksTest {
  private final SqlWorker worker = SqlWorker.open();

  @Test
  void a_lease_is_not_taken_back_a_microsecond_before_it_ends() {
    Dag.Task task = Dag.of("a").started();
    Claim claim = worker.claimOne();
    try (Sql sql = Sql.open()) {
      Instant end = sql.instant("select lease_expires_at from tasker.workflow_steps");
      sql.run("update tasker.task_wakeups set wake_at = now()");

      worker.at(end.minusNanos(1000)).advance();
      assertThatStep(claim.step()).isIn("in_progress");

      sql.run("update tasker.task_wakeups set wake_at = now()");
      worker.at(end).advance();
      assertThatStep(claim.step()).isIn("enqueued").hasAttempts(2)
          .went("pending", "enqueued", "in_progress", "pending", "enqueued");
    }
    assertThatTask(task).isIn("steps_in_process");
  }

  @Test
  void a_lost_worker_uses_up_an_attempt_and_the_last_one_blocks_the_task() {
    Dag.Task task = Dag.of("a").maxAttempts(1).started();
    worker.claimOne();
    worker.at(Instant.now().plusSeconds(61)).advance();

    assertThatStep(task.step("a")).isIn("error").hasAttempts(1);
    assertThatTask(task).isIn("blocked_by_failures").hasOpenDeadLetter("max_retries_exceeded");
  }

  @Test
  void a_lost_worker_of_a_cancelled_task_leaves_its_step_cancelled() {
    Dag.Task task = Dag.of("a").started();
    worker.claimOne();
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
    }
    worker.at(Instant.now().plusSeconds(61)).advance();
    assertThatStep(task.step("a")).isIn("cancelled");
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void a_retry_starts_when_it_is_due_and_not_before() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().retryableFailure(10_000));

    worker.at(Instant.now().plusSeconds(5)).advance();
    assertThatStep(task.step("a")).isIn("waiting_for_retry");
    assertThatTask(task).isLookedAtAbout(Instant.now().plusSeconds(10));

    worker.at(Instant.now().plusSeconds(11)).advance();
    assertThatStep(task.step("a")).isIn("enqueued");
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0).went(
        "initializing", "enqueuing_steps", "steps_in_process", "evaluating_results",
        "waiting_for_retry",
        "evaluating_results", "enqueuing_steps", "steps_in_process");
  }

  @Test
  void a_retry_of_one_step_does_not_wait_for_its_running_sibling() {
    Dag.Task task = Dag.parallel(2).started();
    List<Claim> claims = worker.claim(2);
    worker.complete(claims.get(0).retryableFailure(2000));
    assertThatTask(task).isIn("steps_in_process").isLookedAtAbout(Instant.now().plusSeconds(2));
    worker.at(Instant.now().plusSeconds(3)).advance();
    assertThatStep(claims.get(0).step()).isIn("enqueued");
    assertThatStep(claims.get(1).step()).isIn("in_progress");
  }

  @Test
  void a_queue_row_that_was_deleted_is_put_back_and_the_work_still_ends() {
    Dag.Task task = Dag.linear(2).started();
    try (Sql sql = Sql.open()) {
      sql.run("delete from pgmq.q_worker_orders_queue");
      assertThat(worker.claim(10)).isEmpty();

      worker.at(Instant.now().plusSeconds(31)).advance();
      worker.at(null).runToTheEnd();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_message_that_is_hidden_for_years_is_shown_again_and_one_that_a_client_reads_is_left_to_it() {
    Dag.Task task = Dag.linear(2).started();
    try (Sql sql = Sql.open()) {
      sql.run("update pgmq.q_worker_orders_queue set vt = now() + interval '14 minutes'");
      worker.at(Instant.now().plusSeconds(31)).advance();
      assertThat(worker.at(null).claim(10)).as("within the time that a client may need").isEmpty();

      sql.run("update pgmq.q_worker_orders_queue set vt = now() + interval '5 years'");
      sql.run("update tasker.task_wakeups set wake_at = now()");
      worker.at(Instant.now().plusSeconds(31)).advance();
      assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue"))
          .as("shown and not sent twice").isEqualTo(1);
      worker.at(null).runToTheEnd();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_queue_whose_table_was_dropped_past_pgmq_is_made_again_and_the_work_still_ends() {
    Dag.Task task = Dag.linear(2).inNamespace("dropped").started();
    try (Sql sql = Sql.open()) {
      sql.run("drop table pgmq.q_worker_dropped_queue");

      worker.at(Instant.now().plusSeconds(31)).advance();
      worker.at(null).runToTheEnd();
      assertThat(sql.number("select count(*) from tasker.task_faults")).isZero();
    }
    assertThatTask(task).isIn("complete");
  }

  @Test
  void an_offer_whose_message_is_still_there_is_not_sent_again() {
    Dag.parallel(3).started();
    try (Sql sql = Sql.open()) {
      worker.at(Instant.now().plusSeconds(31)).advance();
      assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(3);
    }
  }

  @Test
  void a_task_that_waits_long_in_a_queue_is_evaluated_ever_more_rarely() {
    Dag.Task task = Dag.of("a").started();
    Instant hourLater = Instant.now().plusSeconds(3600);
    worker.at(hourLater).advance();
    assertThatTask(task).isLookedAtAbout(hourLater.plusSeconds(600));
  }

  @Test
  void a_pending_task_is_started() {
    Dag.Task task = Dag.diamond().submitted();
    assertThatTask(task).isIn("pending");
    worker.advance();
    assertThatTask(task).isIn("steps_in_process").went("initializing", "enqueuing_steps",
        "steps_in_process");
    assertThatStep(task.step("a")).isIn("enqueued");
    assertThatStep(task.step("d")).isIn("pending");
  }

  @Test
  void results_that_no_orchestrator_took_over_are_taken_over() {
    Dag.Task task = Dag.linear(2).started();
    worker.submitResults(worker.claimOne().success());
    try (Sql sql = Sql.open()) {
      sql.run("delete from pgmq.q_orchestration_step_results");
    }
    worker.at(Instant.now().plusSeconds(31)).advance();
    assertThatStep(task.step("s1")).isIn("complete");
    assertThatStep(task.step("s2")).isIn("enqueued");
  }

  @Test
  void a_task_left_in_any_state_between_two_rests_goes_on() {
    for (String state : List.of("initializing", "enqueuing_steps", "steps_in_process",
        "evaluating_results", "waiting_for_dependencies")) {
      Dag.Task task = Dag.of("a").submitted();
      try (Sql sql = Sql.open()) {
        move(sql, task, "pending", "initializing");
        if (List.of("enqueuing_steps", "steps_in_process", "evaluating_results").contains(state)) {
          move(sql, task, "initializing", "enqueuing_steps");
        }
        if (List.of("steps_in_process", "evaluating_results").contains(state)) {
          move(sql, task, "enqueuing_steps", "steps_in_process");
        }
        if (state.equals("evaluating_results")) {
          move(sql, task, "steps_in_process", "evaluating_results");
        }
        if (state.equals("waiting_for_dependencies")) {
          move(sql, task, "initializing", "waiting_for_dependencies");
        }
      }
      assertThatTask(task).isIn(state);
      worker.at(Instant.now().plusSeconds(31)).advance();
      assertThatTask(task).isIn("steps_in_process");
      assertThatStep(task.step("a")).isIn("enqueued");
      worker.at(null).runToTheEnd();
      assertThatTask(task).isIn("complete");
    }
  }

  private static void move(Sql sql, Dag.Task task, String from, String to) {
    assertThat(sql.isTrue("select tasker.transition_task_state_atomic(?, ?, ?, null)", task.uuid(),
        from, to)).isTrue();
  }

  @Test
  void a_second_look_finds_nothing_to_do() {
    Dag.Task task = Dag.diamond().started();
    try (Sql sql = Sql.open()) {
      String before = sql.text(
          "select string_agg(s::text, ';' order by workflow_step_uuid) from tasker.workflow_steps s");
      sql.text("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
      sql.text("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
      assertThat(sql.text(
          "select string_agg(s::text, ';' order by workflow_step_uuid) from tasker.workflow_steps s"))
          .isEqualTo(before);
    }
    assertThatTask(task).went("initializing", "enqueuing_steps", "steps_in_process");
  }

  @Test
  void a_finished_task_is_not_touched() {
    Dag.Task task = Dag.of("a").started();
    worker.runToTheEnd();
    try (Sql sql = Sql.open()) {
      sql.text("select tasker.evaluate_tasks(array[?]::uuid[], null)", task.uuid());
    }
    assertThatTask(task).isIn("complete").hasNoWakeUp();
  }
}
