package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * What a step costs the database that a task did not begin with, compared with a static one:
 * processor time of the backend and log bytes, of tasks that run in
 * turns. All steps of a task count alike, those that a handler runs and those that the engine
 * completes.
 */
final class GrownSteps implements Phase {
  private static final int PER_CALL = 100;
  private static final int STEPS_PER_ROUND = 4_000;

  /**
   * A kind of task, the number of its steps, and what its steps end with. @param comparedWith the
   * kind whose steps are static; null for such a kind
   */
  private record Kind(String what, String template, int steps, String comparedWith,
      Function<JsonObject, JsonObject> outcome) {
  }

  @Override
  public String name() {
    return "grown";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  private static JsonObject object(String json) {
    try (var reader = Json.createReader(new StringReader(json.replace('\'', '"')))) {
      return reader.readObject();
    }
  }

  private static String template(String name, String more, String... steps) {
    JsonArrayBuilder all = Json.createArrayBuilder();
    for (String step : steps) {
      all.add(object(step));
    }
    return Json.createObjectBuilder(object(GrowingCost.template(name, all)))
        .addAll(Json.createObjectBuilder(object(more))).build()
        .toString();
  }

  private static Function<JsonObject, JsonObject> when(SqlEngine engine, String step,
      String members) {
    JsonObject ends = object(members);
    return claimed -> engine.nameOf(claimed).equals(step) ? ends : SqlEngine.SUCCESS;
  }

  private static String cursors(int count) {
    return "{'outcome': 'success', 'result': {}, 'batches': [" + "1,".repeat(count - 1) + "1]}";
  }

  @Override
  public void run(Bench bench) throws SQLException {
    bench.servers().close();
    String handler = "'handler': {'callable': 'none'}";
    String compensation = ", 'compensation': {'handler': {'callable': 'none'}}";
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      for (int length : new int[]{3, 4, 7}) {
        engine.register(GrowingCost.chain(length));
      }
      engine.register(GrowingCost.fan(100));
      engine.register(template("decided", "{}", "{'name': 's1', " + handler + "}",
          "{'name': 'route', 'type': 'decision', 'dependencies': ['s1'], " + handler + "}",
          "{'name': 's3', 'dependencies': ['route'], " + handler + "}",
          "{'name': 's4', 'dependencies': ['s3'], " + handler + "}"));
      engine.register(template("ruled", "{}", "{'name': 's1', " + handler + "}",
          "{'name': 'route', 'type': 'decision', 'dependencies': ['s1'], 'rules': [{'when': '$.context.number > 5', 'then': ['s3']}]}",
          "{'name': 's3', 'dependencies': ['route'], " + handler + "}",
          "{'name': 's4', 'dependencies': ['s3'], " + handler + "}"));
      for (int parallelism : new int[]{100, 10}) {
        engine.register(template("batch_" + parallelism, "{}",
            "{'name': 'cut', 'type': 'batchable', " + handler + "}",
            "{'name': 'load', 'type': 'batch_worker', 'dependencies': ['cut'], " + handler
                + ", 'batch_config': {'worker_template': 'load', 'parallelism': "
                + parallelism + "}}",
            "{'name': 'join', 'type': 'deferred_convergence', 'dependencies': ['load'], " + handler
                + "}"));
      }
      engine.register(template("calling", "{}", "{'name': 's1', " + handler + "}",
          "{'name': 'sub', 'dependencies': ['s1'], 'task': {'name': 'chain_3', 'context': {'number': 6}}}",
          "{'name': 's3', 'dependencies': ['sub'], " + handler + "}",
          "{'name': 's4', 'dependencies': ['s3'], " + handler + "}"));
      engine.register(template("saga", "{'lifecycle': {'on_failure': 'compensate'}}",
          "{'name': 's1', " + handler + compensation + "}",
          "{'name': 's2', 'dependencies': ['s1'], " + handler + compensation + "}",
          "{'name': 's3', 'dependencies': ['s2'], " + handler + compensation + "}",
          "{'name': 's4', 'dependencies': ['s3'], " + handler + "}"));

      Function<JsonObject, JsonObject> success = step -> SqlEngine.SUCCESS;
      List<Kind> kinds = List.of(
          new Kind("4 steps in a row", "chain_4", 4, null, success),
          new Kind("7 steps in a row", "chain_7", 7, null, success),
          new Kind("100 steps in parallel", "fan_100", 102, null, success),
          new Kind("a task of 4 steps and one of 3", "both", 7, null, success),
          new Kind("a task of 4 steps and one of 3, each submitted alone", "alone", 7, null,
              success),
          new Kind("decision by a handler, 4 steps", "decided", 4, "chain_4",
              when(engine, "route", "{'outcome': 'success', 'result': {}, 'decision': ['s3']}")),
          new Kind("decision by rules, 4 steps", "ruled", 4, "chain_4", success),
          new Kind("batch of 100 workers, all at once", "batch_100", 103, "fan_100",
              when(engine, "cut", cursors(100))),
          new Kind("batch of 100 workers, 10 at once", "batch_10", 103, "fan_100",
              when(engine, "cut", cursors(100))),
          new Kind("4 steps, one of them a child task of 3", "calling", 7, "chain_4", success),
          new Kind("the same", "calling", 7, "both", success),
          new Kind("the same", "calling", 7, "alone", success),
          new Kind("4 steps, of which the last fails, and 3 compensations", "saga", 7, "chain_7",
              when(engine, "s4",
                  "{'outcome': 'permanent_failure', 'error': {'type': 'x', 'message': 'x'}}")));
      Map<String, List<SqlEngine.Usage>> rounds = new LinkedHashMap<>();
      kinds.forEach(kind -> rounds.putIfAbsent(kind.template(), new ArrayList<>()));
      for (int round = -1; round < bench.options().rounds(); round++) {
        for (Kind kind : kinds) {
          List<SqlEngine.Usage> found = rounds.get(kind.template());
          if (found.size() > Math.max(round, 0)) {
            continue;
          }
          int tasks = STEPS_PER_ROUND / kind.steps();
          SqlEngine.Usage usage = engine.measure(() -> run(engine, kind, tasks));
          if (round >= 0) {
            found.add(new SqlEngine.Usage((long) tasks * kind.steps(), usage.seconds(),
                usage.cpuSeconds(), usage.walBytes()));
          }
        }
        // As every server does: without it the session keeps plans that were made for empty tables,
        // in some runs and not in others.
        engine.value("select tasker.analyze_grown_tables()");
      }
      Report.Table table = bench.report().table("Grown steps", "task", "compared with",
          "CPU µs per step", "of the static one", "ratio",
          "WAL ratio");
      for (Kind kind : kinds) {
        if (kind.comparedWith() != null) {
          double cpu = median(rounds.get(kind.template()), SqlEngine.Usage::cpuMicrosPerStep);
          double staticCpu = median(rounds.get(kind.comparedWith()),
              SqlEngine.Usage::cpuMicrosPerStep);
          double wal = median(rounds.get(kind.template()), SqlEngine.Usage::walBytesPerStep)
              / median(rounds.get(kind.comparedWith()), SqlEngine.Usage::walBytesPerStep);
          String other = kinds.stream().filter(each -> each.template().equals(kind.comparedWith()))
              .findFirst().orElseThrow().what();
          table.row(kind.what(), other, Math.round(cpu), Math.round(staticCpu),
              Math.round(100 * cpu / staticCpu) / 100.0, Math.round(100 * wal) / 100.0);
        }
      }
    }
  }

  private static void run(SqlEngine engine, Kind kind, int tasks) throws SQLException {
    if (kind.template().equals("both")) {
      engine.runGrowing("chain_4", tasks, PER_CALL, kind.outcome());
      engine.runGrowing("chain_3", tasks, PER_CALL, kind.outcome());
      return;
    }
    if (!kind.template().equals("alone")) {
      engine.runGrowing(kind.template(), tasks, PER_CALL, kind.outcome());
      return;
    }
    // As a client that POSTs each: a call for each task.
    for (int i = 0; i < tasks; i++) {
      engine.submit("chain_4", 1, 0, "{\"number\":6}");
      engine.submit("chain_3", 1, 0, "{\"number\":6}");
    }
    engine.runGrowing("chain_4", 0, PER_CALL, kind.outcome());
  }

  private static double median(List<SqlEngine.Usage> rounds,
      ToDoubleFunction<SqlEngine.Usage> figure) {
    return Samples.of(rounds.stream().mapToDouble(figure).toArray()).median();
  }
}
