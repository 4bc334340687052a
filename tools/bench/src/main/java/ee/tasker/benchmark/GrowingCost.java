package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * The database cost of a step as something grows: the backlog, the width and the depth of the
 * graph, the history. Uses the
 * engine's functions without servers, in databases of its own, because processor time and log bytes
 * per step are more
 * precise than a clock. Growth over servers and payload is measured with servers, see {@link
 * MoreServers} and {@link
 * Payload}.
 */
final class GrowingCost implements Phase {
  static final String VERDICTS = "How the cost of a step grows (exponents: 0 is constant, 1 doubles with the size)";
  private static final int PER_CALL = 100;
  /** Tasks at a time where graphs are deep or wide, so that calls are alike for every graph. */
  private static final int ABREAST = 20;

  @Override
  public String name() {
    return "growth";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws SQLException {
    bench.servers().close();
    List<Growth> found = List.of(backlog(bench), width(bench), depth(bench), history(bench));
    Report.Table verdicts = bench.report().table(VERDICTS, "over", "steps/s",
        "CPU of the database per step", "WAL per step", "verdict");
    found.forEach(growth -> growth.addTo(bench.report(), verdicts));
    bench.report().growing().forEach(growth -> growth.addTo(bench.report(), verdicts));
  }

  /** Offered steps on the queue, of which some are taken, completed, and their successors too. */
  private static Growth backlog(Bench bench) throws SQLException {
    Growth growth = new Growth("backlog", "tasks waiting on the queue");
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      engine.register(chain(4));
      engine.runTasks("chain_4", 500, PER_CALL);
      int waiting = 0;
      for (int size : bench.options().backlogs()) {
        waiting = fill(engine, waiting, size);
        SqlEngine.Usage[] rounds = new SqlEngine.Usage[bench.options().rounds()];
        for (int round = 0; round < rounds.length; round++) {
          rounds[round] = engine.measure(() -> {
            // As many tasks as are claimed come to their end: their successors go before the queue.
            for (int i = 0; i < 4; i++) {
              JsonArray next = engine.claim(PER_CALL);
              while (!next.isEmpty()) {
                next = engine.complete(next, PER_CALL, false);
              }
            }
          });
          waiting = fill(engine, waiting - 4 * PER_CALL, size);
        }
        add(growth, size, rounds);
      }
    }
    return growth;
  }

  private static int fill(SqlEngine engine, int from, int to) throws SQLException {
    for (int done = from; done < to; done += 1000) {
      engine.submit("chain_4", Math.min(1000, to - done), 0, "{\"number\":6}");
    }
    engine.value(
        "analyze tasker.tasks, tasker.workflow_steps, tasker.task_wakeups, pgmq.q_worker_growth_queue");
    return to;
  }

  private static Growth width(Bench bench) throws SQLException {
    Growth growth = new Growth("width", "parallel steps of a task");
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      for (int width : bench.options().widths()) {
        engine.register(fan(width));
        int tasks = Math.max(1, Math.min(2_000, 4_000 / width));
        engine.runTasks("fan_" + width, tasks, PER_CALL);
        add(growth, width, rounds(bench, engine, "fan_" + width, tasks, PER_CALL));
      }
    }
    return growth;
  }

  private static Growth depth(Bench bench) throws SQLException {
    Growth growth = new Growth("depth", "steps in a row");
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      for (int depth : bench.options().depths()) {
        engine.register(chain(depth));
        engine.runTasks("chain_" + depth, ABREAST, ABREAST);
        engine.value("select tasker.analyze_grown_tables()");
        int times = Math.max(1, 200 / depth);
        SqlEngine.Usage[] rounds = new SqlEngine.Usage[bench.options().rounds()];
        for (int round = 0; round < rounds.length; round++) {
          rounds[round] = engine.measure(() -> {
            for (int i = 0; i < times; i++) {
              engine.runTasks("chain_" + depth, ABREAST, ABREAST);
            }
          });
        }
        add(growth, depth, rounds);
      }
    }
    return growth;
  }

  private static Growth history(Bench bench) throws SQLException {
    Growth growth = new Growth("history", "finished tasks");
    try (Scratch scratch = new Scratch(bench.database().url(), "growth")) {
      SqlEngine engine = new SqlEngine(scratch.connection());
      engine.register(chain(4));
      engine.runTasks("chain_4", 500, PER_CALL);
      UUID pattern = UUID.fromString(
          engine.value("select task_uuid from tasker.tasks order by task_uuid desc limit 1"));
      int there = Integer.parseInt(engine.value("select count(*) from tasker.tasks"));
      for (int size : bench.options().histories()) {
        // Copies lie before their pattern; those of the next size come before a newer one.
        if (size > there) {
          Clones.of(scratch.connection(), pattern, size - there);
        }
        engine.value(
            "vacuum (analyze) tasker.tasks, tasker.task_wakeups, tasker.workflow_steps, tasker.added_step_edges, tasker.workflow_step_result_audit, tasker.task_moves, tasker.step_moves");
        add(growth, size, rounds(bench, engine, "chain_4", 500, PER_CALL));
        there = Integer.parseInt(engine.value("select count(*) from tasker.tasks"));
        engine.value("select pg_sleep(1)");
        engine.runTasks("chain_4", 1, 1);
        pattern = UUID.fromString(
            engine.value("select task_uuid from tasker.tasks order by task_uuid desc limit 1"));
      }
    }
    return growth;
  }

  private static SqlEngine.Usage[] rounds(Bench bench, SqlEngine engine, String template, int tasks,
      int perCall) throws SQLException {
    SqlEngine.Usage[] rounds = new SqlEngine.Usage[bench.options().rounds()];
    for (int round = 0; round < rounds.length; round++) {
      rounds[round] = engine.measure(() -> engine.runTasks(template, tasks, perCall));
    }
    return rounds;
  }

  private static void add(Growth growth, double size, SqlEngine.Usage... rounds) {
    System.out.println("   " + growth.over() + " " + Report.format(size) + " ...");
    growth.add(size, median(rounds, SqlEngine.Usage::stepsPerSecond),
        median(rounds, SqlEngine.Usage::cpuMicrosPerStep),
        median(rounds, SqlEngine.Usage::walBytesPerStep));
  }

  private static double median(SqlEngine.Usage[] rounds,
      java.util.function.ToDoubleFunction<SqlEngine.Usage> figure) {
    return Samples.of(Arrays.stream(rounds).mapToDouble(figure).toArray()).median();
  }

  static String chain(int length) {
    var steps = Json.createArrayBuilder();
    for (int i = 1; i <= length; i++) {
      var step = Json.createObjectBuilder().add("name", "s" + i).add("handler",
          Json.createObjectBuilder().add("callable", "none"));
      if (i > 1) {
        step.add("dependencies", Json.createArrayBuilder().add("s" + (i - 1)));
      }
      steps.add(step);
    }
    return template("chain_" + length, steps);
  }

  static String fan(int width) {
    var none = Json.createObjectBuilder().add("callable", "none").build();
    var parents = Json.createArrayBuilder();
    var steps = Json.createArrayBuilder()
        .add(Json.createObjectBuilder().add("name", "first").add("handler", none));
    for (int i = 1; i <= width; i++) {
      steps.add(
          Json.createObjectBuilder().add("name", "p" + i)
              .add("dependencies", Json.createArrayBuilder().add("first")).add("handler", none));
      parents.add("p" + i);
    }
    return template("fan_" + width,
        steps.add(Json.createObjectBuilder().add("name", "last").add("dependencies", parents)
            .add("handler", none)));
  }

  static String template(String name, jakarta.json.JsonArrayBuilder steps) {
    return Json.createObjectBuilder().add("namespace_name", "growth").add("name", name)
        .add("version", "1.0.0").add("content_hash", "-")
        .add("identity_strategy", "always_unique").add("steps", steps).build().toString();
  }
}
