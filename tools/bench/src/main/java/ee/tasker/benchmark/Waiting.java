package ee.tasker.benchmark;

import jakarta.json.JsonObject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The cost of finding the next 50 due tasks among many that wait for a retry. In a database of its
 * own, without servers.
 */
final class Waiting implements Phase {
  private static final int LIMIT = 50;
  private static final int CALLS = 200;
  private static final String TEMPLATE = """
      {"namespace_name": "growth", "name": "retried", "version": "1.0.0", "content_hash": "-", "identity_strategy": "always_unique",
       "steps": [{"name": "a", "handler": {"callable": "none"}, "retry": {"max_attempts": 9}}, {"name": "b", "dependencies": ["a"], "handler": {"callable": "none"}}]}""";

  @Override
  public String name() {
    return "waiting";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws SQLException {
    bench.servers().close();
    int tasks = bench.options().waiting();
    try (Scratch scratch = new Scratch(bench.database().url(), "waiting")) {
      fill(scratch, tasks);
      Report.Table table = bench.report().table(
          "get_next_ready_tasks(" + LIMIT + ") with " + tasks + " tasks that wait for a retry (ms; "
              + CALLS
              + " calls per round, rolled back)",
          "of the waiting tasks", "found", "P50", "P95", "P99", "P50 of each round");
      call(bench, scratch, table, "none is due", "interval '0'", "next_ready_tasks_none_due_ms");
      call(bench, scratch, table, "all are due", "interval '2 hours'", "next_ready_tasks_ms");
    }
  }

  private static void fill(Scratch scratch, int tasks) throws SQLException {
    SqlEngine engine = new SqlEngine(scratch.connection());
    engine.register(TEMPLATE);
    JsonObject step = engine.submit("retried", 1, 1, "{}").getJsonObject(0);
    engine.value("select tasker.complete_steps(?::jsonb, gen_random_uuid())::text",
        "[{\"step_uuid\":\"" + step.getString("step_uuid")
            + "\",\"task_uuid\":\""
            + step.getString("task_uuid")
            + "\",\"handoff\":1,\"outcome\":\"retryable_failure\",\"error\":{\"type\":\"Busy\",\"message\":\"later\",\"delay_ms\":3600000}}]");
    Clones.of(scratch.connection(), UUID.fromString(step.getString("task_uuid")), tasks - 1);
    engine.value("vacuum (analyze) tasker.tasks, tasker.task_wakeups, tasker.workflow_steps");
    String waiting = engine.value(
        "select count(*) from tasker.tasks t join tasker.task_wakeups w using (task_uuid) where t.state = 'waiting_for_retry' and w.wake_at > now() + interval '5 minutes'");
    if (!waiting.equals(Integer.toString(tasks))) {
      throw new IllegalStateException(waiting + " tasks wait instead of " + tasks);
    }
  }

  private static void call(Bench bench, Scratch scratch, Report.Table table, String what,
      String later, String figure) throws SQLException {
    double[] p50 = new double[bench.options().rounds()];
    Samples last = Samples.of();
    int found = 0;
    try (Connection connection = scratch.connect();
        PreparedStatement statement = connection
            .prepareStatement("select task_uuid from tasker.get_next_ready_tasks(" + LIMIT
                + ", now() + " + later + ")")) {
      connection.setAutoCommit(false);
      for (int round = 0; round < p50.length; round++) {
        double[] ms = new double[CALLS];
        for (int i = 0; i < CALLS; i++) {
          long start = System.nanoTime();
          found = 0;
          try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              found++;
            }
          }
          ms[i] = (System.nanoTime() - start) / 1e6;
          connection.rollback();
        }
        last = Samples.of(ms);
        p50[round] = last.p50();
      }
    }
    table.row(what, found, Samples.of(p50).median(), last.p95(), last.p99(), Report.formatAll(p50));
    bench.report().figure(figure, p50);
  }
}
