package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/**
 * Linear tasks, from the first request until all are complete: in batches, and one request each.
 */
final class Throughput implements Phase {
  private static final int STEPS = 4;

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Report.Table table = bench.report().table(
        "Throughput of linear_4 (steps per second; median of rounds)", "submission", "tasks",
        "steps/s", "all rounds");
    for (int tasks : options.tasks()) {
      double[] batched = new double[options.rounds()];
      Cost cost = bench.measure("batches of " + options.batch() + ": " + tasks + " tasks", () -> {
        for (int round = 0; round < batched.length; round++) {
          batched[round] = STEPS * tasks / bench.untilComplete("batches", tasks,
              () -> bench.load().batches("linear_4", tasks, options.batch(),
                  options.batchConnections()));
        }
      });
      table.row(
          "batches of " + options.batch() + " on " + options.batchConnections() + " connections",
          tasks, Samples.of(batched).median(), Report.formatAll(batched));
      // The largest number of tasks comes last and is the one that counts.
      bench.report().figure("linear4_steps_per_s", batched);
      bench.report().figure("commits_per_step", cost.writeCommitsPerStep());
      bench.report().figure("wal_bytes_per_step", cost.walBytesPerStep());
      bench.report().figure("statements_per_step", cost.statements() / cost.steps());
    }
    int tasks = options.singles();
    double[] singles = new double[options.rounds()];
    bench.measure("one POST each: " + tasks + " tasks", () -> {
      for (int round = 0; round < singles.length; round++) {
        singles[round] = STEPS * tasks / bench.untilComplete("one POST each", tasks,
            () -> bench.load().singles("linear_4", tasks, options.connections()));
      }
    });
    table.row("one POST each on " + options.connections() + " connections", tasks,
        Samples.of(singles).median(), Report.formatAll(singles));
    bench.report().figure("linear4_single_post_steps_per_s", singles);
  }
}
