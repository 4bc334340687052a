package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/** Tasks with one POST each, over ever more connections at the same time. */
final class MoreConnections implements Phase {

  @Override
  public String name() {
    return "connections";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    int tasks = options.singles();
    Growth growth = new Growth("connections", "connections that post one task at a time");
    for (int connections : options.manyConnections()) {
      double[] rounds = new double[options.rounds()];
      Cost cost = bench.measureQuickly(connections + " connections: " + tasks + " tasks", () -> {
        for (int round = 0; round < rounds.length; round++) {
          rounds[round] = 4 * tasks / bench.untilComplete(connections + " connections", tasks,
              () -> bench.load().singles("linear_4", tasks, connections));
        }
      });
      growth.add(connections, Samples.of(rounds).median(), cost.databaseMicrosPerStep(),
          cost.recordBytesPerStep());
    }
    bench.report().grow(growth);
  }
}
