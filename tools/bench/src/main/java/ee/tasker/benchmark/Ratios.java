package ee.tasker.benchmark;

import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The budgets that are ratios of two measurements of one run, or counts: they mean the same on
 * every machine.
 */
final class Ratios {
  private static final Pattern RATE = Pattern.compile("linear_4_p99_ms_at_(\\d+)_per_s");
  private static final int STEPS = 4;
  /** A load is carried when its P99 is at most so many times the P50 of one task alone. */
  private static final double CARRIED = 10;

  /**
   * A line of the table. @param value NaN when it, or what it is compared with, was not measured
   */
  private record Ratio(String what, String comparedWith, double limit, boolean atMost, String unit,
      ToDoubleFunction<JsonObject> value) {
    static Ratio atMost(double limit, String what, String comparedWith,
        ToDoubleFunction<JsonObject> value) {
      return new Ratio(what, comparedWith, limit, true, " ×", value);
    }

    static Ratio atLeast(double limit, String what, String comparedWith,
        ToDoubleFunction<JsonObject> value) {
      return new Ratio(what, comparedWith, limit, false, " ×", value);
    }

    boolean isMet(double measured) {
      return atMost ? measured <= limit : measured >= limit;
    }
  }

  private static final List<Ratio> RATIOS = List.of(
      Ratio.atMost(1, "linear task of 4 steps, one at a time, P50", "that of DBOS in process",
          run -> figure(run, "linear4_p50_ms") / peer(run, "dbos-java direct", "p50_ms")),
      Ratio.atMost(3, "the database's processor time of a result alone", "one of a hundred",
          run -> figure(run, "alone_completion_over_batched")),
      Ratio.atMost(2, "the same", "its rows alone",
          run -> figure(run, "alone_completion_over_rows")),
      Ratio.atMost(2.5, "the database's processor time of a task submitted alone", "its rows alone",
          run -> figure(run, "alone_submission_over_rows")),
      Ratio.atMost(2.5, "that of a step in calls of a hundred, with its share of the task",
          "its rows in hundreds", run -> figure(run, "batched_step_over_rows")),
      Ratio.atLeast(0.6, "highest rate of `POST ?wait` with P99 ≤ 10 × the P50 of one at a time",
          "tasks per second in batches",
          run -> highestRate(run) * STEPS / figure(run, "linear4_steps_per_s")),
      Ratio.atLeast(0.8, "completed at twice the capacity of single requests", "the capacity",
          run -> figure(run, "goodput_at_2_times_the_capacity")),
      Ratio.atLeast(0.4, "tasks taken in, one POST each", "pgbench, one row per commit",
          run -> figure(run, "intake_per_s") / figure(run, "pgbench_floor_commits_per_s")),
      Ratio.atLeast(0.4, "requests that are refused, without the database", "the same",
          run -> figure(run, "refused_per_s") / figure(run, "pgbench_floor_commits_per_s")),
      Ratio.atLeast(0.1, "steps per second in batches", "pgbench, rows in hundreds",
          run -> figure(run, "linear4_steps_per_s")
              / figure(run, "pgbench_floor_batched_rows_per_s")),
      Ratio.atLeast(5, "the same", "DBOS in process",
          run -> figure(run, "linear4_steps_per_s") / peer(run, "dbos-java direct", "steps_per_s")),
      Ratio.atLeast(3, "the same", "db-scheduler in process",
          run -> figure(run, "linear4_steps_per_s")
              / peer(run, "db-scheduler chain", "steps_per_s")),
      Ratio.atLeast(26, "the same", "Operaton in process",
          run -> figure(run, "linear4_steps_per_s")
              / peer(run, "operaton embedded", "steps_per_s")),
      Ratio.atLeast(0.9, "the same with two servers", "one server of the same phase",
          run -> figure(run, "linear4_steps_per_s_2_servers")
              / figure(run, "linear4_steps_per_s_1_servers")),
      new Ratio(
          "largest exponent of the cost of a step, over backlog, width, depth, history and connections",
          "none", Growth.FLAT, true,
          "",
          Ratios::largestExponent),
      new Ratio("HOT updates of `workflow_steps`", "all updates", 0.9, false, "",
          run -> figure(run, "hot_ratio_workflow_steps")),
      new Ratio("HOT updates of `tasks`", "all updates", 0.9, false, "",
          run -> figure(run, "hot_ratio_tasks")),
      new Ratio("log bytes per step in batches", "", 3_050, true, "",
          run -> figure(run, "wal_bytes_per_step")));

  private Ratios() {
  }

  static String table(JsonObject run) {
    StringBuilder text = new StringBuilder(
        "| what | compared with | budget | measured | |\n|---|---|---|---|---|\n");
    for (Ratio ratio : RATIOS) {
      double measured = ratio.value.applyAsDouble(run);
      text.append("| ").append(ratio.what).append(" | ").append(ratio.comparedWith).append(" | ")
          .append(ratio.atMost ? "≤ " : "≥ ")
          .append(String.format(Locale.ROOT, ratio.limit == Math.rint(ratio.limit) ? "%,.0f" : "%s",
              ratio.limit))
          .append(ratio.unit)
          .append(" | ");
      if (Double.isNaN(measured)) {
        text.append("not measured | |\n");
      } else {
        text.append(Report.format(measured)).append(ratio.unit).append(" | ")
            .append(ratio.isMet(measured) ? "met" : "**not met**")
            .append(" |\n");
      }
    }
    return text.toString();
  }

  private static double figure(JsonObject run, String name) {
    return run.get(name) instanceof JsonNumber number ? number.doubleValue() : Double.NaN;
  }

  private static double peer(JsonObject run, String name, String figure) {
    JsonObject peers = run.getJsonObject("peers");
    return peers.containsKey(name) ? figure(peers.getJsonObject(name), figure) : Double.NaN;
  }

  /** 0 when none of the rates was carried. */
  private static double highestRate(JsonObject run) {
    double limit = CARRIED * figure(run, "linear4_p50_ms");
    double highest = Double.NaN;
    for (String name : run.keySet()) {
      Matcher rate = RATE.matcher(name);
      if (rate.matches() && !Double.isNaN(limit)) {
        double carried = figure(run, name) <= limit ? Double.parseDouble(rate.group(1)) : 0;
        highest = Double.isNaN(highest) ? carried : Math.max(highest, carried);
      }
    }
    return highest;
  }

  private static double largestExponent(JsonObject run) {
    JsonObject growth = run.getJsonObject("growth");
    double largest = Double.NaN;
    for (String over : List.of("backlog", "width", "depth", "history", "connections")) {
      // Of speed, of the database's processor time and of the log, in this order.
      if (growth.containsKey(over) && growth.getJsonObject(over).getJsonArray("exponents")
          .get(1) instanceof JsonNumber exponent) {
        largest = Double.isNaN(largest) ? exponent.doubleValue()
            : Math.max(largest, exponent.doubleValue());
      }
    }
    return largest;
  }
}
