package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/** What every phase has at hand, and the two things it does with it: count what work costs, and run tasks to their end. */
record Bench(Options options, Database database, Servers servers, Load load, Report report) {
  private static final Duration LONGEST = Duration.ofMinutes(10);

  /** Some work. */
  interface Work {
    void run() throws IOException, SQLException, InterruptedException;
  }

  /** Runs tasks and waits until all have ended. @return seconds from the first request to the last end */
  double untilComplete(String what, int tasks, Work work) throws IOException, SQLException, InterruptedException {
    OffsetDateTime begin = database.now();
    long start = System.nanoTime();
    work.run();
    database.awaitRest(LONGEST);
    double seconds = (System.nanoTime() - start) / 1e9;
    expectComplete(what, tasks, begin);
    return seconds;
  }

  /** Complains unless so many tasks were created since then and all are complete, no step of them by recovery. */
  void expectComplete(String what, int tasks, OffsetDateTime since) throws SQLException {
    long repeated = database.value(Long.class, "select count(*) from tasker.workflow_steps where created_at >= ? and attempts > 1", since);
    if (repeated > 0) {
      report.complain(what + ": " + repeated + " steps were lost and done again after their lease ran out");
    }
    String states = database.states(since);
    if (!states.equals(tasks + " complete")) {
      report.complain(what + ": expected " + tasks + " complete, found " + states);
    }
  }

  /** Runs work and puts what each of its steps cost into the report. */
  Cost measure(String what, Work work) throws IOException, SQLException, InterruptedException {
    System.out.println("   " + what + " ...");
    database.run("checkpoint");
    Thread.sleep(options.settleSeconds() * 1000L);
    Counters.resetStatements(database);
    Counters before = Counters.of(database);
    Cpu cpuBefore = Cpu.of(servers.handles(), database.postmaster());
    OffsetDateTime begin = database.now();
    long start = System.nanoTime();

    work.run();

    double seconds = (System.nanoTime() - start) / 1e9;
    Cpu cpu = Cpu.of(servers.handles(), database.postmaster()).since(cpuBefore);
    Counters position = Counters.of(database);
    double statements = Counters.statements(database);
    double transactions = Counters.transactions(database);
    Thread.sleep(options.settleSeconds() * 1000L);
    Counters after = Counters.of(database);
    Cost cost = new Cost(what, database.steps(begin), seconds, transactions, position.writeCommitsSince(database, before), statements,
        position.walBytes() - before.walBytes(), after.walRecords() - before.walRecords(), after.walPageImages() - before.walPageImages(),
        after.fsyncs() - before.fsyncs(), cpu);
    cost.addTo(report);
    Report.Table top = report.table("Statements of: " + what, "top level", "calls", "ms", "ms each", "rows", "WAL bytes", "statement");
    Counters.topStatements(database).forEach(row -> top.row(row.toArray()));
    Report.Table wal = report.table("WAL of: " + what, "record", "count", "bytes", "of them page images");
    Counters.walKinds(database, before, position).forEach(row -> wal.row(row.toArray()));
    return cost;
  }
}
