package ee.tasker.benchmark;

import jakarta.json.JsonArray;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What a call with one task, or one result, costs the database: the engine's, the same rows written by statements that decide nothing, and the share
 * of one in a call of a hundred. The second is what no engine with these tables can go below.
 */
final class RowsAlone implements Phase {
  private static final int STEPS = 4;
  private static final int TASKS = 300;
  private static final int BATCH = 100;

  /** Processor microseconds of the session, per task and per result. */
  private record Costs(double submission, double completion) {
  }

  @Override
  public String name() {
    return "rows";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException {
    bench.servers().close();
    try (Scratch scratch = new Scratch(bench.database().url(), "growth");
        InputStream script = RowsAlone.class.getResourceAsStream("/benchmark/rows_alone.sql")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      engine.register(GrowingCost.chain(STEPS));
      engine.value(new String(script.readAllBytes(), StandardCharsets.UTF_8));
      engine.runTasks("chain_4", 2_000, 100);
      engine.value("select tasker.analyze_grown_tables()");
      List<Costs> alone = new ArrayList<>();
      List<Costs> rows = new ArrayList<>();
      List<Costs> batched = new ArrayList<>();
      for (int round = -1; round < bench.options().rounds(); round++) {
        System.out.println("   rows, round " + (round + 1) + " ...");
        Costs one = engine(engine, 1);
        Costs fewest = rows(engine);
        Costs hundred = engine(engine, BATCH);
        if (round >= 0) {
          alone.add(one);
          rows.add(fewest);
          batched.add(hundred);
        }
      }
      String broken = engine.value("select string_agg(c.invariant, ', ') from tasker.check_history() c where c.violations > 0");
      if (broken != null) {
        bench.report().complain("rows: check_history finds violations of " + broken);
      }
      report(bench.report(), alone, rows, batched);
    }
  }

  private static Costs engine(SqlEngine engine, int perCall) throws SQLException {
    int calls = Math.max(TASKS / perCall, 4);
    List<JsonArray> claimed = new ArrayList<>();
    SqlEngine.Usage submission = engine.measure(() -> {
      for (int i = 0; i < calls; i++) {
        claimed.add(engine.submit("chain_4", perCall, perCall, "{\"number\":6}"));
      }
    });
    SqlEngine.Usage completion = engine.measure(() -> {
      for (JsonArray first : claimed) {
        for (JsonArray next = first; !next.isEmpty();) {
          next = engine.complete(next, perCall, false);
        }
      }
    });
    return costs(calls * perCall, submission, completion);
  }

  private static Costs rows(SqlEngine engine) throws SQLException {
    String template = engine.value("select named_task_uuid::text from tasker.named_tasks where name = 'chain_4'");
    String steps = engine.value(
        "select array_agg(named_step_uuid order by step_position)::text from tasker.named_tasks_named_steps where named_task_uuid = ?::uuid",
        template);
    List<String[]> keys = new ArrayList<>();
    SqlEngine.Usage submission = engine.measure(() -> {
      for (int i = 0; i < TASKS; i++) {
        keys.add(engine
            .value("select o_task || ',' || array_to_string(o_keys, ',') from rows_alone.submit(?::uuid, ?::uuid[], ?::uuid)", template,
                steps, SqlEngine.SERVER.toString())
            .split(","));
      }
    });
    SqlEngine.Usage completion = engine.measure(() -> {
      for (String[] task : keys) {
        for (int step = 1; step <= STEPS; step++) {
          engine.value("select rows_alone.complete(?::uuid, ?::uuid, ?::uuid, ?::uuid)", task[0], task[step],
              step < STEPS ? task[step + 1] : null, SqlEngine.SERVER.toString());
        }
      }
    });
    return costs(TASKS, submission, completion);
  }

  private static Costs costs(int tasks, SqlEngine.Usage submission, SqlEngine.Usage completion) {
    return new Costs(submission.cpuSeconds() * 1e6 / tasks, completion.cpuSeconds() * 1e6 / tasks / STEPS);
  }

  private static void report(Report report, List<Costs> alone, List<Costs> rows, List<Costs> batched) {
    Report.Table table = report.table("One alone: processor µs of the database", "call", "alone", "its rows alone", "one of a hundred",
        "alone / its rows", "alone / of a hundred",
        "its rows / of a hundred", "all rounds");
    row(table, "a linear task of four steps submitted", alone, rows, batched, Costs::submission);
    row(table, "a result", alone, rows, batched, Costs::completion);
    report.figure("alone_submission_over_rows", median(alone, Costs::submission) / median(rows, Costs::submission));
    report.figure("alone_completion_over_rows", median(alone, Costs::completion) / median(rows, Costs::completion));
    report.figure("alone_completion_over_batched", median(alone, Costs::completion) / median(batched, Costs::completion));
  }

  private static void row(Report.Table table, String call, List<Costs> alone, List<Costs> rows, List<Costs> batched,
      ToDoubleFunction<Costs> cost) {
    double one = median(alone, cost);
    double fewest = median(rows, cost);
    double hundred = median(batched, cost);
    table.row(call, one, fewest, hundred, one / fewest, one / hundred, fewest / hundred,
        String.join("; ",
            List.of(Report.formatAll(values(alone, cost)), Report.formatAll(values(rows, cost)), Report.formatAll(values(batched, cost)))));
  }

  private static double median(List<Costs> rounds, ToDoubleFunction<Costs> cost) {
    return Samples.of(values(rounds, cost)).median();
  }

  private static double[] values(List<Costs> rounds, ToDoubleFunction<Costs> cost) {
    return rounds.stream().mapToDouble(cost).toArray();
  }
}
