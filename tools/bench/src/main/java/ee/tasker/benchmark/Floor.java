package ee.tasker.benchmark;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * What this PostgreSQL commits through plain JDBC: durable single-row updates, an update with a
 * history row, and a hundred
 * of both at once. This process shares the processors, as a server would.
 */
final class Floor implements Phase {
  private static final int ROWS = 200_000;
  private static final int MANY = 100;

  @Override
  public String name() {
    return "floor";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    bench.database().run("drop database if exists floor");
    bench.database().run("create database floor");
    try (Connection connection = bench.database().connect("floor");
        var statement = connection.createStatement()) {
      statement.execute(
          "create table item (id int primary key, state smallint not null default 0, result jsonb) with (fillfactor = 70)");
      statement.execute(
          "create table history (item int not null, from_state smallint, to_state smallint, at timestamptz not null default now())");
      statement.execute("insert into item (id) select generate_series(1, " + ROWS + ")");
      statement.execute("vacuum analyze");
    }
    String update = "update item set state = 1, result = '{\"v\": 1}' where id = ?";
    String history = "insert into history (item, from_state, to_state) values (?, 0, 1)";
    String many = "with moved as (update item set state = 1, result = '{\"v\": 1}' where id between ? and ? returning id) "
        + "insert into history (item, from_state, to_state) select id, 0, 1 from moved";
    boolean hasPgBench = PgBench.version().isPresent();
    bench.report().fact("pgbench",
        PgBench.version().orElse(
            "none on this machine, and none among the embedded binaries: the floor is JDBC's alone"));
    Report.Table table = bench.report().table(
        "The floor: PostgreSQL alone (commits per second; median of rounds)", "per commit",
        "clients",
        "JDBC", "pgbench", "all rounds of JDBC", "of pgbench");
    row(bench, table, "one row updated", 16, 1, "floor_commits_per_s",
        id -> new Object[][]{{update, id}}, hasPgBench ? "one.sql" : null);
    row(bench, table, "one row updated, one row of history", 16, 1,
        "floor_commits_with_history_per_s", id -> new Object[][]{{update, id}, {history, id}},
        hasPgBench ? "two.sql" : null);
    row(bench, table, MANY + " rows updated, " + MANY + " rows of history", 2, MANY,
        "floor_batched_rows_per_s",
        id -> new Object[][]{
          {many, Math.min(id, ROWS - MANY), Math.min(id, ROWS - MANY) + MANY - 1}},
        hasPgBench ? "hundred.sql" : null);
    bench.database().run("drop database floor with (force)");
  }

  private static void row(Bench bench, Report.Table table, String what, int clients, int rows,
      String figure, Transaction transaction, String script)
      throws IOException, SQLException, InterruptedException {
    double[] jdbc = new double[bench.options().rounds()];
    double[] pgbench = new double[script == null ? 0 : jdbc.length];
    for (int round = 0; round < jdbc.length; round++) {
      jdbc[round] = perSecond(bench, clients, transaction);
      if (script != null) {
        pgbench[round] = PgBench.perSecond(bench, script, clients);
      }
    }
    table.row(what, clients, Samples.of(jdbc).median(), Samples.of(pgbench).median(),
        Report.formatAll(jdbc), Report.formatAll(pgbench));
    bench.report().figure(figure, Arrays.stream(jdbc).map(rate -> rate * rows).toArray());
    bench.report().figure("pgbench_" + figure,
        Arrays.stream(pgbench).map(rate -> rate * rows).toArray());
  }

  /** Statements with their arguments, for one id. */
  private interface Transaction {
    Object[][] of(int id);
  }

  private static double perSecond(Bench bench, int clients, Transaction transaction)
      throws SQLException, InterruptedException {
    int seconds = bench.options().floorSeconds();
    LongAdder commits = new LongAdder();
    AtomicReference<SQLException> failure = new AtomicReference<>();
    CountDownLatch ready = new CountDownLatch(clients);
    CountDownLatch done = new CountDownLatch(clients);
    long[] until = {Long.MAX_VALUE};
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < clients; i++) {
      new Thread(() -> {
        try (Connection connection = bench.database().connect("floor")) {
          connection.setAutoCommit(false);
          ready.countDown();
          go.await();
          commit(connection, transaction, until[0], commits);
        } catch (SQLException e) {
          failure.set(e);
          ready.countDown();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        } finally {
          done.countDown();
        }
      }, "floor-" + i).start();
    }
    ready.await();
    long start = System.nanoTime();
    until[0] = start + seconds * 1_000_000_000L;
    go.countDown();
    done.await();
    if (failure.get() != null) {
      throw failure.get();
    }
    return commits.sum() / ((System.nanoTime() - start) / 1e9);
  }

  private static void commit(Connection connection, Transaction transaction, long until,
      LongAdder commits) throws SQLException {
    Object[][] first = transaction.of(1);
    PreparedStatement[] statements = new PreparedStatement[first.length];
    for (int i = 0; i < first.length; i++) {
      statements[i] = connection.prepareStatement((String) first[i][0]);
    }
    while (System.nanoTime() < until) {
      Object[][] work = transaction.of(ThreadLocalRandom.current().nextInt(ROWS) + 1);
      for (int i = 0; i < work.length; i++) {
        for (int argument = 1; argument < work[i].length; argument++) {
          statements[i].setInt(argument, (Integer) work[i][argument]);
        }
        statements[i].executeUpdate();
      }
      connection.commit();
      commits.increment();
    }
  }
}
