package ee.tasker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.benchmark.Clones;
import ee.tasker.testing.Reports;
import ee.tasker.testing.server.TaskerClient;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What an upgrade costs those who work when the tables are large: two servers are upgraded under a
 * steady load, beside many finished tasks, to a version that builds an index on one of their tables
 * and fills another table for each of them.
 *
 * <p>{@code ./mvnw verify -Pfaults -Dit.test=LargeUpgrade -Dupgrade.finished=10000000}, which takes
 * about 3 kB of disk for each; {@code -Dupgrade.rate=1000 -Dupgrade.each=100} submits a thousand tasks
 * a second in ten requests.
 */
class LargeUpgrade {
  private static final int FINISHED = Integer.getInteger("upgrade.finished", 100_000);
  private static final double RATE = Double
      .parseDouble(System.getProperty("upgrade.rate", "100"));
  private static final int EACH = Integer.getInteger("upgrade.each", 1);
  private static final int SLICE = 5_000;
  private static final Duration LONGEST_LOCK = Duration
      .ofMillis(Long.getLong("upgrade.lock-ms", 1_000));
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Acknowledged acknowledged = new Acknowledged(EACH);
  private final List<String> table = new ArrayList<>();
  private Cluster cluster;
  private SteadyLoad load;

  @AfterEach
  void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void servers_are_upgraded_beside_many_finished_tasks_and_no_call_waits_for_long()
      throws Exception {
    cluster = new Cluster(2);
    for (Node node : cluster.nodes()) {
      node.deploy(LastRelease.war().orElse(null));
    }
    Path newer = NextVersion.war(SLICE);
    cluster.start();
    cluster.node(0).client().register("/testing/rolling.yaml");
    makeFinishedTasks();
    Object begin = cluster.tasker().value("select clock_timestamp()");
    List<URI> servers = cluster.nodes().stream().map(node -> node.client().base()).toList();
    load = new SteadyLoad(servers, RATE / EACH,
        (number, server) -> Submissions.lines(EACH, number, server), acknowledged::note)
        .begin(Integer.MAX_VALUE);
    awaitLoad();

    phase("nothing", () -> TaskerClient.pause(Duration.ofSeconds(20)));
    phase("the first server is replaced", () -> cluster.node(0).replaceWith(newer));
    phase("the second server is replaced", () -> cluster.node(1).replaceWith(newer));

    load.stop();
    report();
    expectSound(begin);
  }

  /** Copies of a task of one step that has completed. */
  private void makeFinishedTasks() throws SQLException {
    TaskerClient tasker = cluster.tasker();
    String finished = "select t.task_uuid from tasker.tasks t "
        + "join tasker.named_tasks k using (named_task_uuid) "
        + "where k.name = 'scheduled' and t.state = 'complete' limit 1";
    TaskerClient.until("a task has ended", PATIENCE, () -> !tasker.sql(finished).isEmpty());
    UUID pattern = (UUID) tasker.value(finished);
    // Copies have its transaction: none of them is to be counted.
    TaskerClient.until("its moves are counted", PATIENCE, () -> tasker.count("""
        select count(*) from tasker.analytics_progress a
        where a.next_xact > all (select m.xact_id from tasker.step_moves m where m.task_uuid = ?)
          and a.next_xact > all (select m.xact_id from tasker.task_moves m where m.task_uuid = ?)
        """, pattern, pattern) == 1);
    long began = System.nanoTime();
    try (Connection one = DriverManager.getConnection(cluster.url(), "postgres", "");
        Connection other = DriverManager.getConnection(cluster.url(), "postgres", "");
        Statement statement = one.createStatement()) {
      // It is about the upgrade, and not about how long its data take to be made.
      setDurable(statement, "off");
      Clones.inParallel(one, other, pattern, FINISHED);
      statement.execute("vacuum (analyze)");
      setDurable(statement, "on");
      statement.execute("checkpoint");
    }
    System.out.printf(Locale.ROOT, "%d tasks were made in %.0f s, %s%n", FINISHED,
        (System.nanoTime() - began) / 1e9,
        tasker.value("select pg_size_pretty(pg_database_size(current_database()))"));
  }

  private static void setDurable(Statement statement, String value) throws SQLException {
    statement.execute("alter system set fsync = " + value);
    statement.execute("alter system set full_page_writes = " + value);
    statement.execute("select pg_reload_conf()");
  }

  private void phase(String name, Runnable deed) throws Exception {
    long begin = System.nanoTime();
    int before = acknowledged.count();
    Duration lock;
    try (LockWatch locks = new LockWatch(cluster.url())) {
      deed.run();
      lock = locks.longest();
    }
    long end = System.nanoTime();
    awaitLoad();
    String row = String.format(Locale.ROOT, "| %s | %.1f s | %.0f/s | %d ms | %d ms |", name,
        (end - begin) / 1e9, (acknowledged.count() - before) * 1e9 / (System.nanoTime() - begin),
        lock.toMillis(), acknowledged.longestPause(begin, end).toMillis());
    System.out.println(row);
    table.add(row);
    assertThat(lock).as("the longest wait for a lock of a table while " + name)
        .isLessThan(LONGEST_LOCK);
  }

  private void awaitLoad() {
    int now = acknowledged.count();
    TaskerClient.until("the load goes on", PATIENCE,
        () -> acknowledged.count() >= now + 2 * RATE);
  }

  private void report() {
    String report = """
        | Beside %d finished tasks, %.0f submitted a second | It took | Acknowledged | Longest wait for a lock | Longest pause between two |
        |---|---|---|---|---|
        """.formatted(FINISHED, RATE)
        + String.join("\n", table) + "\n";
    System.out.println(report + acknowledged.count() + " tasks acknowledged, " + load.sentAgain()
        + " requests sent again, refused: " + load.refusals());
    Reports.write("large-upgrade.md", report);
  }

  private void expectSound(Object begin) {
    TaskerClient tasker = cluster.tasker();
    assertThat(tasker.count("select count(*) from tasker.next_notes"))
        .as("tasks that the backfill has met").isGreaterThanOrEqualTo(FINISHED);
    assertThat(tasker.sql("select indexrelid::regclass from pg_index where not indisvalid"))
        .isEmpty();
    // At a high rate the two servers, and their clients, lag behind on one machine.
    TaskerClient.until("every task of the load has ended",
        PATIENCE.plusMillis(10L * acknowledged.count()),
        () -> tasker.count("select count(*) from tasker.tasks t "
            + "join tasker.named_tasks k using (named_task_uuid) where k.name = 'line' "
            + "and t.completed_at is null and t.created_at >= ?", begin) == 0);
    assertThat(acknowledged.lost(tasker)).as("lost").isEmpty();
    assertThat(tasker.count("select count(*) from tasker.tasks t "
        + "join tasker.named_tasks k using (named_task_uuid) where k.name = 'line' "
        + "and t.state = 'complete' and t.created_at >= ?", begin))
        .as("tasks, each once").isEqualTo(acknowledged.count());
    assertThat(tasker.sql("select * from tasker.check_history(p_since => ?) "
        + "where violations > 0", begin)).isEmpty();
  }
}
