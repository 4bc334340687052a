package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * More tasks than the server can run: each by a POST of its own at one, two and three times the
 * capacity, which is measured first. Goodput is what completes,
 * from the first request to the last end; who is refused (503) does not ask again.
 */
final class Overload implements Phase {
  private static final int[] FACTORS = {1, 2, 3};
  /**
   * So many more requests may be under way than under other loads: with fewer, the load would wait
   * for the server instead of being refused.
   */
  private static final int MORE_CONNECTIONS = 4;

  @Override
  public String name() {
    return "overload";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    bench.servers().have(1);
    double[] rounds = new double[options.rounds()];
    for (int round = 0; round < rounds.length; round++) {
      rounds[round] = options.singles()
          / bench.untilComplete("capacity", options.singles(),
              () -> bench.load().singles("linear_4", options.singles(), options.connections()));
    }
    double capacity = Samples.of(rounds).median();
    Report.Table table = bench.report().table(
        "More than the capacity: linear_4, a POST each (tasks per second)", "offered",
        "of the capacity",
        "sent", "refused", "completed", "of the capacity ", "due to 201, P50 ms", "P99",
        "created to completed, P50 ms", "P99 ");
    for (int factor : FACTORS) {
      double[] goodputs = new double[options.rounds()];
      for (int round = 0; round < goodputs.length; round++) {
        goodputs[round] = offer(bench, table, capacity, factor);
      }
      bench.report().figure("goodput_at_" + factor + "_times_the_capacity", goodputs);
    }
    bench.report().figure("capacity_single_posts_per_s", capacity);
  }

  /** @return the goodput, of the capacity */
  private static double offer(Bench bench, Report.Table table, double capacity, int factor)
      throws IOException, SQLException, InterruptedException {
    int rate = (int) (factor * capacity);
    OffsetDateTime begin = bench.database().now();
    Load.Offered offered = bench.load().offer("linear_4", rate, bench.options().loadSeconds(),
        MORE_CONNECTIONS * bench.options().loadConnections());
    bench.database().awaitRest(begin, Duration.ofMinutes(10));
    int accepted = offered.accepted().sorted().length;
    bench.expectComplete("overload at " + rate + " tasks/s", accepted, begin);
    double goodput = accepted / bench.database().secondsToLastEnd(begin);
    Samples database = bench.database().latencies(begin);
    table.row(rate, factor + " ×", Math.round((accepted + offered.refused()) / offered.seconds()),
        Math.round(offered.refused() / offered.seconds()), Math.round(goodput),
        Math.round(100 * goodput / capacity) / 100.0, offered.accepted().p50(),
        offered.accepted().p99(), database.p50(), database.p99());
    return goodput / capacity;
  }
}
