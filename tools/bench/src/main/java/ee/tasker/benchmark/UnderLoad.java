package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Latency of tasks that arrive at a fixed rate, counted from when each was due: a late start counts
 * as waiting.
 */
final class UnderLoad implements Phase {
  @Override
  public String name() {
    return "load";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Report.Table table = bench.report().table("Latency under load (ms; median of rounds)",
        "template", "tasks per second", "due to answer P50", "P95", "P99",
        "created to completed P50", "P95", "P99",
        "due to answer P99 of each round");
    for (int rate : options.rates()) {
      bench.measureQuickly(rate + " tasks/s",
          () -> load(bench, table, "linear_4", rate, options.rounds()));
    }
    int rate = options.rates().get(options.rates().size() / 2);
    for (String template : List.of("diamond", "complex_dag", "tree")) {
      load(bench, table, template, rate, 1);
    }
  }

  /** Adds the medians of the rounds. */
  private static void load(Bench bench, Report.Table table, String template, int rate, int rounds)
      throws IOException, SQLException {
    Samples[] answers = new Samples[rounds];
    Samples[] database = new Samples[rounds];
    for (int round = 0; round < rounds; round++) {
      OffsetDateTime begin = bench.database().now();
      answers[round] = bench.load().atRate(template, rate, bench.options().loadSeconds(),
          bench.options().loadConnections());
      database[round] = bench.database().latencies(begin);
      bench.expectComplete(template + " at " + rate + " tasks/s",
          rate * bench.options().loadSeconds(), begin);
    }
    double[] p99 = each(answers, Samples::p99);
    table.row(template, rate, median(answers, Samples::p50), median(answers, Samples::p95),
        Samples.of(p99).median(), median(database, Samples::p50), median(database, Samples::p95),
        median(database, Samples::p99), Report.formatAll(p99));
    bench.report().figure(template + "_p99_ms_at_" + rate + "_per_s", p99);
  }

  private static double median(Samples[] rounds, ToDoubleFunction<Samples> figure) {
    return Samples.of(each(rounds, figure)).median();
  }

  private static double[] each(Samples[] rounds, ToDoubleFunction<Samples> figure) {
    return Arrays.stream(rounds).mapToDouble(figure).toArray();
  }
}
