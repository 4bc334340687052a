package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server where a newer version has installed its functions, before it starts or later. */
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
      awaitUnready(server, "upgraded to version 99.1.0", "claim_steps");
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

  @Test
  void it_takes_no_work_from_the_moment_on_at_which_what_it_calls_is_gone() {
    cluster.administer("postgres", "create role older login password 'older'",
        "create database older owner older");
    try (TestServer server = TestServer.starting(cluster.database(),
        cluster.environment("older", "older", "older", Map.of())).awaitReady()) {
      assertThat(Cluster.runTask(server, 6)).isEqualTo("complete");

      cluster.administer("older",
          "update tasker.installed_routines set signature = reverse(signature) "
              + "where objects = '{function complete_steps}'",
          "insert into tasker.installations (version, manifest_digest) values ('99.2.0', 'newer')");
      awaitUnready(server, "upgraded to version 99.2.0", "complete_steps");
      assertThat(server.log()).containsPattern("TK1015.*complete_steps");
      assertThat(server.client().post("/v1/tasks",
          TaskerClient.taskRequest("linear", "mathematical_sequence", "{'even_number': 8}")))
          .satisfies(refused -> assertThat(refused.status()).isEqualTo(503));
      cluster.administer("older", "select tasker.submit_task('linear', 'mathematical_sequence', "
          + "'1.0.0', '{\"even_number\": 10}')");
      assertThat(cluster.text("older", "select count(*) from tasker.workflow_steps "
          + "where attempts > 0 and state <> 'complete'")).isEqualTo("0");

      // As by the backup that goes back to its version.
      cluster.administer("older",
          "update tasker.installed_routines set signature = reverse(signature) "
              + "where objects = '{function complete_steps}'",
          "delete from tasker.installations where version = '99.2.0'");
      server.awaitReady();
      TaskerClient.until("the task that came meanwhile has ended", Duration.ofSeconds(60),
          () -> cluster.text("older", "select count(*) from tasker.tasks where state = 'complete'")
              .equals("2"));

      // Nobody tells: the first call that fails does.
      cluster.administer("older",
          "alter function tasker.heartbeat rename to heartbeat_of_the_newer");
      awaitUnready(server, "another build of version", "heartbeat");
      cluster.administer("older",
          "alter function tasker.heartbeat_of_the_newer rename to heartbeat");
      server.awaitReady();
      assertThat(Cluster.runTask(server, 12)).isEqualTo("complete");
    }
  }

  private static void awaitUnready(TestServer server, String... causes) {
    TaskerClient.until("health names " + String.join(" and ", causes), Duration.ofSeconds(120),
        () -> {
          try {
            Answer ready = server.client().get("/health/ready");
            return ready.status() == 503
                && Stream.of(causes).allMatch(cause -> ready.body().contains(cause));
          } catch (UncheckedIOException notYet) {
            return false;
          }
        });
  }
}
