package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers whose clocks are five minutes ahead of and behind the database's, in zones with odd
 * offsets. Only the database's clock counts.
 */
@Tag("long")
class ClocksIT {
  private static final Duration OFF = Duration.ofMinutes(5);
  private static final int TASKS = 20;
  /** An attempt that is repeated after two seconds, or 15 % less or more, and a wait of two. */
  private static final String TEMPLATE = """
      name: timed
      namespace_name: testing
      version: 1.0.0
      identity_strategy: always_unique
      steps:
        - name: again
          handler: {callable: testing.Work, initialization: {ms: 5, fail_times: 1}}
          retry: {retryable: true, max_attempts: 3, backoff: linear, backoff_base_ms: 2000}
        - name: cool_down
          dependencies: [again]
          wait: {for: PT2S}
        - name: last
          dependencies: [cool_down]
          handler: {callable: testing.Work, initialization: {ms: 20}}
      """;

  @TempDir
  private Path folder;

  @Test
  void servers_whose_clocks_are_wrong_work_together_by_that_of_the_database() throws Exception {
    Path library = Preload.library(folder, "clock");
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer ahead = TestServer.starting(database,
            settings(library, OFF, "Asia/Kathmandu"));
        TestServer behind = TestServer.starting(database,
            settings(library, OFF.negated(), "America/St_Johns"))) {
      ahead.awaitReady();
      behind.awaitReady();
      TaskerClient tasker = ahead.client();
      assertThat(Duration.between(databaseTime(tasker), clock(ahead)))
          .isCloseTo(OFF, Duration.ofSeconds(10));
      assertThat(Duration.between(databaseTime(tasker), clock(behind)))
          .isCloseTo(OFF.negated(), Duration.ofSeconds(10));
      assertThat(tasker.postTemplate(TEMPLATE).status()).isEqualTo(201);
      TaskerClient.until("both are registered", Duration.ofSeconds(20), () -> tasker.count(
          "select count(*) from tasker.servers where lease_expires_at > clock_timestamp()") == 2);
      String schedule = schedule(behind.client());

      List<UUID> tasks = new ArrayList<>();
      for (int i = 0; i < TASKS; i++) {
        tasks.add((i % 2 == 0 ? ahead : behind).client().submit("testing", "timed", "{}"));
      }
      for (UUID task : tasks) {
        assertTimes(behind.client().awaitTerminalOrBlocked(task), tasker);
      }
      TaskerClient.until("it has fired three times", Duration.ofSeconds(60),
          () -> fires(tasker, schedule).size() >= 3);

      assertThat(fires(tasker, schedule)).allSatisfy(fire -> assertThat(
          Duration.between(time(fire, "fire_at"), time(fire, "decided_at")))
          .isBetween(Duration.ZERO, Duration.ofSeconds(30)));
      assertThat(fireTimes(ahead)).isEqualTo(fireTimes(behind)).hasSize(5);
      assertThat(tasker.sql("select name from tasker.servers where lost_at is not null")).isEmpty();
      assertThat(tasker.count("select count(distinct process) from testing.effects"))
          .as("servers that ran steps").isEqualTo(2);
      assertThat(tasker.count("select count(*) from tasker.workflow_step_transitions"
          + " where created_at > clock_timestamp() or created_at < clock_timestamp() - interval"
          + " '4 minutes'")).as("moves at another time than the database's").isZero();
      assertThat(History.broken(tasker)).isEmpty();
    }
  }

  private static Map<String, String> settings(Path library, Duration off, String zone) {
    return Map.of("TASKER_WORKER_HEARTBEAT_SECONDS", "2", "TASKER_WORKER_LEASE_SECONDS", "6",
        "TASKER_POLL_INTERVAL_SECONDS", "2", "TZ", zone, Preload.VARIABLE, library.toString(),
        "CLOCK_OFF", Long.toString(off.toSeconds()));
  }

  private static Instant clock(TestServer server) {
    return ZonedDateTime.parse(server.client().get("/v1/tasks?limit=1").header("Date"),
        DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
  }

  private static Instant databaseTime(TaskerClient tasker) {
    return OffsetDateTime.parse(tasker.jsonOf(
        "select jsonb_build_object('now', clock_timestamp())").getString("now")).toInstant();
  }

  private static String schedule(TaskerClient tasker) {
    Answer created = tasker.post("/v1/schedules", TaskerClient.quoted(
        "{'namespace': 'testing', 'name': 'timed', 'template': 'timed', 'context': {},"
            + " 'every_seconds': 2, 'overlap': 'allow', 'requested_by': 'ann', 'reason': 'a test'}"));
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    return created.text("schedule_uuid");
  }

  private static List<JsonObject> fires(TaskerClient tasker, String schedule) {
    return tasker.get("/v1/schedules/" + schedule + "/fires").list("fires");
  }

  private static List<String> fireTimes(TestServer server) {
    return server.client().get("/v1/schedules/upcoming?cron=0+12+*+*+*&zone=Europe/Paris").object()
        .getJsonArray("fire_times").stream().map(Object::toString).toList();
  }

  private static Instant time(JsonObject document, String member) {
    return OffsetDateTime.parse(document.getString(member)).toInstant();
  }

  private static void assertTimes(JsonObject task, TaskerClient tasker) {
    UUID uuid = UUID.fromString(task.getString("task_uuid"));
    SoftAssertions.assertSoftly(all -> {
      all.assertThat(task.getString("state")).isEqualTo("complete");
      all.assertThat(Duration.between(time(task, "created_at"), time(task, "completed_at")))
          .isBetween(Duration.ofMillis(3_700), Duration.ofSeconds(45));
      all.assertThat(tasker.value("select created_at = ?::timestamptz from tasker.tasks"
          + " where task_uuid = ?", task.getString("created_at"), uuid)).isEqualTo(true);
      all.assertThat(tasker.count("select count(*) from tasker.workflow_step_result_audit"
          + " where task_uuid = ?", uuid)).as("two attempts of the first, one result of each other")
          .isEqualTo(4);
    });
  }
}
