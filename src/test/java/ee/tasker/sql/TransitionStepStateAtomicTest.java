package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
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
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
@DatabaseTest.Covers("move_steps_by_operator")
class TransitionStepStateAtomicTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private boolean move(UUID step, int handoff, String from, String to, String actor,
      String metadata) {
    return sql.isTrue("select tasker.transition_step_state_atomic(?, ?, ?, ?, ?, ?, ?)", step,
        handoff, from, to, actor, worker.uuid(), metadata);
  }

  private boolean move(UUID step, int handoff, String from, String to, String actor) {
    return move(step, handoff, from, to, actor, "{}");
  }

  @Test
  void a_move_without_a_handoff_moves_nothing() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    for (String to : List.of("pending", "complete", "resolved_manually")) {
      assertThat(sql.isTrue(
          "select tasker.transition_step_state_atomic(?, null, 'error', ?, 'operator', null)",
          task.step("a"), to))
          .isFalse();
    }
    assertThatStep(task.step("a")).isIn("error");
    assertThat(sql.isTrue(
        "select tasker.transition_step_state_atomic(null, 1, 'error', 'pending', 'operator', null)"))
        .isFalse();
  }

  @Test
  void a_step_is_driven_through_its_whole_life_and_its_task_follows() {
    Dag.Task task = Dag.linear(2).submitted();
    UUID step = task.step("s1");
    assertThat(move(step, 0, "pending", "enqueued", "orchestrator")).isTrue();
    assertThatTask(task).isIn("steps_in_process").counts(2, 1, 0, 0);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(1);
    assertThat(move(step, 1, "enqueued", "in_progress", "worker", "{\"lease_seconds\": 20}"))
        .isTrue();
    assertThatStep(step).isClaimedBy(worker).untilAbout(Instant.now().plusSeconds(20));
    assertThat(move(step, 1, "in_progress", "enqueued_for_orchestration", "worker",
        "{\"result\": {\"x\": 1}}")).isTrue();
    assertThat(move(step, 1, "enqueued_for_orchestration", "complete", "orchestrator")).isTrue();
    assertThatStep(task.step("s2")).isIn("enqueued").waitsForParents(0);
    assertThatTask(task).counts(1, 1, 0, 0);
    Claim next = worker.claim(10).get(0);
    assertThat(next.claimedStep().getJsonObject("results").getJsonObject("s1").getInt("x"))
        .isEqualTo(1);
  }

  @Test
  void another_handoff_than_the_latest_is_a_lost_race() {
    Dag.Task task = Dag.of("a").started();
    assertThat(move(task.step("a"), 0, "enqueued", "in_progress", "worker")).isFalse();
    assertThat(move(task.step("a"), 2, "enqueued", "in_progress", "worker")).isFalse();
    assertThat(move(UUID.randomUUID(), 1, "enqueued", "in_progress", "worker")).isFalse();
    assertThat(move(task.step("a"), 1, "enqueued", "in_progress", "worker")).isTrue();
    assertThat(move(task.step("a"), 1, "enqueued", "in_progress", "worker")).isFalse();
  }

  @Test
  void a_move_by_the_wrong_actor_is_refused() {
    Dag.Task task = Dag.of("a").started();
    assertThatDatabaseRefuses("TK005",
        () -> move(task.step("a"), 1, "enqueued", "in_progress", "orchestrator"));
    assertThatDatabaseRefuses("TK005",
        () -> move(task.step("a"), 1, "enqueued", "complete", "operator"));
    assertThatDatabaseRefuses("TK007", () -> move(task.step("a"), 1, "enqueued", "done", "worker"));
  }

  @Test
  void a_step_whose_parents_are_not_done_is_not_handed_off() {
    Dag.Task task = Dag.linear(2).started();
    assertThat(move(task.step("s2"), 0, "pending", "enqueued", "orchestrator")).isFalse();
  }

  @Test
  void a_failure_waits_for_its_retry_which_is_not_started_before_it_is_due() {
    Dag.Task task = Dag.of("a").started();
    UUID step = worker.claimOne().step();
    move(step, 1, "in_progress", "enqueued_as_error_for_orchestration", "worker");
    assertThat(move(step, 1, "enqueued_as_error_for_orchestration", "waiting_for_retry",
        "orchestrator", "{\"delay_ms\": 50000}")).isTrue();
    assertThatStep(step).isDueAbout(Instant.now().plusSeconds(50));
    assertThatTask(task).isIn("waiting_for_retry").counts(1, 0, 0, 1)
        // The result made it due, and a due task stays due until the poller has seen it.
        .isLookedAtAbout(Instant.now());
    assertThat(move(step, 1, "waiting_for_retry", "enqueued", "orchestrator")).isFalse();
    assertThat(move(step, 1, "waiting_for_retry", "pending", "operator")).isTrue();
    assertThatStep(step).isIn("enqueued").hasAttempts(2);
    assertThatTask(task).counts(1, 1, 0, 0);
  }

  @Test
  void a_step_without_attempts_left_may_not_wait_for_a_retry() {
    Dag.of("a").maxAttempts(1).started();
    UUID step = worker.claimOne().step();
    move(step, 1, "in_progress", "enqueued_as_error_for_orchestration", "worker");
    assertThatDatabaseRefuses("TK005", () -> move(step, 1, "enqueued_as_error_for_orchestration",
        "waiting_for_retry", "orchestrator"));
  }

  @Test
  void an_operator_completes_a_failed_step_and_its_children_get_the_result() {
    Dag.Task task = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(move(task.step("s1"), 1, "error", "complete", "operator",
        "{\"result\": {\"by\": \"hand\"}}")).isTrue();
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
    assertThat(worker.claimOne().claimedStep().getJsonObject("results").getJsonObject("s1")
        .getString("by")).isEqualTo("hand");
  }

  @Test
  void an_operator_closes_or_resets_a_failed_step() {
    Dag.Task closed = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(move(closed.step("s1"), 1, "error", "resolved_manually", "operator")).isTrue();
    assertThatTask(closed).isIn("steps_in_process");
    worker.runToTheEnd();

    Dag.Task reset = Dag.of("a").maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(move(reset.step("a"), 1, "error", "pending", "operator")).isTrue();
    assertThatStep(reset.step("a")).isIn("enqueued").hasAttempts(2);
    assertThatTask(reset).isIn("steps_in_process").counts(1, 1, 0, 0);
  }

  @Test
  void what_a_failure_held_back_goes_on_in_the_transaction_that_closes_it() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a").started();
    Claim a = worker.claimOne();
    Claim b = worker.claimOne();
    worker.complete((a.step().equals(task.step("b")) ? a : b).permanentFailure());
    worker.complete((a.step().equals(task.step("b")) ? b : a).success());
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(move(task.step("b"), 1, "error", "resolved_manually", "operator")).isTrue();
    assertThatStep(task.step("c")).isIn("enqueued");
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
  }

  @Test
  void a_reset_restores_all_attempts_and_the_fence_continues() {
    Dag.Task task = Dag.of("a").maxAttempts(2).backoff("exponential", 1000, 600_000).started();
    worker.complete(worker.claimOne().retryableFailure(0));
    worker.advance();
    worker.complete(worker.claimOne().retryableFailure(0));
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(move(task.step("a"), 2, "error", "pending", "operator")).isTrue();
    Claim third = worker.claimOne();
    assertThat(third.attempt()).isEqualTo(3);
    assertThat(third.claimedStep().getInt("max_attempts")).isEqualTo(4);
    worker.complete(third.retryableFailure());
    // The first of the new ones: the backoff begins again, too.
    assertThatStep(task.step("a")).isDueAbout(Instant.now().plusSeconds(1));
  }

  @Test
  void nothing_of_a_task_that_is_being_cancelled_is_reset() {
    Dag.Task task = Dag.parallel(2).started();
    Claim failing = worker.claimOne();
    Claim running = worker.claimOne();
    worker.complete(failing.permanentFailure());
    sql.text("select tasker.request_cancel(?, 'me', 'why not')", task.uuid());
    assertThat(move(failing.step(), 1, "error", "pending", "operator")).isFalse();
    worker.complete(running.success());
    assertThatTask(task).isIn("cancelled");
  }

  @Test
  void an_operator_closes_a_task_step_by_step() {
    Dag.Task task = Dag.linear(3).started();
    assertThat(move(task.step("s3"), 0, "pending", "resolved_manually", "operator")).isTrue();
    assertThat(move(task.step("s2"), 0, "pending", "complete", "operator")).isTrue();
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0).hasNoWakeUp();
  }

  @Test
  void an_operator_completes_the_only_step_of_a_task_that_was_never_started() {
    Dag.Task task = Dag.of("a").submitted();
    assertThat(move(task.step("a"), 0, "pending", "complete", "operator")).isTrue();
    assertThatTask(task).isIn("complete").hasNoWakeUp();
  }

  @Test
  void an_operator_has_a_finished_step_run_again() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").step("c").started();
    List<Claim> claims = worker.claim(2);
    worker.complete(claims.stream().filter(c -> c.step().equals(task.step("a"))).findFirst()
        .orElseThrow().success());
    Claim b = worker.claimOne();
    worker.complete(b.permanentFailure());
    assertThat(move(task.step("a"), 1, "complete", "pending", "operator")).isTrue();
    assertThatStep(task.step("b")).isIn("error").waitsForParents(1);
    assertThat(move(task.step("b"), 1, "error", "resolved_manually", "operator")).isTrue();
    assertThatStep(task.step("a")).isIn("enqueued").hasAttempts(2);
    assertThat(move(task.step("b"), 1, "resolved_manually", "pending", "operator")).isTrue();
    assertThatStep(task.step("b")).isIn("pending").waitsForParents(1);
    worker.complete(claims.stream().filter(c -> c.step().equals(task.step("c"))).findFirst()
        .orElseThrow().success());
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void a_waiting_retry_is_completed_or_closed_by_an_operator() {
    Dag.Task task = Dag.parallel(2).started();
    worker.complete(0, worker.claim(2).stream().map(c -> c.retryableFailure(60_000)).toList());
    assertThat(move(task.step("p1"), 1, "waiting_for_retry", "complete", "operator")).isTrue();
    assertThat(move(task.step("p2"), 1, "waiting_for_retry", "resolved_manually", "operator"))
        .isTrue();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void recovery_takes_back_offers_and_running_steps() {
    Dag.Task task = Dag.parallel(3).started();
    assertThat(move(task.step("p1"), 1, "enqueued", "pending", "recovery"))
        .as("a fresh offer is not overdue").isFalse();
    assertThat(move(task.step("p2"), 1, "enqueued", "error", "recovery")).isFalse();
    sql.run(
        "insert into tasker.unclaimed_offers (task_uuid, workflow_step_uuid, handoff, why, since, due_at) "
            + "select task_uuid, workflow_step_uuid, handoffs, 'unclaimed', now() - interval '5 minutes', now() "
            + "from tasker.workflow_steps where workflow_step_uuid = any (array[?, ?])",
        task.step("p1"), task.step("p2"));
    assertThat(move(task.step("p1"), 1, "enqueued", "pending", "recovery")).isTrue();
    assertThat(move(task.step("p2"), 1, "enqueued", "error", "recovery")).isTrue();
    assertThatTask(task).counts(3, 1, 1, 0);
    assertThat(move(task.step("p1"), 1, "pending", "error", "orchestrator",
        "{\"reason\": \"no handler\"}")).isTrue();
    assertThat(
        move(task.step("p3"), 1, "enqueued", "in_progress", "worker", "{\"lease_seconds\": 0}"))
        .isTrue();
    assertThat(move(task.step("p3"), 1, "in_progress", "pending", "recovery")).isTrue();
    assertThatTask(task).isIn("blocked_by_failures").counts(3, 0, 2, 0);
    assertThat(move(task.step("p3"), 1, "pending", "enqueued", "orchestrator")).isFalse();
  }

  @Test
  void recovery_ends_an_offer_that_is_past_its_queue_time_out() {
    Dag.Task task = Dag.of("a").queueTimeoutSeconds(60).started();
    assertThat(move(task.step("a"), 1, "enqueued", "error", "recovery")).isFalse();
    sql.run("update tasker.workflow_steps set enqueued_at = enqueued_at - interval '61 seconds'");
    assertThat(move(task.step("a"), 1, "enqueued", "error", "recovery")).isTrue();
    sql.run("update tasker.workflow_steps set enqueued_at = enqueued_at + interval '61 seconds'");
  }

  @Test
  void a_done_step_does_not_run_again_while_what_follows_from_it_is_under_way() {
    Dag.Task task = Dag.of("a").step("b").dependsOn("a").maxAttempts(2).started();
    worker.complete(worker.claimOne().success());
    assertThat(move(task.step("a"), 1, "complete", "pending", "operator")).as("b is offered")
        .isFalse();
    Claim running = worker.claimOne();
    assertThat(move(task.step("a"), 1, "complete", "pending", "operator")).as("b is running")
        .isFalse();
    worker.complete(running.retryableFailure(60_000));
    assertThat(move(task.step("a"), 1, "complete", "pending", "operator"))
        .as("b waits for its retry").isFalse();
    assertThatStep(task.step("a")).isIn("complete");
  }

  @Test
  void nothing_of_a_finished_task_moves() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    sql.text(
        "select tasker.transition_task_state_atomic(?, 'blocked_by_failures', 'resolved_manually', null, '{\"actor\": \"operator\"}')",
        task.uuid());
    assertThat(move(task.step("a"), 1, "error", "pending", "operator")).isFalse();
  }

  @Test
  void a_permanent_failure_is_not_retried_and_nothing_is_cancelled_without_a_request() {
    Dag.Task task = Dag.linear(2).started();
    UUID step = task.step("s1");
    assertThatDatabaseRefuses("TK005", () -> move(step, 1, "enqueued", "cancelled", "orchestrator"))
        .hasMessageContaining("request_cancel");
    worker.submitResults(worker.claimOne().permanentFailure());
    assertThatDatabaseRefuses("TK005",
        () -> move(step, 1, "enqueued_as_error_for_orchestration", "waiting_for_retry",
            "orchestrator"))
        .hasMessageContaining("permanently");
    assertThatStep(step).isIn("enqueued_as_error_for_orchestration");
    worker.advance();
  }
}
