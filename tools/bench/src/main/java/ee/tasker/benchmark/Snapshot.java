package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The batched throughput while a long transaction with an old snapshot stays open, so that no dead
 * rows can be cleaned up:
 * a long report, a dump, a forgotten psql.
 */
final class Snapshot implements Phase {

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int tasks = options.tasks().get(options.tasks().size() - 1);
    bench.batches("snapshot, warm-up", options.tasks().get(0));
    double[] before = new double[options.rounds()];
    for (int round = 0; round < before.length; round++) {
      before[round] = bench.batches("before the snapshot", tasks);
    }
    List<Double> during = new ArrayList<>();
    try (Connection other = bench.database().connect("tasker");
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.executeQuery("select count(*) from tasker.named_tasks").close();
      System.out.println("   a snapshot is open for " + options.snapshotSeconds() + " s ...");
      long end = System.nanoTime() + options.snapshotSeconds() * 1_000_000_000L;
      do {
        during.add(bench.batches("with the snapshot", tasks));
      } while (System.nanoTime() < end);
      other.rollback();
    }
    double[] rounds = during.stream().mapToDouble(Double::doubleValue).toArray();
    // The final speed counts, not that of the first seconds.
    double[] last = java.util.Arrays.copyOfRange(rounds,
        Math.max(0, rounds.length - options.rounds()), rounds.length);
    double loss = 1 - Samples.of(last).median() / Samples.of(before).median();
    bench.report()
        .table(
            "One open snapshot for " + options.snapshotSeconds()
                + " s (steps per second of linear_4 in batches of " + tasks + " tasks)",
            "when", "median", "rounds")
        .row("before", Samples.of(before).median(), Report.formatAll(before))
        .row("during, all rounds", Samples.of(rounds).median(), Report.formatAll(rounds))
        .row("during, the last " + last.length + " rounds", Samples.of(last).median(),
            Report.formatAll(last))
        .row("loss at the end, %", 100 * loss, "");
    bench.report().figure("snapshot_before_steps_per_s", before);
    bench.report().figure("snapshot_steps_per_s", last);
    bench.report().figure("snapshot_loss", loss);
  }
}
