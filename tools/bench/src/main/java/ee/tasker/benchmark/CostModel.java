package ee.tasker.benchmark;

import jakarta.json.JsonArray;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The cost model of {@code docs/scaling.md}: processor time and log bytes of a submission and of a
 * completion by the number of tasks or results in the
 * call, fitted to some sizes and checked against others and against whole tasks, which it was not
 * fitted to.
 */
final class CostModel implements Phase {
  private static final List<Integer> FITTED = List.of(1, 4, 16, 64, 256);
  private static final List<Integer> CHECKED = List.of(2, 32, 128);
  private static final int STEPS = 4;
  private static final int TASKS = 400;

  /** Both kinds of call at one size, per call. */
  private record Measured(SqlEngine.Usage submission, SqlEngine.Usage completion) {
  }

  @Override
  public String name() {
    return "model";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws SQLException {
    bench.servers().close();
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      engine.register(GrowingCost.chain(STEPS));
      engine.runTasks("chain_4", 2_000, 100);
      engine.value("select tasker.analyze_grown_tables()");
      List<Integer> sizes = new ArrayList<>(FITTED);
      sizes.addAll(CHECKED);
      Map<Integer, List<Measured>> rounds = new LinkedHashMap<>();
      sizes.forEach(size -> rounds.put(size, new ArrayList<>()));
      List<SqlEngine.Usage> whole = new ArrayList<>();
      for (int round = -1; round < bench.options().rounds(); round++) {
        System.out.println("   model, round " + (round + 1) + " ...");
        for (int size : sizes) {
          Measured measured = measure(engine, size);
          if (round >= 0) {
            rounds.get(size).add(measured);
          }
        }
        SqlEngine.Usage mixed = engine.measure(() -> {
          for (int i = 0; i < 20; i++) {
            engine.runTasks("chain_4", 24, 24);
          }
        });
        if (round >= 0) {
          whole.add(mixed);
        }
      }
      report(bench.report(), rounds, whole);
    }
  }

  /**
   * As many calls as make some hundred tasks; each task is submitted, and each of its steps
   * completed, in a call of that size.
   */
  private static Measured measure(SqlEngine engine, int size) throws SQLException {
    int calls = Math.max(8, TASKS / size);
    List<JsonArray> claimed = new ArrayList<>();
    SqlEngine.Usage submission = engine.measure(() -> {
      for (int i = 0; i < calls; i++) {
        claimed.add(engine.submit("chain_4", size, size, "{\"number\":6}"));
      }
    });
    SqlEngine.Usage completion = engine.measure(() -> {
      for (JsonArray first : claimed) {
        for (JsonArray next = first; !next.isEmpty();) {
          next = engine.complete(next, size, false);
        }
      }
    });
    return new Measured(per(calls, submission), per(calls * STEPS, completion));
  }

  /** The same, as the usage of one call: its "steps" are one. */
  private static SqlEngine.Usage per(int calls, SqlEngine.Usage usage) {
    return new SqlEngine.Usage(1, usage.seconds() / calls, usage.cpuSeconds() / calls,
        usage.walBytes() / calls);
  }

  private static void report(Report report, Map<Integer, List<Measured>> rounds,
      List<SqlEngine.Usage> whole) {
    CallCost submissionCpu = fit(rounds, Measured::submission, SqlEngine.Usage::cpuMicrosPerStep);
    CallCost completionCpu = fit(rounds, Measured::completion, SqlEngine.Usage::cpuMicrosPerStep);
    CallCost submissionLog = fit(rounds, Measured::submission, SqlEngine.Usage::walBytesPerStep);
    CallCost completionLog = fit(rounds, Measured::completion, SqlEngine.Usage::walBytesPerStep);
    report
        .table("Cost model: a call costs fixed + each × size", "call", "CPU µs fixed", "for each",
            "log bytes fixed", "for each")
        .row("submission, for each task of four steps", submissionCpu.fixed(), submissionCpu.each(),
            submissionLog.fixed(), submissionLog.each())
        .row("completion, for each result", completionCpu.fixed(), completionCpu.each(),
            completionLog.fixed(), completionLog.each());
    Report.Table table = report.table("Cost model: measured and predicted, per item",
        "size of a call", "fitted to it",
        "submission: CPU µs per task", "predicted", "completion: CPU µs per result", "predicted",
        "log bytes per task and per result",
        "predicted");
    rounds.forEach((size, measured) -> {
      double submitted = median(measured, Measured::submission, SqlEngine.Usage::cpuMicrosPerStep)
          / size;
      double completed = median(measured, Measured::completion, SqlEngine.Usage::cpuMicrosPerStep)
          / size;
      table.row(size, FITTED.contains(size) ? "yes" : "no", submitted,
          submissionCpu.of(size) / size, completed, completionCpu.of(size) / size,
          Report.formatAll(new double[]{
            median(measured, Measured::submission, SqlEngine.Usage::walBytesPerStep) / size,
            median(measured, Measured::completion, SqlEngine.Usage::walBytesPerStep) / size}),
          Report.formatAll(
              new double[]{submissionLog.of(size) / size, completionLog.of(size) / size}));
    });
    double perStep = Samples
        .of(whole.stream().mapToDouble(SqlEngine.Usage::cpuMicrosPerStep).toArray()).median();
    double logPerStep = Samples
        .of(whole.stream().mapToDouble(SqlEngine.Usage::walBytesPerStep).toArray()).median();
    double predicted = (submissionCpu.of(24) / STEPS + completionCpu.of(24)) / 24;
    double logPredicted = (submissionLog.of(24) / STEPS + completionLog.of(24)) / 24;
    report
        .table("Cost model: whole tasks in calls of 24, which it was not fitted to", "what",
            "measured", "predicted", "error, %")
        .row("CPU µs of the database per step", perStep, predicted, 100 * (predicted / perStep - 1))
        .row("log bytes per step, page images left out", logPerStep, logPredicted,
            100 * (logPredicted / logPerStep - 1));
    report.figure("model_submission_fixed_us", submissionCpu.fixed());
    report.figure("model_submission_each_us", submissionCpu.each());
    report.figure("model_completion_fixed_us", completionCpu.fixed());
    report.figure("model_completion_each_us", completionCpu.each());
    report.figure("model_error", predicted / perStep - 1);
  }

  private static CallCost fit(Map<Integer, List<Measured>> rounds,
      Function<Measured, SqlEngine.Usage> call, ToDoubleFunction<SqlEngine.Usage> figure) {
    return CallCost.fit(FITTED.stream()
        .map(size -> new CallCost.Point(size, median(rounds.get(size), call, figure))).toList());
  }

  private static double median(List<Measured> rounds, Function<Measured, SqlEngine.Usage> call,
      ToDoubleFunction<SqlEngine.Usage> figure) {
    return Samples.of(rounds.stream().map(call).mapToDouble(figure).toArray()).median();
  }
}
