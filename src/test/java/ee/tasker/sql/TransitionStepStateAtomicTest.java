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
import java.util.UUID;
import org.junit.jupiter.api.Test;

@DatabaseTest
class TransitionStepStateAtomicTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private boolean move(UUID step, int attempt, String from, String to, String actor, String metadata) {
    return sql.isTrue("select tasker.transition_step_state_atomic(?, ?, ?, ?, ?, ?, ?)", step, attempt, from, to, actor, worker.uuid(), metadata);
  }

  private boolean move(UUID step, int attempt, String from, String to, String actor) {
    return move(step, attempt, from, to, actor, "{}");
  }

  @Test
  void a_step_is_driven_through_its_whole_life_and_its_task_follows() {
    Dag.Task task = Dag.linear(2).submitted();
    UUID step = task.step("s1");
    assertThat(move(step, 0, "pending", "enqueued", "orchestrator")).isTrue();
    assertThatTask(task).isIn("steps_in_process").counts(2, 1, 0, 0);
    assertThat(sql.number("select count(*) from pgmq.q_worker_orders_queue")).isEqualTo(1);
    assertThat(move(step, 1, "enqueued", "in_progress", "worker", "{\"lease_seconds\": 20}")).isTrue();
    assertThatStep(step).isClaimedBy(worker).untilAbout(Instant.now().plusSeconds(20));
    assertThat(move(step, 1, "in_progress", "enqueued_for_orchestration", "worker", "{\"result\": {\"x\": 1}}")).isTrue();
    assertThat(move(step, 1, "enqueued_for_orchestration", "complete", "orchestrator")).isTrue();
    assertThatStep(task.step("s2")).isIn("enqueued").waitsForParents(0);
    assertThatTask(task).counts(1, 1, 0, 0);
    Claim next = worker.claim(10).get(0);
    assertThat(next.assignment().getJsonObject("results").getJsonObject("s1").getInt("x")).isEqualTo(1);
  }

  @Test
  void another_attempt_than_the_latest_is_a_lost_race() {
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
    assertThatDatabaseRefuses("TK005", () -> move(task.step("a"), 1, "enqueued", "in_progress", "orchestrator"));
    assertThatDatabaseRefuses("TK005", () -> move(task.step("a"), 1, "enqueued", "complete", "operator"));
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
    assertThat(move(step, 1, "enqueued_as_error_for_orchestration", "waiting_for_retry", "orchestrator", "{\"delay_ms\": 50000}")).isTrue();
    assertThatStep(step).isDueAbout(Instant.now().plusSeconds(50));
    assertThatTask(task).isIn("waiting_for_retry").counts(1, 0, 0, 1).isLookedAtAbout(Instant.now().plusSeconds(50));
    assertThat(move(step, 1, "waiting_for_retry", "enqueued", "orchestrator")).isFalse();
    assertThat(move(step, 1, "waiting_for_retry", "pending", "operator")).isTrue();
    assertThat(move(step, 1, "pending", "enqueued", "orchestrator")).isTrue();
    assertThatStep(step).hasAttempts(2);
    assertThatTask(task).counts(1, 1, 0, 0);
  }

  @Test
  void a_step_without_attempts_left_may_not_wait_for_a_retry() {
    Dag.of("a").maxAttempts(1).started();
    UUID step = worker.claimOne().step();
    move(step, 1, "in_progress", "enqueued_as_error_for_orchestration", "worker");
    assertThatDatabaseRefuses("TK005", () -> move(step, 1, "enqueued_as_error_for_orchestration", "waiting_for_retry", "orchestrator"));
  }

  @Test
  void a_person_completes_a_failed_step_and_its_children_get_the_result() {
    Dag.Task task = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThatTask(task).isIn("blocked_by_failures");
    assertThat(move(task.step("s1"), 1, "error", "complete", "operator", "{\"result\": {\"by\": \"hand\"}}")).isTrue();
    assertThatTask(task).isIn("steps_in_process").counts(1, 1, 0, 0);
    assertThat(worker.claimOne().assignment().getJsonObject("results").getJsonObject("s1").getString("by")).isEqualTo("hand");
  }

  @Test
  void a_person_closes_or_resets_a_failed_step() {
    Dag.Task closed = Dag.linear(2).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(move(closed.step("s1"), 1, "error", "resolved_manually", "operator")).isTrue();
    assertThatTask(closed).isIn("steps_in_process");
    worker.runToTheEnd();

    Dag.Task reset = Dag.of("a").maxAttempts(1).started();
    worker.complete(worker.claimOne().permanentFailure());
    assertThat(move(reset.step("a"), 1, "error", "pending", "operator")).isTrue();
    assertThatTask(reset).counts(1, 0, 0, 0).isLookedAtAbout(Instant.now());
    worker.advance();
    assertThatStep(reset.step("a")).isIn("enqueued").hasAttempts(2);
  }

  @Test
  void a_person_closes_a_task_that_never_started_step_by_step() {
    Dag.Task task = Dag.linear(2).submitted();
    assertThat(move(task.step("s2"), 0, "pending", "complete", "operator")).isTrue();
    assertThat(move(task.step("s1"), 0, "pending", "resolved_manually", "operator")).isTrue();
    assertThatTask(task).isIn("complete").counts(0, 0, 0, 0).hasNoWakeUp();
  }

  @Test
  void a_waiting_retry_is_completed_or_closed_by_a_person() {
    Dag.Task task = Dag.parallel(2).started();
    worker.complete(0, worker.claim(2).stream().map(c -> c.retryableFailure(60_000)).toList());
    assertThat(move(task.step("p1"), 1, "waiting_for_retry", "complete", "operator")).isTrue();
    assertThat(move(task.step("p2"), 1, "waiting_for_retry", "resolved_manually", "operator")).isTrue();
    assertThatTask(task).isIn("complete");
  }

  @Test
  void recovery_takes_back_offers_and_running_steps() {
    Dag.Task task = Dag.parallel(3).started();
    assertThat(move(task.step("p1"), 1, "enqueued", "pending", "recovery")).isTrue();
    assertThat(move(task.step("p2"), 1, "enqueued", "error", "recovery")).isTrue();
    assertThatTask(task).counts(3, 1, 1, 0);
    assertThat(move(task.step("p1"), 1, "pending", "error", "orchestrator", "{\"reason\": \"no handler\"}")).isTrue();
    assertThat(move(task.step("p3"), 1, "enqueued", "in_progress", "worker")).isTrue();
    assertThat(move(task.step("p3"), 1, "in_progress", "pending", "recovery")).isTrue();
    assertThatTask(task).isIn("blocked_by_failures").counts(3, 0, 2, 0);
    assertThat(move(task.step("p3"), 1, "pending", "enqueued", "orchestrator")).isFalse();
  }

  @Test
  void nothing_of_a_finished_task_moves() {
    Dag.Task task = Dag.of("a").started();
    worker.complete(worker.claimOne().permanentFailure());
    sql.text("select tasker.transition_task_state_atomic(?, 'blocked_by_failures', 'resolved_manually', null, '{\"actor\": \"operator\"}')", task.uuid());
    assertThat(move(task.step("a"), 1, "error", "pending", "operator")).isFalse();
  }
}
