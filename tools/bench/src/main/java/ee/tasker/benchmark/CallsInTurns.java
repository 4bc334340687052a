package ee.tasker.benchmark;

import jakarta.json.JsonArray;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What calls of the engine cost in several databases of one PostgreSQL, measured in turns: one task
 * here, one there, in another order each time, so that a machine that gets slower for a moment does
 * so for all of them. Each call counts by itself, and the median of all says what one takes;
 * absolute values hold on this machine and in this run only.
 */
final class CallsInTurns {
  private static final int STEPS = 4;
  private static final int BATCH = 100;
  /** A batch costs as much as dozens of single calls. */
  private static final int ROUNDS_PER_BATCH = 10;
  private static final int WARM_UP = 30;
  private static final long SEED = 11;

  /** What is measured. */
  enum Call {
    SUBMITTED_ALONE("a task of four, submitted alone", 1),
    RESULT_ALONE("a result alone", 1),
    SUBMITTED_IN_HUNDREDS("a task of four, in hundreds", BATCH),
    RESULT_IN_HUNDREDS("a result, in hundreds", BATCH);

    private final String title;
    private final int items;

    Call(String title, int items) {
      this.title = title;
      this.items = items;
    }

    String title() {
      return title;
    }
  }

  /** Processor time of the session, and log, by what was called; of one item each. */
  static final class Costs {
    private final Map<Call, List<Double>> micros = new EnumMap<>(Call.class);
    private final Map<Call, Double> walBytes = new EnumMap<>(Call.class);

    private void add(Call call, double seconds) {
      micros.computeIfAbsent(call, each -> new ArrayList<>()).add(seconds * 1e6 / call.items);
    }

    double micros(Call call) {
      return Samples.of(micros.get(call)).median();
    }

    double walBytes(Call call) {
      return walBytes.get(call);
    }

    /** A step in hundreds, with its share of the task. */
    double batchedStep() {
      return micros(Call.SUBMITTED_IN_HUNDREDS) / STEPS + micros(Call.RESULT_IN_HUNDREDS);
    }

    double batchedStepWalBytes() {
      return walBytes(Call.SUBMITTED_IN_HUNDREDS) / STEPS + walBytes(Call.RESULT_IN_HUNDREDS);
    }
  }

  private final Map<String, SqlEngine> engines = new LinkedHashMap<>();

  /** One more database to compare, which has no data yet. */
  void add(String name, SqlEngine engine) throws SQLException {
    engine.register(GrowingCost.chain(STEPS));
    engine.runTasks("chain_4", 2_000, BATCH);
    engine.value("select tasker.analyze_grown_tables()");
    engines.put(name, engine);
  }

  /** The costs in each database, in the order in which they were added. */
  Map<String, Costs> measure(int rounds) throws SQLException {
    Map<String, Costs> costs = new LinkedHashMap<>();
    engines.keySet().forEach(name -> costs.put(name, new Costs()));
    List<String> order = new ArrayList<>(engines.keySet());
    Random turns = new Random(SEED);
    for (int round = -WARM_UP; round < rounds; round++) {
      Collections.shuffle(order, turns);
      for (String name : order) {
        Costs kept = round < 0 ? new Costs() : costs.get(name);
        task(engines.get(name), kept, Call.SUBMITTED_ALONE, Call.RESULT_ALONE);
        if (Math.floorMod(round, ROUNDS_PER_BATCH) == 0) {
          task(engines.get(name), kept, Call.SUBMITTED_IN_HUNDREDS, Call.RESULT_IN_HUNDREDS);
        }
      }
    }
    for (String name : engines.keySet()) {
      log(engines.get(name), costs.get(name), Call.SUBMITTED_ALONE, Call.RESULT_ALONE);
      log(engines.get(name), costs.get(name), Call.SUBMITTED_IN_HUNDREDS,
          Call.RESULT_IN_HUNDREDS);
    }
    return costs;
  }

  private static JsonArray submitted(SqlEngine engine, Call call) throws SQLException {
    return engine.submit("chain_4", call.items, call.items, "{\"number\":6}");
  }

  private static void task(SqlEngine engine, Costs costs, Call submission, Call result)
      throws SQLException {
    double before = engine.cpuSeconds();
    JsonArray next = submitted(engine, submission);
    costs.add(submission, engine.cpuSeconds() - before);
    while (!next.isEmpty()) {
      before = engine.cpuSeconds();
      next = engine.complete(next, result.items, false);
      costs.add(result, engine.cpuSeconds() - before);
    }
  }

  private static void log(SqlEngine engine, Costs costs, Call submission, Call result)
      throws SQLException {
    int calls = ROUNDS_PER_BATCH;
    int items = calls * submission.items;
    List<JsonArray> claimed = new ArrayList<>();
    costs.walBytes.put(submission, engine.measure(() -> {
      for (int i = 0; i < calls; i++) {
        claimed.add(submitted(engine, submission));
      }
    }).walBytes() / items);
    costs.walBytes.put(result, engine.measure(() -> {
      for (JsonArray first : claimed) {
        for (JsonArray next = first; !next.isEmpty();) {
          next = engine.complete(next, result.items, false);
        }
      }
    }).walBytes() / items / STEPS);
  }
}
