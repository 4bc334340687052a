package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All connections of the server's pool are busy for longer than a request waits for one. */
@Tag("long")
class ExhaustedPoolIT {
  private static final int POOL = 4;
  private static final String WAITS = "tasker_database_connection_wait_seconds";
  private static final String WAITING = "tasker_database_connection_waiting";

  private static EmbeddedDatabase database;
  private static TestServer server;
  private static TaskerClient tasker;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    server = TestServer.start(database, Map.of("DB_POOL_MAX", Integer.toString(POOL)));
    tasker = server.client();
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void stop() {
    server.close();
    database.close();
  }

  @Test
  void request_that_gets_no_connection_is_told_to_retry_and_the_others_are_answered()
      throws Exception {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);
    try (Connection other = tasker.connect()) {
      other.setAutoCommit(false);
      TaskerClient.sql(other, "lock table tasker.tasks in access exclusive mode");
      List<CompletableFuture<Answer>> requests = Stream
          .generate(() -> tasker.sendLater(tasker.request("/v1/tasks/" + task).GET()))
          .limit(3 * POOL).toList();
      TaskerClient.until("the metrics say how many wait for a connection", Duration.ofSeconds(5),
          () -> figure(WAITING) >= POOL);

      // They hold the connections until the lock goes, which it does when the first of the others
      // was answered.
      Answer first = (Answer) CompletableFuture.anyOf(requests.toArray(new CompletableFuture[0]))
          .join();
      other.rollback();
      List<Answer> answers = requests.stream().map(CompletableFuture::join).toList();

      assertThat(first.status()).as(first.toString()).isEqualTo(503);
      assertThat(answers)
          .allSatisfy(answer -> assertThat(answer.status()).as(answer.toString()).isIn(200, 503));
      assertThat(answers).filteredOn(answer -> answer.status() == 503).isNotEmpty()
          .allSatisfy(answer -> {
            assertThat(answer.text("code")).isEqualTo("unavailable");
            // One that got a connection is cancelled at the database when its time is over, and one
            // that got none ends its wait.
            assertThat(answer.text("detail")).startsWith("the database cannot")
                .endsWith("try again later");
            assertThat(answer.header("Retry-After")).isNotNull();
          });
      assertThat(answers).filteredOn(answer -> answer.status() == 200).isNotEmpty();
    }
    assertThat(tasker.get("/v1/tasks/" + task).status()).isEqualTo(200);
    TaskerClient.until("no call waits", Duration.ofSeconds(20), () -> figure(WAITING) == 0);
    assertThat(figure(WAITS + "_count") - figure(WAITS + "_bucket{le=\"1.0\"}"))
        .as("calls that waited for longer than a second").isGreaterThanOrEqualTo(POOL);
  }

  private static double figure(String name) {
    return tasker.get("/metrics?of=server").body().lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1))).findFirst()
        .orElseThrow();
  }
}
