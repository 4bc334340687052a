package ee.tasker.benchmark;

import java.sql.SQLException;

/** The queries of an idle server. */
final class Idle implements Phase {

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public void run(Bench bench) throws SQLException, InterruptedException {
    int seconds = bench.options().idleSeconds();
    Thread.sleep(bench.options().settleSeconds() * 1000L);
    Counters.resetStatements(bench.database());
    Counters before = Counters.of(bench.database());
    double cpuBefore = cpu(bench);
    Thread.sleep(seconds * 1000L);
    double statements = Counters.statements(bench.database()) / seconds;
    Counters after = Counters.of(bench.database());
    bench.report().table("Idle, one server, " + seconds + " s", "measure", "per second")
        .row("statements of the server", statements)
        .row("transactions in the database, this measurement's own included",
            (after.commits() - before.commits()) / seconds)
        .row("WAL bytes", (after.walBytes() - before.walBytes()) / seconds)
        .row("processor seconds of the server", (cpu(bench) - cpuBefore) / seconds);
    Report.Table top = bench.report().table("Statements while idle", "top level", "calls", "ms",
        "ms each", "rows", "WAL bytes",
        "statement");
    Counters.topStatements(bench.database()).forEach(row -> top.row(row.toArray()));
    bench.report().figure("idle_statements_per_s", statements);
  }

  private static double cpu(Bench bench) {
    return bench.servers().handles().stream()
        .mapToDouble(
            handle -> handle.info().totalCpuDuration().orElse(java.time.Duration.ZERO).toNanos()
                / 1e9)
        .sum();
  }
}
