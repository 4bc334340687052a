package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A worker alone, then an orchestrator beside it, then the worker goes: each finds in the database
 * what the other left.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SeparatedRolesIT {
  private EmbeddedDatabase database;
  private TestServer worker;
  private TestServer orchestrator;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    worker = TestServer.start(database, settings("worker"));
    tasker = worker.client();
    tasker.register("/testing/templates.yaml");
  }

  private static Map<String, String> settings(String roles) {
    return new HashMap<>(Map.of("TASKER_ROLES", roles, "TASKER_WORKER_HEARTBEAT_SECONDS", "1",
        "TASKER_WORKER_LEASE_SECONDS", "20",
        "TASKER_POLL_INTERVAL_SECONDS", "2"));
  }

  @AfterAll
  void stop() {
    for (TestServer each : new TestServer[]{worker, orchestrator}) {
      if (each != null) {
        each.close();
      }
    }
    database.close();
  }

  private UUID submit(String template) {
    return (UUID) tasker.value("select tasker.submit_task('testing', ?, '1.0.0', '{}')", template);
  }

  private long effects(UUID task, String effect) {
    return tasker.count("select count(*) from testing.effects where task_uuid = ? and effect = ?",
        task, effect);
  }

  @Test
  @Order(1)
  void F1_result_that_no_orchestrator_can_hear_of_is_kept_with_its_notice_and_delivered_later() {
    UUID task = submit("work");
    TaskerClient.until("the worker submitted", Duration.ofSeconds(40), () -> tasker
        .count(
            "select count(*) from tasker.workflow_steps where task_uuid = ? and state = 'enqueued_for_orchestration'",
            task) == 1);
    assertThat(tasker.count("select count(*) from pgmq.q_orchestration_step_results"))
        .as("durable with the result").isEqualTo(1);
    assertThat(effects(task, "ran")).isEqualTo(1);

    orchestrator = TestServer.start(database, settings("orchestrator"));

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.sql(
        "select step_name, attempt from testing.effects where task_uuid = ? and effect = 'ran' group by 1, 2 having count(*) > 1",
        task))
        .as("attempts that ran again to send their result").isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Test
  @Order(2)
  void F4_result_that_cannot_be_committed_is_tried_again_and_never_lost() throws SQLException {
    UUID task = submit("hold");
    TaskerClient.until("the handler runs", Duration.ofSeconds(40),
        () -> effects(task, "started") == 1);
    tasker.sql("insert into testing.released values (?)", task);
    try (Connection admin = DriverManager.getConnection(
        "jdbc:postgresql://" + database.address().host() + ":" + database.address().port()
            + "/postgres",
        "tasker", "tasker")) {
      int calls = failedCalls();
      TaskerClient.sql(admin, "alter database tasker allow_connections false");
      TaskerClient.sql(admin,
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'tasker'");
      // The worker has noticed that there is no database: it failed at something.
      TaskerClient.until("calls fail", Duration.ofSeconds(30), () -> failedCalls() > calls);
      TaskerClient.sql(admin, "alter database tasker allow_connections true");
    }
    JsonObject document = tasker.awaitTerminalOrBlocked(task);
    assertThat(document.getString("state")).as(document.toString()).isEqualTo("complete");
    assertThat(tasker.count(
        "select count(*) from tasker.workflow_steps s join tasker.workflow_step_result_audit r on r.workflow_step_uuid = s.workflow_step_uuid "
            + "and r.sort_key = s.result_sort_key where s.task_uuid = ? and s.state = 'complete' and r.success",
        task)).isEqualTo(3);
    assertThat(History.broken(tasker)).isEmpty();
  }

  private int failedCalls() {
    return worker.log().split("TK1[0-9]{3}", -1).length - 1;
  }

  @Test
  @Order(3)
  void W8_server_that_is_told_to_stop_finishes_what_runs_and_leaves_nothing_to_wait_for() {
    UUID running = submit("hold");
    TaskerClient.until("the handler runs", Duration.ofSeconds(40),
        () -> effects(running, "started") == 1);
    Thread stopping = new Thread(worker::close, "stopping");
    stopping.start();
    tasker = orchestrator.client();
    // The step in hand may end; then the server goes.
    tasker.sql("insert into testing.released values (?)", running);
    TaskerClient.until("the server is gone", Duration.ofSeconds(60), () -> !stopping.isAlive());
    worker = null;
    UUID late = submit("hello");

    assertThat(
        tasker.count("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
        .as("steps that wait for a lease to end").isZero();
    assertThat(tasker.value(
        "select h.to_state::text from tasker.workflow_step_transitions h join tasker.workflow_steps s using (workflow_step_uuid) "
            + "join tasker.named_steps n using (named_step_uuid) where s.task_uuid = ? and n.name = 'held' and h.from_state = 'in_progress'",
        running))
        .isEqualTo("enqueued_for_orchestration");
    assertThat(tasker
        .count("select count(*) from tasker.workflow_step_transitions where actor = 'recovery'"))
        .as("leases that ran out")
        .isZero();

    worker = TestServer.start(database, settings("worker"));
    assertThat(tasker.awaitTerminalOrBlocked(running).getString("state")).isEqualTo("complete");
    assertThat(tasker.awaitTerminalOrBlocked(late).getString("state")).isEqualTo("complete");
    assertThat(History.broken(tasker)).isEmpty();
  }
}
