package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

/** Latency of tasks that arrive at a fixed rate, counted from when each was due: a late start counts as waiting. */
final class UnderLoad implements Phase {
  @Override
  public String name() {
    return "load";
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    Options options = bench.options();
    Report.Table table = bench.report().table("Latency under load (ms)",
        "template", "tasks per second", "due to answer P50", "P95", "P99", "created to completed P50", "P95", "P99");
    for (int rate : options.rates()) {
      bench.measureQuickly(rate + " tasks/s", () -> load(bench, table, "linear_4", rate));
    }
    int rate = options.rates().get(options.rates().size() / 2);
    for (String template : List.of("diamond", "complex_dag", "tree")) {
      load(bench, table, template, rate);
    }
  }

  private static void load(Bench bench, Report.Table table, String template, int rate) throws IOException, SQLException {
    OffsetDateTime begin = bench.database().now();
    Samples answers = bench.load().atRate(template, rate, bench.options().loadSeconds(), bench.options().loadConnections());
    Samples database = bench.database().latencies(begin);
    bench.expectComplete(template + " at " + rate + " tasks/s", rate * bench.options().loadSeconds(), begin);
    table.row(template, rate, answers.p50(), answers.p95(), answers.p99(), database.p50(), database.p95(), database.p99());
    bench.report().figure(template + "_p99_ms_at_" + rate + "_per_s", answers.p99());
  }
}
