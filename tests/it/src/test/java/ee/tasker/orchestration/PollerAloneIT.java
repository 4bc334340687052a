package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.run.Login;
import ee.tasker.samples.SampleRunner;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No notification is sent: the poller finds all work. */
@Tag("long")
class PollerAloneIT {

  @Test
  void poller_alone_finishes_every_sample() throws Exception {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database,
            Map.of("TASKER_NOTIFY_ENABLED", "false", "TASKER_POLL_INTERVAL_SECONDS", "1"))) {
      TaskerClient tasker = server.client();
      long counted = tasker.count("select next_xact from tasker.analytics_progress");

      var outcomes = new SampleRunner(server.base(),
          Path.of(System.getProperty("tasker.checkout"), "samples"), true, Login.FOR_TESTS.basic())
          .run();

      assertThat(outcomes).filteredOn(outcome -> !outcome.ok()).isEmpty();
      assertThat(outcomes).hasSizeGreaterThan(50);
      assertThat(History.broken(tasker)).isEmpty();
      assertThat(History.messages(tasker)).isEmpty();
      assertThat(tasker.count(
          "select count(*) from pg_stat_activity where application_name = 'tasker-listener'"))
          .isZero();
      TaskerClient.until("the analytics are rolled up", Duration.ofSeconds(60),
          () -> tasker.count("select next_xact from tasker.analytics_progress") > counted);
      // Payara gives all of its health values as text.
      assertThat(tasker.get("/health/ready").body().replaceAll("[ \"]", ""))
          .contains("events:false");
    }
  }
}
