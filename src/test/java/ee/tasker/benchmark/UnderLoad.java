package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/** Latency of linear tasks that arrive at a fixed rate, counted from when each was due: a late start counts as waiting. */
final class UnderLoad implements Phase {
  private static final int CONNECTIONS = 32;

  @Override
  public String name() {
    return "load";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Report.Table table = bench.report().table("Latency of linear_4 under load (ms)",
        "tasks per second", "due to answer P50", "P95", "P99", "created to completed P50", "P95", "P99");
    for (int rate : options.rates()) {
      bench.measure(rate + " tasks/s", () -> {
        OffsetDateTime begin = bench.database().now();
        Samples answers = bench.load().atRate("linear_4", rate, options.loadSeconds(), CONNECTIONS);
        Samples database = bench.database().latencies(begin);
        bench.expectComplete(rate + " tasks/s", rate * options.loadSeconds(), begin);
        table.row(rate, answers.p50(), answers.p95(), answers.p99(), database.p50(), database.p95(), database.p99());
      });
    }
  }
}
