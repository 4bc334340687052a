package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/** The batched throughput again with more servers, between which the requests alternate. */
final class MoreServers implements Phase {

  @Override
  public String name() {
    return "servers";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int tasks = options.tasks().get(options.tasks().size() - 1);
    Report.Table table = bench.report().table("Throughput of linear_4 by number of servers", "servers", "tasks", "steps/s", "all rounds");
    Growth growth = new Growth("servers", "servers on the same machine");
    for (int count : options.servers()) {
      bench.servers().have(count);
      int connections = Math.max(options.batchConnections(), count);
      bench.untilComplete("warm-up", options.warmup(),
          () -> bench.load().batches("linear_4", options.warmup(), options.batch(), connections));
      double[] rounds = new double[options.rounds()];
      Cost cost = bench.measureQuickly(count + " servers: " + tasks + " tasks", () -> {
        for (int round = 0; round < rounds.length; round++) {
          rounds[round] = 4 * tasks / bench.untilComplete(count + " servers", tasks,
              () -> bench.load().batches("linear_4", tasks, options.batch(), connections));
        }
      });
      table.row(count, tasks, Samples.of(rounds).median(), Report.formatAll(rounds));
      bench.report().figure("linear4_steps_per_s_" + count + "_servers", rounds);
      growth.add(count, Samples.of(rounds).median(), cost.databaseMicrosPerStep(), cost.recordBytesPerStep());
    }
    bench.report().grow(growth);
    bench.servers().have(1);
  }
}
