package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers that are started before their database, which is empty when it comes. */
@Tag("long")
class StartWithoutDatabaseIT {

  @Test
  void servers_wait_and_say_so_and_begin_by_themselves_when_the_database_answers() {
    try (EmbeddedDatabase database = TestServer.newEmptyDatabase()) {
      database.close();
      try (TestServer one = TestServer.starting(database, Map.of());
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

  private static void assertRefusal(Answer answer) {
    JsonObject problem = answer.object();
    assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
    assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
    assertThat(answer.header("Retry-After")).isEqualTo("5");
    assertThat(problem.getString("code")).isEqualTo("unavailable");
    assertThat(problem.getString("detail")).contains("waits for its database");
  }
}
