package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The effect of a clean-up on submissions, and whether it keeps up with them: the latency of single
 * POSTs at a fixed rate before, during and after the server purges many finished tasks, and what is
 * taken in by batches and purged at the same time. The server's own housekeeping does it, with
 * default settings.
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
    List<Samples> calm = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      calm.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    int batch = options.tasks().get(options.tasks().size() - 1);
    double[] alone = new double[options.rounds()];
    for (int round = 0; round < alone.length; round++) {
      alone[round] = bench.batches("retention, batches alone", batch) / 4;
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
    while (database.number(PURGED) < tasks / 2 && System.nanoTime() - start < LONGEST.toNanos()) {
      during.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    double purged = database.number(PURGED) - begun;
    double seconds = (System.nanoTime() - start) / 1e9;
    // What is taken in now is younger than all that is left.
    double[] taken = new double[options.rounds()];
    double before = database.number(PURGED);
    long from = System.nanoTime();
    for (int round = 0; round < taken.length; round++) {
      taken[round] = bench.batches("retention, batches meanwhile", batch) / 4;
    }
    double kept = (database.number(PURGED) - before) / ((System.nanoTime() - from) / 1e9);
    if (database.number(PURGED) >= tasks) {
      bench.report().complain("retention: nothing was left to purge beside batches; more tasks, "
          + "-Dbenchmark.retention=" + 2 * tasks);
    }
    while (database.number(PURGED) < tasks && System.nanoTime() - start < LONGEST.toNanos()) {
      Thread.sleep(200);
    }
    double all = database.number(PURGED);
    database.value(String.class,
        "select tasker.set_retention_policy('benchmark', null, 'complete', null, 'benchmark', 'measured', p_remove => true)::text");
    List<Samples> after = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      after.add(bench.load().postAtRate("linear_4", rate, options.loadSeconds(), CONNECTIONS));
    }
    if (all < tasks) {
      bench.report()
          .complain("retention: " + all + " tasks of " + tasks + " were purged in an hour");
    }
    Report.Table table = bench.report()
        .table(
            "Retention: single POSTs at " + rate + " tasks/s while "
                + Report.format(purged / seconds) + " tasks/s are purged, "
                + Report.format(purged) + " in all (ms from when each was due; median of rounds of "
                + options.loadSeconds() + " s)",
            "",
            "rounds", "P50", "P95", "P99", "P99 of each round");
    double quiet = row(table, "before", calm);
    double busy = row(table, "during the clean-up", during);
    row(table, "after", after);
    table.row("P99 during / before", "", "", "", busy / quiet, "");
    double intake = Samples.of(alone).median();
    double beside = Samples.of(taken).median();
    Report.Table both = bench.report().table(
        "Retention beside batches of " + batch + " tasks (tasks/s; median of rounds)", "",
        "taken in", "purged", "each round");
    both.row("batches alone", intake, "", Report.formatAll(alone));
    both.row("clean-up beside " + rate + " POSTs a second", rate, purged / seconds, "");
    both.row("both at once", beside, kept, Report.formatAll(taken));
    bench.report().figure("retention_intake_per_s", intake);
    bench.report().figure("retention_to_intake", purged / seconds / intake);
    bench.report().figure("retention_beside_intake", kept / beside);
    bench.report().figure("retention_purged_per_s", purged / seconds);
    bench.report().figure("retention_p99_ratio", busy / quiet);
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
