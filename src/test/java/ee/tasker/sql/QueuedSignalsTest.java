package ee.tasker.sql;

import static ee.tasker.testing.TaskerAssertions.assertThatDatabaseRefuses;
import static ee.tasker.testing.TaskerAssertions.assertThatHistoryIsSound;
import static ee.tasker.testing.TaskerAssertions.assertThatStep;
import static ee.tasker.testing.TaskerAssertions.assertThatTask;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Dag;
import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import ee.tasker.testing.SqlWorker;
import jakarta.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Signals that a transaction queues without locking the task, and that are delivered after its
 * commit.
 */
@DatabaseTest
@DatabaseTest.Covers({"queue_signal", "queue_signals", "deliver_signals", "store_queued_signals",
  "store_signal", "check_signal"})
class QueuedSignalsTest {
  private final Sql sql = Sql.open();
  private final SqlWorker worker = SqlWorker.open();

  private static Dag paid(String more) {
    return Dag.of("a").step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"" + more + "}}").step("ship")
        .dependsOn("pay");
  }

  private Dag.Task waiting(Dag dag) {
    Dag.Task task = dag.started();
    worker.complete(worker.claim(99).stream().filter(claim -> claim.task().equals(task.uuid()))
        .findAny().orElseThrow().success());
    return task;
  }

  private static JsonObject queue(Sql session, Dag.Task task, String payload, String options) {
    return session.object("select tasker.queue_signal(?, 'payment', ?::jsonb, ?::jsonb)",
        task.uuid(), payload, options);
  }

  private JsonObject queue(Dag.Task task, String payload) {
    return queue(sql, task, payload, "{}");
  }

  private int advance() {
    try (SqlWorker poller = SqlWorker.open()) {
      return poller.advance().getInt("tasks");
    }
  }

  private String result(Dag.Task task) {
    return sql.text(
        "select r.result::text from tasker.workflow_steps s join tasker.workflow_step_result_audit r "
            + "on r.workflow_step_uuid = s.workflow_step_uuid and r.sort_key = s.result_sort_key where s.workflow_step_uuid = ?",
        task.step("pay"));
  }

  private Instant due(Dag.Task task) {
    return sql.instant(
        "select due_at from tasker.step_waits where task_uuid = ? and state = 'open'", task.uuid());
  }

  @Test
  void a_queued_signal_is_delivered_by_the_next_round_and_completes_the_step() {
    Dag.Task task = waiting(paid(""));
    queue(sql, task, "{\"amount\": 3}", "{\"signal_id\": \"p1\", \"sent_by\": \"shop\"}");
    assertThat(sql.number("select count(*) from tasker.task_signals")).isZero();

    assertThat(advance()).isPositive();
    assertThat(result(task)).isEqualTo("{\"amount\": 3}");
    assertThatStep(task.step("ship")).isIn("enqueued");
    assertThat(
        sql.text("select sent_by || ' ' || signal_id || ' ' || number from tasker.task_signals"))
        .isEqualTo("shop p1 1");
    assertThat(sql.number("select count(*) from tasker.queued_signals")).isZero();
    assertThat(advance()).isZero();
    assertThatHistoryIsSound();
  }

  @Test
  void one_that_is_rolled_back_was_never_queued_and_one_that_is_not_committed_delays_nothing() {
    Dag.Task task = waiting(paid(""));
    try (Sql application = Sql.session()) {
      queue(application, task, "1", "{}");
      assertThat(advance()).as("the transaction holds no lock of the task and shows nothing")
          .isZero();
      sql.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
      sql.object("select tasker.send_signals(array[?], 'payment', '2')", task.uuid());
      assertThat(result(task)).isEqualTo("2");
      worker.complete(worker.claimOne().success());
      assertThatTask(task).isIn("complete");
      application.rollback();
    }
    advance();
    assertThat(sql.number("select count(*) from tasker.queued_signals")).isZero();
    assertThat(sql.number("select count(*) from tasker.task_signals")).isEqualTo(1);
  }

  @Test
  void a_task_that_another_session_has_locked_gets_it_later_and_holds_up_no_other() {
    Dag.Task locked = waiting(paid(""));
    Dag.Task free = waiting(paid(""));
    queue(locked, "1");
    queue(free, "2");
    try (Sql other = Sql.session()) {
      other.run("select tasker.lock_tasks(array[?::uuid])", locked.uuid());
      assertThat(sql.number("select tasker.deliver_signals(1)")).isEqualTo(1);
      advance();
      assertThat(result(free)).isEqualTo("2");
      assertThat(sql.number("select count(*) from tasker.queued_signals")).isEqualTo(1);
      try (SqlWorker poller = SqlWorker.open()) {
        assertThat(poller.advance().getInt("next_wake_in_ms")).as("comes again soon").isZero();
      }
      other.rollback();
    }
    advance();
    assertThat(result(locked)).isEqualTo("1");
    assertThatHistoryIsSound();
  }

  @Test
  void signals_of_one_sender_arrive_in_their_order_also_beside_direct_ones() {
    Dag.Task task = Dag.of("a").step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .step("again").dependsOn("pay").waitingOnly("{\"signal\": {\"name\": \"payment\"}}")
        .started();
    for (int n = 1; n <= 5; n++) {
      queue(task, String.valueOf(n));
    }
    JsonObject direct = sql.object(
        "select tasker.send_signals(array[?], 'payment', '6') #> '{signals,0}'", task.uuid());
    assertThat(direct.getInt("number")).isEqualTo(6);
    assertThat(sql.texts("select payload::text from tasker.task_signals order by number"))
        .containsExactly("1", "2", "3", "4", "5", "6");
    worker.complete(worker.claimOne().success());
    assertThat(result(task)).isEqualTo("1");
    assertThatTask(task).isIn("complete");
    assertThatHistoryIsSound();
  }

  @Test
  void one_that_was_queued_in_time_wins_although_no_server_had_delivered_it_and_a_later_one_does_not() {
    Dag dag = paid(", \"timeout\": \"PT1H\", \"on_timeout\": \"none\"");
    Dag.Task task = waiting(dag);
    Instant due = due(task);
    queue(task, "1");
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(),
        due.plusSeconds(5));
    assertThat(result(task)).isEqualTo("1");

    Dag.Task late = waiting(dag);
    queue(late, "1");
    sql.run("update tasker.queued_signals set sent_at = ?", due(late).plusSeconds(1));
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", late.uuid(),
        due(late).plusSeconds(5));
    assertThat(result(late)).isEqualTo("\"none\"");
    assertThatHistoryIsSound();
  }

  @Test
  void the_same_id_counts_once_and_what_a_task_refuses_stays_with_its_reason() {
    Dag.Task task = waiting(paid(""));
    queue(sql, task, "1", "{\"signal_id\": \"p1\"}");
    queue(sql, task, "1", "{\"signal_id\": \"p1\"}");
    queue(sql, task, "2", "{\"signal_id\": \"p1\"}");
    advance();
    assertThat(sql.number("select count(*) from tasker.task_signals")).isEqualTo(1);
    assertThat(sql.texts("select code from tasker.queued_signals"))
        .containsExactly("signal-id-taken");

    queue(task, "3");
    worker.complete(worker.claimOne().success());
    assertThatTask(task).isIn("complete");
    advance();
    assertThat(
        sql.texts("select code || ': ' || message from tasker.queued_signals order by queued_uuid"))
        .containsExactly(
            "signal-id-taken: signal payment of the task with this id is there already, with another payload",
            "task-already-ended: the task has already ended as complete");
    assertThat(advance()).isZero();
    assertThatHistoryIsSound();
    try (Sql purge = Sql.session()) {
      purge.run("delete from tasker.tasks where task_uuid = ?", task.uuid());
      assertThat(purge.number("select count(*) from tasker.queued_signals")).isZero();
      purge.rollback();
    }
  }

  @Test
  void what_can_be_known_at_once_is_refused_at_once() {
    Dag.Task task = waiting(paid(", \"schema\": {\"type\": \"object\"}"));
    Dag.Task ended = Dag.of("a").started();
    assertThatDatabaseRefuses("TK011", () -> queue(task, "{}"));
    queue(sql, task, "{}", "{\"payload_checked\": true}");
    assertThatDatabaseRefuses("TK011", () -> queue(ended, "1"));
    assertThatDatabaseRefuses("TK011",
        () -> sql.object("select tasker.queue_signal(gen_random_uuid(), 'payment')"));
    assertThatDatabaseRefuses("TK011",
        () -> queue(sql, task, "\"" + "x".repeat(70_000) + "\"", "{\"payload_checked\": true}"));
    assertThatDatabaseRefuses("TK007", () -> queue(sql, task, "{}", "{\"id\": 1}"));
    worker.runToTheEnd();
    advance();
    worker.runToTheEnd();
    assertThatTask(task).isIn("complete");
    assertThatDatabaseRefuses("TK011", () -> queue(sql, task, "{}", "{\"payload_checked\": true}"));
  }

  @Test
  void two_servers_deliver_a_signal_once() {
    Dag.Task task = waiting(paid(""));
    queue(task, "1");
    try (Sql first = Sql.session(); Sql second = Sql.session()) {
      assertThat(first.number("select tasker.deliver_signals()")).isEqualTo(1);
      assertThat(second.number("select tasker.deliver_signals()")).as("does not wait").isZero();
      first.commit();
      second.commit();
    }
    assertThat(sql.number("select tasker.deliver_signals()")).isZero();
    assertThat(sql.number("select count(*) from tasker.task_signals")).isEqualTo(1);
    advance();
    assertThat(result(task)).isEqualTo("1");
  }

  @Test
  void a_task_of_many_waits_evaluates_only_those_that_can_end() {
    Dag dag = Dag.of("a");
    for (int n = 0; n < 1_000; n++) {
      dag = dag.step("t" + n).dependsOn("a")
          .waitingOnly("{\"wait\": {\"for\": \"PT" + (n + 10) + "H\"}}");
    }
    Dag.Task task = dag.step("pay").dependsOn("a")
        .waitingOnly("{\"signal\": {\"name\": \"payment\"}}").started();
    worker.complete(worker.claimOne().success());
    long began = System.nanoTime();
    sql.object("select tasker.evaluate_tasks(array[?], null)", task.uuid());
    System.out.printf("evaluation of a task of 1000 open timers: %.1f ms%n",
        (System.nanoTime() - began) / 1e6);
    queue(task, "7");
    advance();
    assertThat(result(task)).isEqualTo("7");
    Instant first = sql.instant(
        "select min(due_at) from tasker.step_waits where task_uuid = ? and state = 'open'",
        task.uuid());
    sql.object("select tasker.evaluate_tasks(array[?], null, 0, 60, ?)", task.uuid(), first);
    assertThat(sql.texts(
        "select state || ' ' || count(*) from tasker.step_waits where task_uuid = ? group by state order by state",
        task.uuid())).containsExactlyInAnyOrder("satisfied 2", "open 999");
    assertThat(List.of(
        sql.instant("select wake_at from tasker.task_wakeups where task_uuid = ?", task.uuid())))
        .containsExactly(first.plusSeconds(3600));
    assertThatHistoryIsSound();
  }
}
