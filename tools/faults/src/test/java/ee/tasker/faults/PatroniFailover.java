package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Reports;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ModelMoves;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two servers under a steady load on a pair of databases that Patroni looks after: it changes their
 * places, finds by itself that the primary is lost, and takes it back as the standby. What was
 * acknowledged is completed, once.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=PatroniFailover}; needs Debian's packages patroni,
 * etcd-server and postgresql-15.
 */
class PatroniFailover {
  private static final double RATE = Double.parseDouble(System.getProperty("failover.rate", "20"));
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Acknowledged acknowledged = new Acknowledged();
  private final List<TestServer> servers = new ArrayList<>();
  private final List<String> table = new ArrayList<>();
  private PatroniPair databases;
  private SteadyLoad load;

  private interface Change {
    void happen() throws Exception;
  }

  @AfterEach
  void stop() throws Exception {
    servers.forEach(TestServer::close);
    if (databases != null) {
      databases.close();
    }
  }

  @Test
  void what_was_acknowledged_is_completed_once_when_patroni_changes_the_primary()
      throws Exception {
    databases = new PatroniPair();
    Map<String, String> settings = new HashMap<>(databases.environment());
    for (int server = 0; server < 2; server++) {
      servers.add(TestServer.starting(databases.primary(), settings).awaitReady());
    }
    servers.get(0).client().register("/testing/rolling.yaml");
    List<URI> bases = servers.stream().map(TestServer::base).toList();
    load = new SteadyLoad(bases, RATE, Submissions::line, acknowledged::note)
        .begin(Integer.MAX_VALUE);
    awaitLoad();

    phase("a switchover", databases::switchover);
    phase("the primary is lost", databases::loseThePrimary);
    phase("it comes back as the standby", databases::restartWhatWasLost);
    phase("another switchover", databases::switchover);

    load.stop();
    report();
    expectSound();
  }

  private void phase(String name, Change change) throws Exception {
    long begin = System.nanoTime();
    change.happen();
    long end = System.nanoTime();
    awaitLoad();
    String row = String.format(Locale.ROOT, "| %s | %.1f s | %.1f s |", name,
        (end - begin) / 1e9, acknowledged.longestPause(begin, end).toMillis() / 1000.0);
    System.out.println(row);
    table.add(row);
  }

  private void awaitLoad() {
    int now = acknowledged.count();
    TaskerClient.until("the load goes on", PATIENCE,
        () -> acknowledged.count() >= now + 5 * RATE);
  }

  private void report() {
    String report = """
        | What Patroni did | It took | Longest pause |
        |---|---|---|
        """ + String.join("\n", table) + "\n";
    System.out.println(report + acknowledged.count() + " tasks acknowledged, " + load.sentAgain()
        + " requests sent again, refused: " + load.refusals());
    Reports.write("patroni.md", report);
  }

  private void expectSound() {
    TaskerClient tasker = databases.tasker();
    TaskerClient.until("every task has ended", Duration.ofMinutes(3),
        () -> tasker.count("select count(*) from tasker.tasks where completed_at is null") == 0);
    TaskerClient.until("no message is left", PATIENCE, () -> History.messages(tasker).isEmpty());
    assertThat(load.refusals()).as("no server tells of an internal error")
        .doesNotContainKey("500 internal-error");
    assertThat(acknowledged.lost(tasker)).as("lost").isEmpty();
    assertThat(Acknowledged.doubled(tasker)).as("doubled").isEmpty();
    assertThat(tasker.count("select count(*) from tasker.tasks where state <> 'complete'"))
        .isZero();
    assertThat(tasker.count("select count(*) from tasker.tasks")).isEqualTo(acknowledged.count());
    assertThat(tasker.sql("select * from tasker.check_history(p_quiet_for => '1 second') "
        + "where violations > 0")).isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
    ModelMoves moves = ModelMoves.of(tasker);
    System.out.println(moves.sentence());
    assertThat(moves.unknown()).isEmpty();
  }
}
