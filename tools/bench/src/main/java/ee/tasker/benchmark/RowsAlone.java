package ee.tasker.benchmark;

import jakarta.json.JsonArray;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a task, or a result, costs the database, in a call of its own and in one of a hundred: the
 * engine's call, and the same rows written by statements that
 * decide nothing, below which no engine with these tables will get far.
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
      List<Costs> batchedRows = new ArrayList<>();
      for (int round = -1; round < bench.options().rounds(); round++) {
        System.out.println("   rows, round " + (round + 1) + " ...");
        Costs one = engine(engine, 1);
        Costs fewest = rows(engine);
        Costs hundred = engine(engine, BATCH);
        Costs fewestOfHundred = rowsOfMany(engine);
        if (round >= 0) {
          alone.add(one);
          rows.add(fewest);
          batched.add(hundred);
          batchedRows.add(fewestOfHundred);
        }
      }
      String broken = engine.value(
          "select string_agg(c.invariant, ', ') from tasker.check_history() c where c.violations > 0");
      if (broken != null) {
        bench.report().complain("rows: check_history finds violations of " + broken);
      }
      report(bench.report(), alone, rows, batched, batchedRows);
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

  private static String template(SqlEngine engine) throws SQLException {
    return engine
        .value("select named_task_uuid::text from tasker.named_tasks where name = 'chain_4'");
  }

  private static String templateSteps(SqlEngine engine, String template) throws SQLException {
    return engine.value(
        "select array_agg(named_step_uuid order by step_position)::text from tasker.named_tasks_named_steps where named_task_uuid = ?::uuid",
        template);
  }

  private static Costs rowsOfMany(SqlEngine engine) throws SQLException {
    String template = template(engine);
    String steps = templateSteps(engine, template);
    List<String[]> created = new ArrayList<>();
    SqlEngine.Usage submission = engine.measure(() -> {
      for (int i = 0; i < TASKS; i += BATCH) {
        created.add(engine
            .value("select array_to_string(o_tasks, ',') || ',' || array_to_string(o_keys, ',') "
                + "from rows_alone.submit_many(?::uuid, ?::uuid[], ?::uuid, ?)", template, steps,
                SqlEngine.SERVER.toString(), BATCH)
            .split(","));
      }
    });
    SqlEngine.Usage completion = engine.measure(() -> {
      for (String[] keys : created) {
        for (int step = 1; step <= STEPS; step++) {
          engine.value("select rows_alone.complete_many(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid)",
              tasksOf(keys), stepsOf(keys, step), step < STEPS ? stepsOf(keys, step + 1) : null,
              SqlEngine.SERVER.toString());
        }
      }
    });
    return costs(TASKS, submission, completion);
  }

  private static String tasksOf(String[] keys) {
    return IntStream.range(0, BATCH).mapToObj(i -> keys[i])
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String stepsOf(String[] keys, int position) {
    return IntStream.range(0, BATCH).mapToObj(i -> keys[BATCH + STEPS * i + position - 1])
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static Costs rows(SqlEngine engine) throws SQLException {
    String template = template(engine);
    String steps = templateSteps(engine, template);
    List<String[]> keys = new ArrayList<>();
    SqlEngine.Usage submission = engine.measure(() -> {
      for (int i = 0; i < TASKS; i++) {
        keys.add(engine
            .value(
                "select o_task || ',' || array_to_string(o_keys, ',') from rows_alone.submit(?::uuid, ?::uuid[], ?::uuid)",
                template, steps, SqlEngine.SERVER.toString())
            .split(","));
      }
    });
    SqlEngine.Usage completion = engine.measure(() -> {
      for (String[] task : keys) {
        for (int step = 1; step <= STEPS; step++) {
          engine.value("select rows_alone.complete(?::uuid, ?::uuid, ?::uuid, ?::uuid)", task[0],
              task[step], step < STEPS ? task[step + 1] : null, SqlEngine.SERVER.toString());
        }
      }
    });
    return costs(TASKS, submission, completion);
  }

  private static Costs costs(int tasks, SqlEngine.Usage submission, SqlEngine.Usage completion) {
    return new Costs(submission.cpuSeconds() * 1e6 / tasks,
        completion.cpuSeconds() * 1e6 / tasks / STEPS);
  }

  private static void report(Report report, List<Costs> alone, List<Costs> rows,
      List<Costs> batched, List<Costs> batchedRows) {
    Report.Table table = report.table("Alone and of a hundred: processor µs of the database",
        "call", "alone", "its rows alone", "ratio",
        "one of a hundred",
        "its rows", "ratio", "alone / of a hundred", "rows alone / of a hundred", "all rounds");
    row(table, "a linear task of four steps submitted", alone, rows, batched, batchedRows,
        Costs::submission);
    row(table, "a result", alone, rows, batched, batchedRows, Costs::completion);
    report.figure("alone_submission_over_rows",
        median(alone, Costs::submission) / median(rows, Costs::submission));
    report.figure("alone_completion_over_rows",
        median(alone, Costs::completion) / median(rows, Costs::completion));
    report.figure("alone_completion_over_batched",
        median(alone, Costs::completion) / median(batched, Costs::completion));
    ToDoubleFunction<Costs> step = costs -> costs.submission / STEPS + costs.completion;
    report.figure("batched_step_over_rows", median(batched, step) / median(batchedRows, step));
  }

  private static void row(Report.Table table, String call, List<Costs> alone, List<Costs> rows,
      List<Costs> batched, List<Costs> batchedRows, ToDoubleFunction<Costs> cost) {
    double one = median(alone, cost);
    double oneRows = median(rows, cost);
    double hundred = median(batched, cost);
    double hundredRows = median(batchedRows, cost);
    table.row(call, one, oneRows, one / oneRows, hundred, hundredRows, hundred / hundredRows,
        one / hundred, oneRows / hundred,
        Stream.of(alone, rows, batched, batchedRows)
            .map(rounds -> Report.formatAll(values(rounds, cost)))
            .collect(Collectors.joining("; ")));
  }

  private static double median(List<Costs> rounds, ToDoubleFunction<Costs> cost) {
    return Samples.of(values(rounds, cost)).median();
  }

  private static double[] values(List<Costs> rounds, ToDoubleFunction<Costs> cost) {
    return rounds.stream().mapToDouble(cost).toArray();
  }
}
