package ee.tasker.insight;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.RunProblem;
import ee.tasker.testing.server.TestServer;
import ee.tasker.testing.twins.First;
import ee.tasker.testing.twins.Second;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An application that cannot start: the run command ends at once and says why, in the words of the
 * cause.
 */
@Tag("long")
class FailedDeploymentIT {
  private static EmbeddedDatabase database;
  private static Path war;

  @BeforeAll
  static void start() {
    database = TestServer.newDatabase();
    war = TestServer.warWith("twins.war", twins -> twins.addPackage(First.class.getPackage()));
  }

  @AfterAll
  static void stop() {
    database.close();
  }

  @Test
  void two_handlers_of_one_name_are_reported_with_both_classes() {
    try (TestServer server = TestServer.starting(database, TestServer.freePort(), Map.of(), war)) {
      assertThatThrownBy(server::awaitReady).isInstanceOf(RunProblem.class)
          .hasMessageContaining("testing.Twin").hasMessageContaining(First.class.getName())
          .hasMessageContaining(Second.class.getName());
    }
  }

  @Test
  void every_setting_that_makes_no_sense_is_told() {
    Map<String, String> nonsense = Map.of("TASKER_WORKER_CAPACITY", "many",
        "TASKER_POLL_INTERVAL_SECONDS", "-1");
    try (TestServer server = TestServer.starting(database, nonsense)) {
      assertThatThrownBy(server::awaitReady).isInstanceOf(RunProblem.class)
          .hasMessageContaining("tasker.worker.capacity")
          .hasMessageContaining("tasker.poll.interval");
    }
  }
}
