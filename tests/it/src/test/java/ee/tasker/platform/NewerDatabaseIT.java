package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that starts where a newer version has installed its functions. */
@Tag("long")
class NewerDatabaseIT {
  private static Cluster cluster;

  @BeforeAll
  static void start() {
    cluster = new Cluster();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static TestServer starting() {
    return TestServer.starting(cluster.database(),
        cluster.environment("newer", "newer", "newer", Map.of()));
  }

  @Test
  void it_works_on_while_it_finds_what_it_calls_and_takes_no_work_otherwise() {
    cluster.administer("postgres", "create role newer login password 'newer'",
        "create database newer owner newer");
    try (TestServer server = starting().awaitReady()) {
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");
    }
    cluster.administer("newer",
        "insert into tasker.installations (version, manifest_digest) values ('99.1.0', 'newer')",
        "update tasker.installed_routines set digest = 'newer'");

    try (TestServer server = starting().awaitReady()) {
      assertThat(server.log()).containsPattern("TK1014.*99\\.1\\.0").doesNotContain("TK1015");
      assertThat(Cluster.runTask(server, 8)).isEqualTo("complete");
    }
    cluster.administer("newer",
        "update tasker.installed_routines set signature = 'newer-' || left(signature, 50) "
            + "where objects = '{function claim_steps}'");
    try (TestServer server = starting()) {
      TaskerClient.until("health names it", Duration.ofSeconds(120), () -> {
        try {
          Answer ready = server.client().get("/health/ready");
          return ready.status() == 503
              && ready.body().contains("upgraded to version 99.1.0")
              && ready.body().contains("claim_steps");
        } catch (UncheckedIOException notYet) {
          return false;
        }
      });
      assertThat(server.log()).containsPattern("TK1015.*claim_steps").doesNotContain("TK1001");

      // As by the backup that goes back to its version.
      cluster.administer("newer",
          "update tasker.installed_routines set signature = replace(signature, 'newer-', ''), "
              + "digest = 'older'",
          "delete from tasker.installations where version = '99.1.0'");

      server.awaitReady();
      assertThat(Cluster.runTask(server, 10)).isEqualTo("complete");
      // Once, although it looked again and again.
      assertThat(server.log().split("TK1015", -1)).hasSize(2);
    }
  }
}
