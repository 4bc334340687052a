package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Operator;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random lives of a task with timers and signals on a clock of its own: signals that come early,
 * late, twice, directly and queued, time-outs, retries, resets and
 * cancels. After each move every promise holds; after each round nothing is left that could have
 * ended, and no time-out passed a signal that was sent in time.
 */
@DatabaseTest
class WaitsModelTest {
  private static final int MOVES = 40;
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();
  private Instant now = Instant.now().plusSeconds(1);
  private int ids;

  private static Dag life() {
    return Dag.of("a").maxAttempts(100)
        .step("trial").dependsOn("a").handler("after.trial").maxAttempts(100)
        .waiting("{\"wait\": {\"for\": \"PT10M\"}}")
        .step("paid").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"x\", \"timeout\": \"PT20M\", \"on_timeout\": 0}}")
        .step("again").dependsOn("paid").waitingOnly("{\"signal\": {\"name\": \"x\"}}")
        .step("beside").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"x\", \"timeout\": \"PT40M\", \"on_timeout\": 1}}")
        .step("confirmed").dependsOn("a").handler("after.confirmed").maxAttempts(100)
        .waiting("{\"signal\": {\"name\": \"y\", \"timeout\": \"PT15M\"}}")
        .step("end").dependsOn("trial", "again", "beside", "confirmed").maxAttempts(100);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatever_comes_and_whenever_each_wait_ends_once_and_as_it_should(long seed) {
    Random random = new Random(seed);
    Dag.Task task = life().started();
    for (int i = 0; i < MOVES; i++) {
      now = now
          .plus(Duration.ofMillis(1 + random.nextInt(random.nextInt(4) == 0 ? 600_000 : 30_000)));
      worker.at(now);
      move(random, task);
      assertThatHistoryIsSound();
    }
    for (int i = 0; i < 30; i++) {
      now = now.plusSeconds(900);
      worker.at(now);
      if (sql.isTrue("select state = 'blocked_by_failures' from tasker.tasks where task_uuid = ?",
          task.uuid())) {
        new Operator().at(now).step(task, "confirmed", "reset_for_retry");
      }
      send(task, "x", "null");
      send(task, "y", "null");
      round(task);
      worker.claim(99).forEach(claim -> worker.complete(claim.success()));
    }
    assertThat(sql.text("select state from tasker.tasks where task_uuid = ?", task.uuid()))
        .isIn("complete", "cancelled");
    assertThat(sql.number("select count(*) from tasker.step_waits where state = 'open'")).isZero();
    assertThatHistoryIsSound();
  }

  private void move(Random random, Dag.Task task) {
    switch (random.nextInt(12)) {
      case 0, 1 -> worker.claim(1).forEach(claim -> worker.complete(claim.success()));
      case 2 -> worker.claim(1).forEach(claim -> worker.complete(claim.retryableFailure(1_000)));
      case 3, 4, 5 -> round(task);
      case 6 -> send(task, random.nextBoolean() ? "x" : "y", "null");
      case 7 -> send(task, "x", "'" + (random.nextBoolean() && ids > 0 ? ids : ++ids) + "'");
      case 8 -> queue(task, random.nextBoolean() ? "x" : "y");
      case 9 ->
        sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), now);
      case 10 -> new Operator().at(now).step(task,
          List.of("trial", "paid", "beside", "confirmed").get(random.nextInt(4)),
          random.nextInt(6) == 0 ? "resolve_manually" : "reset_for_retry");
      default -> {
        if (random.nextInt(8) == 0) {
          sql.object("select tasker.request_cancel(?, 'ann', 'not needed', p_now => ?)",
              task.uuid(), now);
        }
      }
    }
  }

  private void send(Dag.Task task, String name, String id) {
    sql.object("select tasker.send_signals(array[?], ?, '1', " + id + ", p_now => ?)", task.uuid(),
        name, now);
  }

  private void queue(Dag.Task task, String name) {
    if (sql.isTrue("select completed_at is null from tasker.tasks where task_uuid = ?",
        task.uuid())) {
      sql.object("select tasker.queue_signal(?, ?)", task.uuid(), name);
      sql.run(
          "update tasker.queued_signals set sent_at = ? where queued_uuid = (select queued_uuid from tasker.queued_signals order by 1 desc limit 1)",
          now);
    }
  }

  /** A round of the poller; then nothing is open that could have ended. */
  private void round(Dag.Task task) {
    for (int i = 0; i < 20 && worker.advance().getInt("tasks") > 0; i++) {
      // the condition does it
    }
    assertThat(sql.number("select count(*) from tasker.queued_signals where refused_at is null"))
        .as("queued signals").isZero();
    String passed = "select w.wait_uuid from tasker.step_waits w join tasker.task_signals g on g.task_uuid = w.task_uuid and g.name = w.signal_name "
        + "where w.task_uuid = ? and g.wait_uuid is null and g.sent_at <= coalesce(w.due_at, 'infinity') ";
    assertThat(
        sql.texts(passed + "and w.state in ('timed_out', 'defaulted') and g.sent_at <= w.ended_at",
            task.uuid()))
        .as("time-outs that passed a signal").isEmpty();
    if (sql.isTrue(
        "select completed_at is null and failed_steps = 0 and cancel_requested_at is null from tasker.tasks where task_uuid = ?",
        task.uuid())) {
      assertThat(sql.texts(passed + "and w.state = 'open'", task.uuid()))
          .as("waits whose signal is there").isEmpty();
      assertThat(
          sql.texts(
              "select wait_uuid from tasker.step_waits where task_uuid = ? and state = 'open' and due_at <= ?",
              task.uuid(), now))
          .as("waits that are due").isEmpty();
    }
  }
}
