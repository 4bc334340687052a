package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers that are started before their database, which is empty when it comes. */
@Tag("long")
class StartWithoutDatabaseIT {
  /** Open Liberty has its own word for the file that the tests read. */
  private static final Map<String, String> LOG_IN_JSON = Map.of("CONSOLE_FORMAT", "json",
      "WLP_LOGGING_MESSAGE_FORMAT", "json");

  @Test
  void servers_wait_and_say_so_and_begin_by_themselves_when_the_database_answers() {
    try (EmbeddedDatabase database = TestServer.newEmptyDatabase()) {
      database.close();
      try (TestServer one = TestServer.starting(database, LOG_IN_JSON);
          TestServer other = TestServer.starting(database, Map.of())) {
        for (TestServer server : List.of(one, other)) {
          TaskerClient.until("the application says that it waits", Duration.ofSeconds(120),
              () -> saysThatItWaits(server));
          assertThat(server.log()).contains("TK1005").doesNotContain("TK1001", "TK1003");
          assertThat(server.client().get("/health/live").status()).isEqualTo(200);
          assertThat(server.client().get("/health/started").status()).isEqualTo(503);
          assertRefusal(
              server.client().post("/v1/tasks", TaskerClient.taskRequest("linear",
                  "mathematical_sequence", "{'even_number': 6}")));
          assertRefusal(server.client().get("/v1/no/such/path"));
        }

        database.start();

        one.awaitReady();
        other.awaitReady();
        for (TestServer server : List.of(one, other)) {
          UUID task = server.client().submit("linear", "mathematical_sequence",
              "{\"even_number\": " + (server == one ? 6 : 8) + "}");
          assertThat(server.client().awaitTerminalOrBlocked(task).getString("state"))
              .isEqualTo("complete");
          TaskerClient.until("it listens", Duration.ofSeconds(20),
              () -> server.log().contains("TK1401"));
          assertThat(server.log()).contains("TK1001", "TK1003");
          if (server == one) {
            assertFieldsInTheLog(server, task);
          }
        }
        TaskerClient tasker = TestServer.clientOf(database);
        assertThat(
            tasker.count("select count(*) from tasker.flyway_schema_history where not success"))
            .isZero();
        assertThat(tasker.count(
            "select count(*) from tasker.servers where lease_expires_at > clock_timestamp()"))
            .isEqualTo(2);
      }
    }
  }

  /**
   * Nothing listens at first, then the server before the application; Payara asks the checks of an
   * application that is still being deployed, and they fail.
   */
  private static boolean saysThatItWaits(TestServer server) {
    try {
      Answer ready = server.client().get("/health/ready");
      return ready.status() == 503 && ready.body().contains("waiting for the database")
          && server.client().get("/health/live").status() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  /** Where each server's formatter has them: at the top, with a prefix of its own, or together. */
  private static void assertFieldsInTheLog(TestServer server, UUID task) {
    TaskerClient.until("the end of the task is logged", Duration.ofSeconds(20),
        () -> endOf(server, task).isPresent());
    JsonObject line = Json.createReader(new StringReader(endOf(server, task).orElseThrow()))
        .readObject();
    Map<String, String> fields = new HashMap<>();
    JsonObject context = line.containsKey("mdc") ? line.getJsonObject("mdc") : line;
    context.forEach((name, value) -> {
      if (value instanceof JsonString text) {
        fields.put(name.replaceFirst("^ext_", ""), text.getString());
      }
    });
    assertThat(fields).as(line.toString()).containsEntry("tasker_code", "TK1202")
        .containsEntry("tasker_task", task.toString()).containsEntry("tasker_state", "complete")
        .hasEntrySatisfying("tasker_correlation",
            correlation -> assertThat(UUID.fromString(correlation)).isNotNull());
    assertThat(server.log().lines().filter(other -> other.contains("TK1001"))).hasSize(1)
        .allSatisfy(
            other -> assertThat(other).contains("tasker_roles").doesNotContain("tasker_task"));
  }

  private static Optional<String> endOf(TestServer server, UUID task) {
    return server.log().lines()
        .filter(line -> line.contains("TK1202 ") && line.contains("task=" + task)).findFirst();
  }

  private static void assertRefusal(Answer answer) {
    JsonObject problem = answer.object();
    assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
    assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
    assertThat(answer.header("Retry-After")).isEqualTo("5");
    assertThat(problem.getString("code")).isEqualTo("unavailable");
    assertThat(problem.getString("detail")).contains("waits for its database");
  }
}
