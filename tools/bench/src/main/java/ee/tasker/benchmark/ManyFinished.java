package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The batched throughput and the latency before and after a million finished tasks, with their
 * history, are in the tables.
 */
final class ManyFinished implements Phase {

  @Override
  public String name() {
    return "history";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Database database = bench.database();
    bench.batches("history, warm-up", options.tasks().get(0));
    Round before = Round.of(bench);
    UUID pattern = database.value(UUID.class,
        "select t.task_uuid from tasker.tasks t join tasker.named_tasks n using (named_task_uuid) "
            + "where n.name = 'linear_4' and t.state = 'complete' order by t.task_uuid desc limit 1");
    long start = System.nanoTime();
    System.out.println("   making " + options.history() + " finished tasks ...");
    try (Connection one = database.connect("tasker");
        Connection other = database.connect("tasker")) {
      Clones.inParallel(one, other, pattern, options.history());
    }
    // What autovacuum would do in the minutes after; here it would run beside the measurement.
    database.run(
        "vacuum (analyze) tasker.tasks, tasker.task_contexts, tasker.workflow_steps, tasker.added_step_edges, tasker.workflow_step_result_audit, "
            + "tasker.task_moves, tasker.step_moves");
    database.run("checkpoint");
    double seconds = (System.nanoTime() - start) / 1e9;
    bench.batches("history, warm-up", options.tasks().get(0));
    Round after = Round.of(bench);

    double loss = 1
        - Samples.of(after.stepsPerSecond).median() / Samples.of(before.stepsPerSecond).median();
    bench.report()
        .table(
            "With " + options.history() + " finished tasks (made in " + Report.format(seconds)
                + " s)",
            "measure", "before", "after",
            "all rounds before", "after")
        .row("steps/s of linear_4 in batches", Samples.of(before.stepsPerSecond).median(),
            Samples.of(after.stepsPerSecond).median(), Report.formatAll(before.stepsPerSecond),
            Report.formatAll(after.stepsPerSecond))
        .row("one at a time, P50 ms", Samples.of(before.p50).median(),
            Samples.of(after.p50).median(), Report.formatAll(before.p50),
            Report.formatAll(after.p50))
        .row("tasks in the database", before.tasks, after.tasks, "", "")
        .row("size of the database, MiB", before.mebibytes, after.mebibytes, "", "")
        .row("loss, %", "", 100 * loss, "", "");
    bench.report().figure("history_before_steps_per_s", before.stepsPerSecond);
    bench.report().figure("history_steps_per_s", after.stepsPerSecond);
    bench.report().figure("history_p50_ms", after.p50);
    bench.report().figure("history_loss", loss);
  }

  private record Round(double[] stepsPerSecond, double[] p50, double tasks, double mebibytes) {
    static Round of(Bench bench) throws IOException, SQLException, InterruptedException {
      Options options = bench.options();
      int tasks = options.tasks().get(options.tasks().size() - 1);
      double[] speeds = new double[options.rounds()];
      double[] latencies = new double[options.rounds()];
      for (int round = 0; round < speeds.length; round++) {
        speeds[round] = bench.batches("history", tasks);
        latencies[round] = bench.load().oneAtATime("linear_4", options.latencyTasks() / 2).p50();
      }
      return new Round(speeds, latencies,
          bench.database().number("select count(*) from tasker.tasks"),
          bench.database().number("select pg_database_size(current_database()) / 1048576.0"));
    }
  }
}
