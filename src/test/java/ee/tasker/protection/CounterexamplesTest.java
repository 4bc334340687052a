package ee.tasker.protection;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import ee.tasker.testing.SqlWorker.Claim;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Interleavings that Spin found in a model without one of its guards, played against the database
 * with its guards: what the model says goes wrong without the guard does not happen. A method with
 * {@code WITHOUT} in its name is named after its counterexample in
 * {@code db/model/counterexamples}; docs/model.md names the tests that had played others before.
 */
@ProtectionTest
class CounterexamplesTest {
  private static final Path KEPT = Path.of("db/model/counterexamples");

  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private String states(Dag.Task task) {
    return sql.text(
        "select string_agg(s.state::text, ' ' order by s.step_position) from tasker.workflow_steps s where s.task_uuid = ?",
        task.uuid());
  }

  /** Worker 1 claims step 0, between the snapshot of the cancel and its compare and set. */
  @Test
  void cancel_WITHOUT_COMPARE_IN_CANCEL() {
    Dag.Task task = Dag.linear(2).started();
    try (Sql claiming = Sql.session(); Sql cancelling = Sql.session()) {
      Claim claim = SqlWorker.in(claiming).claimOne();
      Sql.Later<JsonObject> cancel = cancelling
          .later(session -> session.object("select tasker.request_cancel(?, 'ann', 'test')",
              task.uuid()))
          .untilItWaits();
      claiming.commit();
      assertThat(cancel.get().getString("state")).isEqualTo("steps_in_process");
      cancelling.commit();
      assertThat(states(task)).isEqualTo("in_progress cancelled");
      worker.complete(claim.cancelled());
    }
    assertThatTask(task).isIn("cancelled");
    assertThatHistoryIsSound();
  }

  /** The lease ends, the step is recovered and claimed again, and then the first result comes. */
  @Test
  void handoff_WITHOUT_RESULT_HANDOFF() {
    Dag.Task task = Dag.of("a").started();
    Claim first = worker.claimOne();
    sql.run("update tasker.workflow_steps set lease_expires_at = now() - interval '1 second'");
    sql.run("update tasker.task_wakeups set wake_at = now()");
    worker.advance();
    try (SqlWorker other = SqlWorker.open()) {
      Claim second = other.claimOne();
      assertThat(second.handoff()).isEqualTo(first.handoff() + 1);

      JsonArray refused = worker.complete(first.success()).getJsonArray("refused");
      assertThat(refused.getJsonObject(0).getString("verdict")).isEqualTo("STALE");
      assertThatStep(first.step()).isIn("in_progress");
      other.complete(second.success());
    }
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  /** Both callers complete a parent; the second reads the counter that the first has lowered. */
  @Test
  void join_WITHOUT_TASK_LOCK() {
    Dag.Task task = Dag.of("a").step("b").step("c").dependsOn("a", "b").started();
    List<Claim> parents = worker.claim(2);
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      SqlWorker.in(one).complete(parents.get(0).success());
      Sql.Later<JsonObject> second = two
          .later(session -> SqlWorker.in(session).complete(parents.get(1).success()))
          .untilItWaits();
      one.commit();
      second.get();
      two.commit();
    }
    assertThat(states(task)).isEqualTo("complete complete enqueued");
    assertThat(worker.claim(9)).as("the child is handed off once").hasSize(1);
    assertThatHistoryIsSound();
  }

  /** The choice is carried out; the message of the result comes again, to another orchestrator. */
  @Test
  void decision_WITHOUT_CARRIED_OUT_ONCE() {
    Dag.Task task = Dag.of("route").decision().step("x").dependsOn("route").step("y")
        .dependsOn("route").started();
    worker.submitResults(worker.claimOne().decided("x"));
    String message = sql.text("select message::text from pgmq.q_orchestration_step_results");
    sql.text("select pgmq.send('orchestration_step_results'::text, ?::jsonb)::text", message);
    try (Sql one = Sql.session(); Sql two = Sql.session()) {
      String process = "select tasker.process_step_results(?, 1)";
      one.object(process, UUID.randomUUID());
      Sql.Later<JsonObject> second = two
          .later(session -> session.object(process, UUID.randomUUID())).untilItWaits();
      one.commit();
      second.get();
      two.commit();
    }
    assertThat(sql.number("select count(*) from tasker.workflow_steps where task_uuid = ?",
        task.uuid())).as("the decision and the step that it chose").isEqualTo(2);
    assertThatHistoryIsSound();
  }

  /**
   * A signal makes its task due, a completion beside the wait comes before the poller. The poller
   * has more to do than it takes in a round.
   */
  @Test
  void wait_WITHOUT_STAYING_DUE_FOR_A_SIGNAL() {
    Dag.Task task = Dag.of("a").step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"}}").step("b").dependsOn("a").started();
    worker.complete(worker.claimOne().success());
    Claim beside = worker.claimOne();
    Dag.Task earlier = Dag.of("z").started();
    sql.run(
        "update tasker.task_wakeups set wake_at = now() - interval '1 minute' where task_uuid = ?",
        earlier.uuid());
    sql.object("select tasker.queue_signal(?, 'payment', '1'::jsonb, '{}'::jsonb)", task.uuid());
    sql.object("select tasker.advance_due_tasks(?, 1)", UUID.randomUUID());
    assertThatStep(task.step("pay")).isIn("pending");

    worker.complete(beside.success());
    assertThat(sql.isTrue(
        "select w.wake_at <= clock_timestamp() from tasker.task_wakeups w where w.task_uuid = ?",
        task.uuid())).as("still due").isTrue();
    worker.advance();
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  /** The result of a server with the worker's role alone comes between the decision and its moves. */
  @Test
  void timeout_WITHOUT_LOCK_OF_STEPS() {
    Dag.Task task = Dag.of("a").lifecycle("max_duration", "PT10S").started();
    Claim claim = worker.claimOne();
    try (Sql submitting = Sql.session(); Sql polling = Sql.session()) {
      SqlWorker.in(submitting).submitResults(claim.success());
      Sql.Later<JsonObject> poll = polling.later(
          session -> SqlWorker.in(session).at(Instant.now().plusSeconds(20)).advance())
          .untilItWaits();
      submitting.commit();
      poll.get();
      polling.commit();
    }
    worker.advance();
    assertThatStep(claim.step()).isIn("complete");
    assertThatTask(task).isIn("complete");
    assertThat(sql.text("select timed_out_at from tasker.tasks where task_uuid = ?", task.uuid()))
        .isNull();
    assertThatHistoryIsSound();
  }

  /** The same for a task that is stale, which an operator's call finds. */
  @Test
  void a_result_that_comes_while_its_stale_task_is_failed_counts() {
    Dag.Task task = Dag.of("a").lifecycle("max_duration_minutes", 1)
        .lifecycle("staleness_action", "error").started();
    Claim claim = worker.claimOne();
    try (Sql submitting = Sql.session(); Sql failing = Sql.session()) {
      SqlWorker.in(submitting).submitResults(claim.success());
      Sql.Later<List<String>> stale = failing.later(session -> session.texts(
          "select action_taken from tasker.detect_and_transition_stale_tasks(false, 9, now() + interval '1 hour')"))
          .untilItWaits();
      submitting.commit();
      stale.get();
      failing.commit();
    }
    worker.advance();
    sql.object("select tasker.process_step_results(?)", UUID.randomUUID());
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  /** The child ends and leaves its notice while the cancel of its parent is not committed. */
  @Test
  void a_child_that_ends_while_its_parent_is_cancelled_ends_no_step_of_it() {
    Dag.Template child = Dag.of("work").registered();
    Dag.Task parent = Dag.of("sub")
        .waitingOnly("{\"task\": {\"name\": \"" + child.name() + "\"}}").started();
    Claim work = worker.claimOne();
    try (Sql cancelling = Sql.session()) {
      cancelling.object("select tasker.request_cancel(?, 'ann', 'test')", parent.uuid());
      worker.complete(work.success());
      worker.advance();
      cancelling.commit();
    }
    worker.advance();
    assertThatStep(parent.step("sub")).isIn("cancelled");
    assertThatTask(parent).isIn("cancelled");
    assertThat(sql.number("select count(*) from tasker.task_notices")).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void every_interleaving_is_that_of_a_counterexample_that_is_kept() throws IOException {
    try (Stream<Path> files = Files.list(KEPT)) {
      List<String> kept = files.map(file -> file.getFileName().toString()).toList();
      assertThat(Arrays.stream(CounterexamplesTest.class.getDeclaredMethods())
          .filter(method -> !method.isSynthetic()).map(method -> method.getName())
          .filter(name -> name.contains("_WITHOUT_"))
          .map(name -> name.replaceFirst("_WITHOUT_", "-WITHOUT_") + ".txt")).hasSize(6)
          .isSubsetOf(kept);
    }
  }
}
