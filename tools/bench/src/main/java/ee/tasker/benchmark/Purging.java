package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The effect of a clean-up on submissions: the latency of single POSTs at a fixed rate before,
 * during and after the server
 * purges many finished tasks. The server's own housekeeping does it, with default settings.
 */
final class Purging implements Phase {
  private static final int CONNECTIONS = 32;
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final String PURGED = "select coalesce(sum(purged_tasks), 0) from tasker.retention_progress";

  @Override
  public String name() {
    return "retention";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Database database = bench.database();
    int tasks = options.retention();
    bench.batches("retention, warm-up", options.tasks().get(0));
    System.out.println("   making " + tasks + " finished tasks ...");
    UUID pattern = database.value(UUID.class,
        "select t.task_uuid from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) "
            + "where n.name = 'linear_4' and t.state = 'complete' order by t.task_uuid desc limit 1");
    try (Connection one = database.connect("tasker");
        Connection other = database.connect("tasker")) {
      Clones.inParallel(one, other, pattern, tasks);
    }
    // The copies were made past the counts by state.
    database.run("update tasker.task_state_tallies set tasks = tasks + " + tasks
        + " where state = 'complete'");
    database.run("update tasker.step_state_tallies set steps = steps + " + 4 * tasks
        + " where state = 'complete'");
    database.run(
        "vacuum (analyze) tasker.tasks, tasker.task_contexts, tasker.workflow_steps, tasker.added_step_edges, tasker.workflow_step_result_audit, "
            + "tasker.task_moves, tasker.step_moves");
    database.run("checkpoint");

    int rate = options.retentionRate();
    List<Samples> before = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      before.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    System.out.println("   purging ...");
    database.value(String.class,
        "select tasker.set_retention_policy('benchmark', null, 'complete', 0, 'benchmark', 'measuring')::text");
    long asked = System.nanoTime();
    while (database.number(PURGED) == 0) {
      if (System.nanoTime() - asked > Duration.ofMinutes(3).toNanos()) {
        throw new IOException("nothing was purged within three minutes");
      }
      Thread.sleep(200);
    }
    double begun = database.number(PURGED);
    long start = System.nanoTime();
    List<Samples> during = new ArrayList<>();
    while (database.number(PURGED) < tasks && System.nanoTime() - start < LONGEST.toNanos()) {
      during.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    double purged = database.number(PURGED) - begun;
    double seconds = (System.nanoTime() - start) / 1e9;
    database.value(String.class,
        "select tasker.set_retention_policy('benchmark', null, 'complete', null, 'benchmark', 'measured', p_remove => true)::text");
    List<Samples> after = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      after.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    if (begun + purged < tasks) {
      bench.report().complain(
          "retention: " + (begun + purged) + " tasks of " + tasks + " were purged in an hour");
    }
    Report.Table table = bench.report()
        .table(
            "Retention: single POSTs at " + rate + " tasks/s while "
                + Report.format(purged / seconds) + " tasks/s are purged, "
                + Report.format(purged) + " in all (ms from when each was due; median of rounds of "
                + options.loadSeconds() + " s)",
            "",
            "rounds", "P50", "P95", "P99", "P99 of each round");
    double calm = row(table, "before", before);
    double busy = row(table, "during the clean-up", during);
    row(table, "after", after);
    table.row("P99 during / before", "", "", "", busy / calm, "");
    bench.report().figure("retention_purged_per_s", purged / seconds);
    bench.report().figure("retention_p99_ratio", busy / calm);
  }

  /** @return the median P99 */
  private static double row(Report.Table table, String what, List<Samples> rounds) {
    double[] p99 = rounds.stream().mapToDouble(Samples::p99).toArray();
    double median = Samples.of(p99).median();
    table.row(what, rounds.size(),
        Samples.of(rounds.stream().mapToDouble(Samples::p50).toArray()).median(),
        Samples.of(rounds.stream().mapToDouble(Samples::p95).toArray()).median(), median,
        Report.formatAll(p99));
    return median;
  }
}
