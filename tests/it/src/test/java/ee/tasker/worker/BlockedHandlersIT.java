package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.handlers.Block;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every handler of a server blocks, most of them without heeding an interrupt, and nothing else of
 * that server may notice.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class BlockedHandlersIT {
  private static final int LIMIT_SECONDS = 4;
  /**
   * Of a time-out, a cancel, a request, a heartbeat: generous, because the machine may be busy, and
   * far below what a missing thread costs.
   */
  private static final double LATE_SECONDS = 4;

  private EmbeddedDatabase database;
  private TestServer server;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database,
        Map.of("TASKER_WORKER_CAPACITY", "100", "TASKER_WORKER_DRAIN_SECONDS", "2",
            "TASKER_WORKER_HEARTBEAT_SECONDS", "1", "TASKER_WORKER_LEASE_SECONDS", "15",
            "TASKER_POLL_INTERVAL_SECONDS", "5"));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  void stop() {
    server.close();
    database.close();
  }

  @BeforeEach
  void forget() {
    tasker.sql("truncate testing.released, testing.effects");
  }

  @Order(1)
  @ParameterizedTest
  @ValueSource(ints = {100, 7})
  void server_whose_handlers_all_block_answers_times_out_cancels_and_claims_no_more_than_it_has_threads_left(
      int capacity) {
    changeCapacity(capacity);
    int timed = capacity / 2;
    long submitting = System.nanoTime();
    List<UUID> untimed = submit("block", capacity - timed);
    List<UUID> limited = submit("block_timed", timed);
    TaskerClient.until("every handler has a thread", Duration.ofSeconds(60),
        () -> handlers("started") == capacity);
    report(capacity, "all handlers have a thread", seconds(submitting));

    Slowest slowest = new Slowest();
    UUID cancelled = untimed.get(0);
    assertThat(tasker.delete("/v1/tasks/" + cancelled + "?grace_seconds=1").status())
        .isEqualTo(200);
    long cancelling = System.nanoTime();
    UUID late = slowest.submission();
    slowest.until("the time-outs fire", () -> left(limited).size() == timed);
    slowest.until("the cancel is forced",
        () -> tasker.get("/v1/tasks/" + cancelled).text("state").equals("cancelled"));
    report(capacity, "cancelled after", seconds(cancelling));
    List<Double> lateness = left(limited);
    report(capacity, "time-outs late by at most", lateness.get(lateness.size() - 1));
    report(capacity, "time-outs late by, median", lateness.get(lateness.size() / 2));
    report(capacity, "slowest health answer", slowest.health);
    report(capacity, "slowest submission", slowest.submitted);
    report(capacity, "longest without a heartbeat", slowest.silence);

    assertThat(lateness).allMatch(by -> by < LATE_SECONDS);
    assertThat(slowest.health).isLessThan(LATE_SECONDS);
    assertThat(slowest.submitted).isLessThan(LATE_SECONDS);
    assertThat(slowest.silence).isLessThan(1 + LATE_SECONDS);
    assertThat(seconds(cancelling)).isLessThan(3 * LATE_SECONDS);

    int lost = timed + 1;
    TaskerClient.until("it tells of the threads it has lost", Duration.ofSeconds(30),
        () -> describe().getInt("stuck_threads") == lost);
    assertThat(describe().getString("state")).isEqualTo("degraded");
    assertThat(describe().getJsonArray("problems").toString())
        .contains(lost + " of " + capacity + " handler threads");
    assertThat(tasker.get("/health/ready").body().replaceAll("[ \"]", ""))
        .contains("stuck_threads:" + lost);
    assertThat(tasker.get("/metrics").body())
        .contains("tasker_worker_stuck_threads " + lost + ".0");
    assertThat(server.log()).contains("TK1311");
    assertThat(describe().getInt("available_capacity")).isZero();
    TaskerClient.until("the registry knows that it has no thread", Duration.ofSeconds(10),
        () -> tasker.count(
            "select sum(running - capacity) from tasker.workers where state <> 'stopped'") == 0);
    slowest.submission();
    assertThat(running()).as("it claims nothing that no thread is left for")
        .isEqualTo(capacity - lost);
    assertThat(tasker.count("select count(*) from testing.effects where attempt > 1"))
        .as("no thread for a second attempt").isZero();
    assertThat(tasker.get("/v1/tasks/" + late).text("state")).isNotEqualTo("complete");

    release();
    for (UUID task : limited) {
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    }
    untimed.stream().skip(1)
        .forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
            .isEqualTo("complete"));
    assertThat(tasker.awaitTerminalOrBlocked(late).getString("state")).isEqualTo("complete");
    TaskerClient.until("all threads are back", Duration.ofSeconds(30),
        () -> describe().getInt("stuck_threads") == 0
            && describe().getInt("available_capacity") >= capacity);
    assertThat(describe().getString("state")).isEqualTo("healthy");
    assertThat(left(limited)).as("each first attempt ended once").hasSize(timed);
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Order(2)
  @Test
  void thirty_handlers_that_hang_are_timed_out_when_it_is_time_and_succeed_the_second_time() {
    changeCapacity(100);
    List<UUID> tasks = submit("hang_once", 30);
    Slowest slowest = new Slowest();
    slowest.until("all time-outs have fired", () -> late(tasks).size() == 30);
    List<Double> lateness = late(tasks);
    report(100, "thirty time-outs late by, median", lateness.get(15));
    report(100, "thirty time-outs late by at most", lateness.get(29));
    report(100, "slowest health answer meanwhile", slowest.health);

    assertThat(lateness).allMatch(by -> by < LATE_SECONDS);
    assertThat(slowest.health).isLessThan(LATE_SECONDS);
    tasks.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("complete"));
    assertThat(History.broken(tasker)).isEmpty();
  }

  @Order(3)
  @Test
  void application_is_replaced_and_the_server_stops_while_handlers_block() {
    changeCapacity(20);
    List<UUID> tasks = submit("block", 20);
    TaskerClient.until("every handler has a thread", Duration.ofSeconds(60),
        () -> handlers("started") == 20);

    boolean isReplaced = server.redeploy(TestServer.warWith("tasker-ee-again.war", war -> war));
    // Others have to be started again for that.
    assertThat(isReplaced)
        .isEqualTo(ServerFacts.ofThisServer().is("deploys.while-running"));
    if (isReplaced) {
      TaskerClient.until("what blocked is abandoned", Duration.ofSeconds(60),
          () -> server.log().contains("TK1307"));
      TaskerClient.until("the new application takes it up", Duration.ofSeconds(90),
          () -> tasker.count("select count(*) from testing.effects where attempt = 2") == 20);
      assertThat(tasker.count("select count(*) from tasker.servers where state = 'stopped'"))
          .isEqualTo(1);
      TaskerClient.until("the new application answers", Duration.ofSeconds(60),
          () -> tasker.get("/v1/servers").status() == 200);
      tasks.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
          .isEqualTo("complete"));
      forget();
      submit("block", 20);
      TaskerClient.until("every handler has a thread again", Duration.ofSeconds(60),
          () -> handlers("started") == 20);
    }

    server.terminate();
    TaskerClient.until("the process ends although handlers block", Duration.ofSeconds(60),
        () -> !server.isAlive());
    assertThat(
        tasker.count("select count(*) from tasker.workflow_steps where state = 'in_progress'"))
        .as("what blocked is offered to others").isZero();
    assertThat(History.broken(tasker)).isEmpty();
  }

  private final class Slowest {
    private double health;
    private double submitted;
    private double silence;

    private UUID submission() {
      long start = System.nanoTime();
      UUID task = tasker.submit("hello", "{}");
      submitted = Math.max(submitted, seconds(start));
      return task;
    }

    private void until(String what, java.util.function.BooleanSupplier condition) {
      TaskerClient.until(what, Duration.ofSeconds(90), () -> {
        long start = System.nanoTime();
        assertThat(tasker.get("/health/live").status()).isEqualTo(200);
        health = Math.max(health, seconds(start));
        silence = Math.max(silence,
            ((Number) tasker.value(
                "select extract(epoch from clock_timestamp() - heartbeat_at) from tasker.servers"))
                .doubleValue());
        return condition.getAsBoolean();
      });
    }
  }

  private void changeCapacity(int capacity) {
    Answer answer = tasker
        .send(tasker.request("/v1/servers/" + describe().getString("server_uuid"))
            .header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers
                .ofString(TaskerClient.quoted("{'worker_capacity': " + capacity
                    + ", 'requested_by': 'ann', 'reason': 'a test'}"))));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  private List<UUID> submit(String template, int tasks) {
    Answer answer = tasker.post("/v1/tasks:batch",
        Collections.nCopies(tasks, TaskerClient.taskRequest("testing", template, "{}")).toString());
    return answer.list("verdicts").stream()
        .map(verdict -> UUID.fromString(verdict.getString("task_uuid"))).toList();
  }

  private void release() {
    tasker.sql("insert into testing.released values (?)", Block.ALL);
  }

  private long handlers(String effect) {
    return tasker.count("select count(*) from testing.effects where effect = ?", effect);
  }

  private long running() {
    return tasker.count("select count(*) from tasker.workflow_steps where state = 'in_progress'");
  }

  /**
   * Of the first attempts that left in_progress, how much later than their handler's start and the
   * time-out, in seconds, least first.
   */
  private List<Double> left(List<UUID> tasks) {
    return seconds(tasks,
        "(select min(at) from testing.effects e where e.step_uuid = h.workflow_step_uuid)");
  }

  /** The same from the claim on, which is right for handlers that there is a thread for at once. */
  private List<Double> late(List<UUID> tasks) {
    return seconds(tasks,
        "(select min(c.created_at) from tasker.workflow_step_transitions c where c.workflow_step_uuid = h.workflow_step_uuid and c.to_state = 'in_progress')");
  }

  private List<Double> seconds(List<UUID> tasks, String began) {
    return tasker.sql(
        "select extract(epoch from h.created_at - " + began + ") - " + LIMIT_SECONDS
            + " as late from tasker.workflow_step_transitions h "
            + "where h.task_uuid = any (?::uuid[]) and h.from_state = 'in_progress' and h.attempt = 1 order by 1",
        "{" + String.join(",", tasks.stream().map(UUID::toString).toList()) + "}").stream()
        .map(row -> ((Number) row.get("late")).doubleValue()).toList();
  }

  private JsonObject describe() {
    return tasker
        .get("/v1/servers/"
            + tasker.value("select server_uuid from tasker.servers where state <> 'stopped'"))
        .object();
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private static void report(int capacity, String what, double seconds) {
    System.out.printf(Locale.ROOT, "blocked handlers, capacity %d: %s %.2f s%n", capacity, what,
        seconds);
  }
}
