package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;

/**
 * A chain of five steps whose handlers take 5 ms each, as in order processing that calls other
 * services.
 */
final class Orders implements Phase {
  private static final int STEPS = 5;

  @Override
  public String name() {
    return "orders";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    bench.load().oneAtATime("orders_5_ms", 20);
    Samples alone = bench.load().oneAtATime("orders_5_ms",
        Math.max(20, options.latencyTasks() / 4));
    double[] rounds = new double[options.rounds()];
    bench.measure("orders: " + options.orders() + " tasks", () -> {
      for (int round = 0; round < rounds.length; round++) {
        rounds[round] = STEPS * options.orders() / bench.untilComplete("orders", options.orders(),
            () -> bench.load().batches("orders_5_ms", options.orders(), options.batch(),
                options.batchConnections()));
      }
    });
    bench.report().table("Order processing, 5 steps of 5 ms", "measure", "median", "all rounds")
        .row("one at a time, POST to answer P50 ms (handlers alone: 25)", alone.p50(), "")
        .row("one at a time, P99 ms", alone.p99(), "")
        .row(options.orders() + " tasks in batches, steps/s", Samples.of(rounds).median(),
            Report.formatAll(rounds));
    bench.report().figure("orders_p50_ms", alone.p50());
    bench.report().figure("orders_steps_per_s", rounds);
  }
}
