package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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

/**
 * A rolling deploy with the default settings: one server has the new handler, the other has not;
 * then servers are killed.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MixedServersIT {
  private static final int TASKS = 30;

  private EmbeddedDatabase database;
  private Path newerWar;
  private TestServer older;
  private TestServer newer;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    newerWar = TestServer.warWith("tasker-ee-newer.war",
        war -> war.addPackages(true, "ee.tasker.testing.newer"));
    older = TestServer.starting(database, Map.of());
    newer = TestServer.starting(database, TestServer.freePort(), Map.of(), newerWar);
    older.awaitReady();
    newer.awaitReady();
    tasker = older.client();
    tasker.register("/testing/templates.yaml");
    tasker.register("/testing/newer.yaml");
    awaitServers(2);
  }

  @AfterAll
  void stop() {
    for (AutoCloseable each : new AutoCloseable[]{newer, older, database}) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private void awaitServers(int count) {
    TaskerClient.until(count + " servers are registered", Duration.ofSeconds(30),
        () -> tasker
            .count(
                "select count(*) from tasker.servers where lease_expires_at > clock_timestamp() and state <> 'stopped'") == count);
  }

  private List<UUID> submit(TestServer server) {
    Answer answer = server.client().post("/v1/tasks:batch",
        Collections.nCopies(TASKS, TaskerClient.taskRequest("testing", "newer", "{}")).toString());
    assertThat(answer.status()).as(answer.body()).isEqualTo(207);
    List<UUID> tasks = new ArrayList<>();
    answer.list("verdicts")
        .forEach(verdict -> tasks.add(UUID.fromString(verdict.getString("task_uuid"))));
    return tasks;
  }

  @Test
  @Order(1)
  void every_task_completes_whichever_server_takes_it_in_and_no_attempt_is_spent() {
    List<UUID> tasks = new ArrayList<>(submit(older));
    tasks.addAll(submit(newer));
    tasks.addAll(submit(older));

    for (UUID task : tasks) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .as(() -> tasker.steps(task).toString()).isEqualTo("complete");
    }
    assertThat(tasker.count("""
        select count(*) from tasker.workflow_step_result_audit r where r.outcome <> 'success'"""))
        .isZero();
    assertThat(tasker.count(
        """
        select count(*) from tasker.workflow_step_transitions where metadata ->> 'reason' = 'no_handler_on_this_worker'"""))
        .as("steps that were given back").isZero();
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Test
  @Order(2)
  void steps_of_a_killed_server_go_on_within_ten_seconds_at_an_undisturbed_one() {
    UUID held = hold(newer);
    double seconds = recoveryAfterKill(newer, held, older);

    System.out.printf("recovery by an undisturbed server: %.1f s%n", seconds);
    assertThat(seconds).isLessThanOrEqualTo(10);
    release(held);
  }

  @Test
  @Order(3)
  void when_no_live_server_has_the_handler_its_steps_wait_say_so_and_run_when_one_starts_with_it() {
    UUID task = submit(older).get(0);
    tasker.sql(
        "update tasker.task_wakeups set wake_at = clock_timestamp() + interval '5 seconds' where task_uuid = ?",
        task);
    TaskerClient.until("recovery has noted it", Duration.ofSeconds(90),
        () -> tasker.count(
            "select count(*) from tasker.unclaimed_offers where task_uuid = ? and why = 'unserved'",
            task) == 1);
    assertThat(tasker.get("/v1/tasks/" + task + "/diagnosis").body()).contains("no_handler");
    assertThat(tasker.get("/v1/servers").body()).contains("\"unserved\"");
    assertThat(tasker.steps(task).get("first").getString("state")).isEqualTo("enqueued");

    newer = TestServer.starting(database, TestServer.freePort(), Map.of(), newerWar);
    newer.awaitReady();

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("first").getInt("attempts")).isEqualTo(1);
    newer.kill();
  }

  @Test
  @Order(4)
  void a_server_that_has_just_started_takes_over_from_one_that_ended_before_it() {
    UUID held = hold(older);
    older.kill();
    older = TestServer.starting(database, Map.of()).awaitReady();
    tasker = older.client();

    awaitSecondAttempt(held);

    double seconds = ((Number) tasker.value(
        """
        select extract(epoch from clock_timestamp() - max(registered_at)) from tasker.servers where lost_at is null and state <> 'stopped'"""))
        .doubleValue();
    System.out.printf(
        "recovery by a server that has just started: %.1f s after its first heartbeat%n", seconds);
    assertThat(seconds).as("seconds from its first heartbeat").isLessThanOrEqualTo(10);
    release(held);
  }

  private UUID hold(TestServer server) {
    UUID task = server.client().submit("hold", "{\"on\": \"" + UUID.randomUUID() + "\"}");
    TaskerClient.until("it runs", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started'",
            task) == 1);
    return task;
  }

  private double recoveryAfterKill(TestServer victim, UUID task, TestServer survivor) {
    victim.kill();
    long killed = System.nanoTime();
    tasker = survivor.client();
    awaitSecondAttempt(task);
    return (System.nanoTime() - killed) / 1e9;
  }

  private void awaitSecondAttempt(UUID task) {
    TaskerClient.until("another server runs it", Duration.ofSeconds(90),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started' and attempt = 2",
            task) == 1);
  }

  private void release(UUID task) {
    tasker.sql("insert into testing.released values (?)", task);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
  }
}
