package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The context shared by all phases, and the two operations on it: measuring the cost of work, and
 * running tasks to
 * completion.
 */
record Bench(Options options, Database database, Servers servers, Load load, Report report,
    AtomicLong settledAt) {
  private static final Duration LONGEST = Duration.ofMinutes(10);
  /** After a measurement has settled, nothing significant happens in a shorter time. */
  private static final long NOTHING_HAPPENED = 2_000_000_000L;

  Bench(Options options, Database database, Servers servers, Load load, Report report) {
    this(options, database, servers, load, report,
        new AtomicLong(System.nanoTime() - NOTHING_HAPPENED));
  }

  /** Some work. */
  interface Work {
    void run() throws IOException, SQLException, InterruptedException;
  }

  /**
   * Runs tasks and waits until all have ended.
   *
   * @return seconds from before the first request to the last end, by the database's clock
   */
  double untilComplete(String what, int tasks, Work work)
      throws IOException, SQLException, InterruptedException {
    OffsetDateTime begin = database.now();
    work.run();
    database.awaitRest(begin, LONGEST);
    double seconds = database.secondsToLastEnd(begin);
    expectComplete(what, tasks, begin);
    return seconds;
  }

  /** Linear tasks in batches. @return steps per second */
  double batches(String what, int tasks) throws IOException, SQLException, InterruptedException {
    return 4 * tasks / untilComplete(what, tasks,
        () -> load.batches("linear_4", tasks, options.batch(), options.batchConnections()));
  }

  /**
   * Fails unless this many tasks were created since then and all are complete, no step of them by
   * recovery.
   */
  void expectComplete(String what, int tasks, OffsetDateTime since) throws SQLException {
    long repeated = database.repeatedSteps(since);
    if (repeated > 0) {
      report.complain(
          what + ": " + repeated + " steps were lost and done again after their lease ran out");
    }
    String states = database.states(since);
    if (!states.equals(tasks + " complete")) {
      report.complain(what + ": expected " + tasks + " complete, found " + states);
    }
  }

  /**
   * Runs work and adds the cost of each step to the report. Waits before and after, until every
   * session has reported its
   * fsyncs.
   */
  Cost measure(String what, Work work) throws IOException, SQLException, InterruptedException {
    return measure(what, work, true);
  }

  /** The same without the fsyncs, which take all the waiting. */
  Cost measureQuickly(String what, Work work)
      throws IOException, SQLException, InterruptedException {
    return measure(what, work, false);
  }

  private Cost measure(String what, Work work, boolean settles)
      throws IOException, SQLException, InterruptedException {
    System.out.println("   " + what + " ...");
    database.run("checkpoint");
    if (settles && System.nanoTime() - settledAt.get() > NOTHING_HAPPENED) {
      Thread.sleep(options.settleSeconds() * 1000L);
    }
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
    if (settles) {
      Thread.sleep(options.settleSeconds() * 1000L);
    }
    Counters after = Counters.of(database);
    Cost cost = new Cost(what, database.steps(begin), seconds, transactions, statements,
        position.walBytes() - before.walBytes(), position.logSince(database, before),
        settles ? after.fsyncs() - before.fsyncs() : Double.NaN, cpu);
    cost.addTo(report);
    Report.Table top = report.table("Statements of: " + what, "top level", "calls", "ms", "ms each",
        "rows", "WAL bytes", "statement");
    Counters.topStatements(database).forEach(row -> top.row(row.toArray()));
    Report.Table wal = report.table("WAL of: " + what, "record", "count", "bytes",
        "of them page images");
    Counters.walKinds(database, before, position).forEach(row -> wal.row(row.toArray()));
    if (settles) {
      settledAt.set(System.nanoTime());
    }
    return cost;
  }
}
