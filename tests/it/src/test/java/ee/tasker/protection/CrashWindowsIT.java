package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The crash window that is a connection: see {@link CrashWindowsTest} for the others. */
@AgainstServer
class CrashWindowsIT {
  private final TaskerClient tasker;

  CrashWindowsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void C11_listener_that_is_cut_again_and_again_costs_time_and_nothing_else_and_comes_back() {
    int cuts = 0;
    for (int round = 0; round < 5; round++) {
      long cut = tasker.count(
          "select count(pg_terminate_backend(pid)) from pg_stat_activity where application_name = 'tasker-listener'");
      cuts += (int) cut;
      // Submitted by SQL: the server learns of it only through the connection that was just cut, or
      // by polling.
      UUID task = (UUID) tasker
          .value("select tasker.submit_task('testing', 'hello', '1.0.0', '{}')");
      assertThat(tasker.awaitTerminalOrBlocked(task, Duration.ofSeconds(40)).getString("state"))
          .isEqualTo("complete");
    }
    assertThat(cuts).isPositive();
    TaskerClient.until("it listens again", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from pg_stat_activity where application_name = 'tasker-listener'") == 1);
    assertThat(History.broken(tasker)).isEmpty();
  }
}
