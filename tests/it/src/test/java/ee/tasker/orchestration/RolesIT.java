package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.Login;
import ee.tasker.samples.SampleRunner;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Three servers, each with one role: they meet in the database only. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolesIT {
  private EmbeddedDatabase database;
  private TestServer api;
  private TestServer orchestrator;
  private TestServer worker;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    api = TestServer.starting(database, settings("api"));
    orchestrator = TestServer.starting(database, settings("orchestrator"));
    worker = TestServer.starting(database, settings("worker"));
    api.awaitReady();
    orchestrator.awaitReady();
    worker.awaitReady();
    tasker = api.client();
    tasker.register("/testing/templates.yaml");
    TaskerClient.until("all are registered", Duration.ofSeconds(20),
        () -> tasker.count("select count(*) from tasker.servers") == 3);
  }

  private static Map<String, String> settings(String role) {
    return new HashMap<>(Map.of("TASKER_ROLES", role, "TASKER_WORKER_HEARTBEAT_SECONDS", "2",
        "TASKER_WORKER_LEASE_SECONDS", "15",
        "TASKER_POLL_INTERVAL_SECONDS", "3"));
  }

  @AfterAll
  void stop() {
    for (TestServer each : new TestServer[]{worker, orchestrator, api}) {
      if (each != null) {
        each.close();
      }
    }
    database.close();
  }

  @Test
  void samples_finish_although_no_server_can_do_it_alone() throws Exception {
    var outcomes = new SampleRunner(api.base(),
        Path.of(System.getProperty("tasker.checkout"), "samples"), true, Login.FOR_TESTS.basic())
        .run();

    assertThat(outcomes).filteredOn(outcome -> !outcome.ok()).isEmpty();
    assertEverythingIsInOrder();
  }

  @Test
  void each_move_is_made_by_a_server_that_has_its_role() {
    List<UUID> tasks = api.client()
        .post("/v1/tasks:batch",
            Collections.nCopies(100, TaskerClient.taskRequest("testing", "work", "{}")).toString())
        .list("verdicts").stream().map(verdict -> UUID.fromString(verdict.getString("task_uuid")))
        .toList();
    for (UUID task : tasks) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .as(() -> tasker.steps(task).toString()).isEqualTo("complete");
    }

    assertThat(tasker.sql(
        """
        select distinct t.actor, t.from_state, t.to_state, s.roles from tasker.workflow_step_transitions t
        join tasker.servers s on s.server_uuid = t.processor_uuid
        where t.from_state is not null and not case t.actor when 'recovery' then 'orchestrator' else t.actor::text end = any (s.roles)
          -- A cancel does at once, where it is asked for, what an orchestrator may do; so do a signal and the decision of an approval.
          and t.to_state <> 'cancelled'
          and not exists (select from tasker.step_waits w where w.task_uuid = t.task_uuid and w.kind in ('signal', 'approval'))"""))
        .isEmpty();
    assertThat(tasker.sql(
        """
        select distinct t.from_state, t.to_state, s.roles from tasker.task_transitions t
        join tasker.servers s on s.server_uuid = t.processor_uuid
        where t.from_state is not null and not 'orchestrator' = any (s.roles)
          and not exists (select from tasker.tasks c where c.task_uuid = t.task_uuid and c.cancel_requested_at is not null)
          and not exists (select from tasker.step_waits w where w.task_uuid = t.task_uuid and w.kind in ('signal', 'approval'))"""))
        .isEmpty();
    assertThat(tasker.count("select count(distinct process) from testing.effects")).isEqualTo(1);
    assertEverythingIsInOrder();
  }

  @Test
  void server_without_the_api_role_takes_no_tasks_in_and_still_shows_them() {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);

    Answer refused = worker.client().post("/v1/tasks",
        TaskerClient.taskRequest("testing", "hello", "{}"));
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text("code")).isEqualTo("role-off");
    assertThat(worker.client()
        .post("/v1/tasks:batch", "[" + TaskerClient.taskRequest("testing", "hello", "{}") + "]")
        .status())
        .isEqualTo(503);
    assertThat(worker.client().get("/v1/tasks/" + task).text("state")).isEqualTo("complete");
    assertThat(orchestrator.client().get("/v1/tasks/" + task + "?wait=10").text("state"))
        .isEqualTo("complete");
  }

  @Test
  void running_step_of_another_server_gets_the_cancel() {
    UUID task = tasker.submit("hold", "{}");
    TaskerClient.until("the handler runs", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started'",
            task) == 1);

    assertThat(tasker.delete("/v1/tasks/" + task).status()).isEqualTo(200);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
    assertThat(tasker.steps(task).get("held").getString("state")).isEqualTo("cancelled");
  }

  private void assertEverythingIsInOrder() {
    assertThat(History.broken(tasker)).isEmpty();
    TaskerClient.until("the queues are empty: " + History.messages(tasker), Duration.ofSeconds(15),
        () -> History.messages(tasker).isEmpty());
  }
}
