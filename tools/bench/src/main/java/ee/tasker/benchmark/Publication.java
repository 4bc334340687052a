package ee.tasker.benchmark;

import ee.tasker.run.RunProblem;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;

/**
 * {@code -Dbenchmark.publish=true}: writes the budgets and figures of the last run into the
 * documents, between two marks, and its tables and plans into {@code target/reports}. Measures
 * nothing.
 */
final class Publication {
  static final String BEGIN = "<!-- measured: written by -Dbenchmark.publish=true -->";
  static final String END = "<!-- /measured -->";
  /** Details for tuning; they stay in target. */
  private static final List<String> LEFT_OUT = List.of("Statements ", "WAL of", "Hot tables under",
      "Tasks under");

  /**
   * A line of the table of budgets.
   *
   * @param limit NaN when there is none
   * @param peerFigure the same of the peers; null when they have none
   */
  private record Budget(String what, String figure, double limit, boolean atMost, String unit,
      String peerFigure) {}

  private static final List<Budget> BUDGETS = List.of(
      new Budget("linear task of 4 steps, POST to complete, one at a time, P50", "linear4_p50_ms",
          5, true, "ms", "p50_ms"),
      new Budget("no-op steps, tasks of 4 steps in batches", "linear4_steps_per_s", 10_000, false,
          "/s", "steps_per_s"),
      new Budget("the same, one POST each", "linear4_single_post_steps_per_s", Double.NaN, false,
          "/s", null),
      new Budget("write commits per step at load", "commits_per_step", 0.1, true, "", null),
      new Budget("write commits per step, alone", "commits_per_step_alone", 2, true, "", null),
      new Budget("log bytes per step at load", "wal_bytes_per_step", Double.NaN, true, "", null),
      new Budget("statements per step at load", "statements_per_step", Double.NaN, true, "", null),
      new Budget("tasks taken in, one POST each", "intake_per_s", 2_000, false, "/s", null),
      new Budget("statements of an idle server", "idle_statements_per_s", 2, true, "/s", null),
      new Budget("loss of throughput with a snapshot open for 60 s", "snapshot_loss", 0.25, true,
          "", null),
      new Budget("loss of throughput with 1 000 000 finished tasks", "history_loss", 0.20, true, "",
          null),
      new Budget("`get_next_ready_tasks(50)`, 100 000 tasks waiting, all due",
          "next_ready_tasks_ms", 5, true, "ms", null),
      new Budget("one task of 10 000 parallel steps", "fan_out_10000_s", 5, true, "s", null));

  private Publication() {
  }

  static void publish(Path target, Path docs) throws IOException {
    Path file = target.resolve("benchmark.json");
    if (!Files.exists(file)) {
      throw new RunProblem("There is no " + file + ": run the benchmark first.");
    }
    JsonObject run;
    try (var reader = Json.createReader(Files.newInputStream(file))) {
      run = reader.readObject();
    }
    Path page = docs.resolve("benchmarks.md");
    List<Path> charts = Charts.write(run, docs);
    Files.writeString(page, replace(Files.readString(page), markdown(run, charts)));
    Path reports = Files.createDirectories(target.resolve("reports"));
    Files.writeString(reports.resolve("benchmark.md"), tables(run));
    System.out.println("Written: " + page + ", " + charts.size() + " charts, " + reports);
    plans(target.resolve("plans"), reports.resolve("plans"));
  }

  private static void plans(Path from, Path to) throws IOException {
    if (!Files.isDirectory(from)) {
      return;
    }
    Files.createDirectories(to);
    try (var old = Files.newDirectoryStream(to, "*.txt");
        var fresh = Files.newDirectoryStream(from, "*.txt")) {
      for (Path file : old) {
        Files.delete(file);
      }
      for (Path file : fresh) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    System.out.println("Written: the plans in " + to);
  }

  /** The page with what is between the marks replaced. */
  static String replace(String page, String measured) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new RunProblem("The page has no place for what was measured: " + BEGIN + " and " + END);
    }
    return page.substring(0, begin) + BEGIN + "\n\n" + measured.strip() + "\n\n"
        + page.substring(end);
  }

  static String markdown(JsonObject run, List<Path> charts) {
    StringBuilder text = new StringBuilder();
    run.getJsonObject("machine")
        .forEach((name, value) -> text.append("- ").append(name).append(": ")
            .append(((JsonString) value).getString()).append('\n'));
    run.getJsonArray("complaints").getValuesAs(JsonString.class)
        .forEach(complaint -> text.append("\n**").append(complaint.getString()).append("**\n"));
    text.append("\n### Budgets\n\n").append(Ratios.table(run)).append("\n### Figures\n\n")
        .append(budgets(run)).append('\n');
    charts.forEach(chart -> text.append("![")
        .append(chart.getFileName().toString().replaceAll("benchmarks-|\\.svg", "")).append("](")
        .append(chart.getFileName()).append(")\n"));
    return text.toString();
  }

  /** All rounds of all phases: for the reports of a release, not for the repository. */
  static String tables(JsonObject run) {
    StringBuilder text = new StringBuilder("# Tables of the benchmark\n");
    for (JsonObject table : run.getJsonArray("tables").getValuesAs(JsonObject.class)) {
      String title = table.getString("title");
      if (LEFT_OUT.stream().noneMatch(title::startsWith) && !table.getJsonArray("rows").isEmpty()) {
        text.append("\n### ").append(title).append("\n\n")
            .append(row(table.getJsonArray("columns"))).append("|")
            .append("---|".repeat(table.getJsonArray("columns").size())).append('\n');
        table.getJsonArray("rows").forEach(row -> text.append(row(row.asJsonArray())));
      }
    }
    return text.toString();
  }

  private static String row(List<JsonValue> cells) {
    return "| " + String.join(" | ",
        cells.stream().map(cell -> ((JsonString) cell).getString().replace("|", "\\|")).toList())
        + " |\n";
  }

  /** Each budget with its measurements, all rounds, and the peers of the same run. */
  static String budgets(JsonObject run) {
    JsonObject peers = run.getJsonObject("peers");
    Set<String> names = peers.keySet();
    StringBuilder text = new StringBuilder(
        "| what | budget | measured | rounds | |"
            + String.join("", names.stream().map(name -> " " + name + " |").toList())
            + "\n|---|---|---|---|---|" + "---|".repeat(names.size()) + "\n");
    for (Budget budget : BUDGETS) {
      text.append("| ").append(budget.what).append(" | ")
          .append(Double.isNaN(budget.limit) ? ""
              : (budget.atMost ? "≤ " : "≥ ") + plain(budget.limit) + unit(budget))
          .append(" | ");
      if (run.containsKey(budget.figure)) {
        double value = run.getJsonNumber(budget.figure).doubleValue();
        boolean isMet = budget.atMost ? value <= budget.limit : value >= budget.limit;
        text.append(Report.format(value)).append(unit(budget)).append(" | ")
            .append(rounds(run, budget.figure)).append(" | ")
            .append(Double.isNaN(budget.limit) ? "" : isMet ? "met" : "**not met**").append(" |");
      } else {
        text.append("not measured | | |");
      }
      for (String name : names) {
        text.append(' ').append(budget.peerFigure == null ? ""
            : Report
                .format(peers.getJsonObject(name).getJsonNumber(budget.peerFigure).doubleValue())
                + unit(budget))
            .append(" |");
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String rounds(JsonObject run, String figure) {
    JsonObject rounds = run.getJsonObject("rounds");
    return rounds.containsKey(figure) ? String.join(" / ", rounds.getJsonArray(figure).stream()
        .map(value -> value == JsonValue.NULL ? "-"
            : Report.format(Double.parseDouble(value.toString())))
        .toList()) : "";
  }

  private static String unit(Budget budget) {
    return budget.unit.isEmpty() || budget.unit.startsWith("/") ? budget.unit : " " + budget.unit;
  }

  private static String plain(double limit) {
    return limit == Math.rint(limit) ? String.format(java.util.Locale.ROOT, "%,.0f", limit)
        : Double.toString(limit);
  }
}
