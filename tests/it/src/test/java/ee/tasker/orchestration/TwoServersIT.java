package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
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

/** Two servers with all roles on one database, neither of them a leader. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TwoServersIT {
  static final Map<String, String> SETTINGS = Map.of(
      "TASKER_WORKER_HEARTBEAT_SECONDS", "2", "TASKER_WORKER_LEASE_SECONDS", "6",
      "TASKER_POLL_INTERVAL_SECONDS", "2");

  private EmbeddedDatabase database;
  private TestServer first;
  private TestServer second;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newEmptyDatabase();
    // Side by side: two servers that migrate the same empty database at the same moment.
    first = TestServer.starting(database, SETTINGS);
    second = TestServer.starting(database, SETTINGS);
    first.awaitReady();
    second.awaitReady();
    tasker = first.client();
    tasker.register("/testing/templates.yaml");
    // Each server learns of the other with a heartbeat; until then both tell the other anyway.
    TaskerClient.until("both are registered", Duration.ofSeconds(20),
        () -> tasker.count(
            "select count(*) from tasker.servers where lease_expires_at > clock_timestamp()") == 2);
  }

  @AfterAll
  void stop() {
    for (AutoCloseable each : new AutoCloseable[]{second, first, database}) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Test
  @Order(1)
  void five_hundred_mixed_tasks_are_done_once_and_by_both() {
    List<UUID> tasks = new ArrayList<>();
    for (int batch = 0; batch < 10; batch++) {
      List<String> requests = new ArrayList<>(
          Collections.nCopies(20, TaskerClient.taskRequest("testing", "work", "{}")));
      requests.addAll(Collections.nCopies(10,
          TaskerClient.taskRequest("linear", "mathematical_sequence", "{'even_number': 2}")));
      requests
          .addAll(Collections.nCopies(10, TaskerClient.taskRequest("testing", "progress", "{}")));
      requests.addAll(Collections.nCopies(10, TaskerClient.taskRequest("testing", "family", "{}")));
      tasks.addAll(submit(batch % 2 == 0 ? first : second, requests));
    }

    assertThat(tasks).hasSize(500).doesNotHaveDuplicates();
    assertAllComplete(tasks);
    assertThat(tasker.sql(
        """
        select step_uuid, attempt, count(*) from testing.effects where effect = 'ran' group by step_uuid, attempt having count(*) > 1"""))
        .as("attempts that ran twice").isEmpty();
    assertThat(tasker.count("select count(distinct process) from testing.effects"))
        .as("servers that ran steps").isEqualTo(2);
    assertThat(tasker.count(
        "select count(distinct processor_uuid) from tasker.workflow_step_transitions where actor = 'worker'"))
        .isEqualTo(2);
    assertThat(History.broken(tasker)).isEmpty();
    assertThat(History.messages(tasker)).isEmpty();
  }

  @Test
  @Order(2)
  void a_wait_on_one_server_ends_with_a_task_of_the_other() {
    Answer created = second.client().post("/v1/tasks",
        TaskerClient.taskRequest("testing", "family", "{}"));

    assertThat(first.client().awaitTerminalOrBlocked(created.taskUuid(), Duration.ofSeconds(20))
        .getString("state")).isEqualTo("complete");
  }

  @Test
  @Order(3)
  void same_request_at_both_makes_one_task() {
    new Instances(List.of(first, second)).createTheSameTask(10, 4);
  }

  @Test
  @Order(4)
  void burst_of_25_tasks_is_shared_evenly() {
    new Instances(List.of(first, second)).shareABurst(Instances.THREE_ROOTS, 25, 1, true);
  }

  @Test
  @Order(5)
  void burst_of_1000_tasks_at_both_is_shared_evenly() {
    new Instances(List.of(first, second)).shareABurst(Instances.WITH_RETRIES, 1_000, 100, true);
  }

  @Test
  @Order(6)
  void both_say_the_same() {
    new Instances(List.of(first, second)).sayTheSame();
  }

  @Test
  @Order(7)
  void the_second_to_finalise_gets_already() throws Exception {
    new Instances(List.of(first, second)).finaliseTogether();
  }

  @Test
  @Order(8)
  void server_that_is_killed_leaves_nothing_undone() {
    // First, while it has permits for them: otherwise the other server may run them.
    List<UUID> held = submit(second,
        Collections.nCopies(5, TaskerClient.taskRequest("testing", "hold", "{}")));
    TaskerClient.until("it is in the middle of its work", Duration.ofSeconds(30),
        () -> tasker.count("select count(*) from testing.effects where effect = 'started'") >= 5);
    List<UUID> tasks = submit(second,
        Collections.nCopies(100, TaskerClient.taskRequest("testing", "work", "{}")));

    second.kill();
    held.forEach(task -> tasker.sql("insert into testing.released values (?)", task));

    assertAllComplete(tasks);
    assertAllComplete(held);
    assertThat(History.broken(tasker)).isEmpty();
    assertThat(tasker
        .count("select count(*) from tasker.workflow_step_transitions where actor = 'recovery'"))
        .isPositive();
  }

  @Test
  @Order(9)
  void a_call_that_takes_too_long_is_cancelled_at_the_database() throws SQLException {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("TASKER_DATABASE_STATEMENT_TIMEOUT_SECONDS", "3");
    try (TestServer impatient = TestServer.start(database, settings);
        Connection blocking = tasker.connect();
        Statement lock = blocking.createStatement()) {
      blocking.setAutoCommit(false);
      lock.execute("lock table tasker.saved_views in access exclusive mode");

      Answer answer = impatient.client().get("/v1/views");

      assertThat(answer.status()).as(answer::body).isGreaterThanOrEqualTo(500);
      // The lock is still held: without the cancel the call would wait on.
      TaskerClient.until("no call waits for the lock", Duration.ofSeconds(5), () -> tasker.count(
          "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%views%'") == 0);
      blocking.rollback();
      assertThat(impatient.client().get("/v1/views").status()).isEqualTo(200);
    }
  }

  private List<UUID> submit(TestServer server, List<String> requests) {
    Answer answer = server.client().post("/v1/tasks:batch", requests.toString());
    assertThat(answer.status()).as(answer.body()).isEqualTo(207);
    return answer.list("verdicts").stream()
        .map(verdict -> UUID.fromString(verdict.getString("task_uuid"))).toList();
  }

  private void assertAllComplete(List<UUID> tasks) {
    for (UUID task : tasks) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .as(() -> tasker.steps(task).toString()).isEqualTo("complete");
    }
  }
}
