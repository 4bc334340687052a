package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonWriterFactory;
import jakarta.json.stream.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All measurements: named figures, tables for readers, and both as Markdown and as JSON. */
final class Report {
  private final Map<String, Double> figures = new LinkedHashMap<>();
  private final Map<String, double[]> rounds = new LinkedHashMap<>();
  private final Map<String, Growth> growth = new LinkedHashMap<>();
  private final List<Growth> growing = new ArrayList<>();
  private final Map<String, String> facts = new LinkedHashMap<>();
  private final List<Table> tables = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();
  private Table costs;
  private JsonObject peers = Json.createObjectBuilder().build();

  /** A table with a sentence or none under its title. */
  static final class Table {
    private final String title;
    private final List<String> columns;
    private final List<List<String>> rows = new ArrayList<>();

    private Table(String title, List<String> columns) {
      this.title = title;
      this.columns = columns;
    }

    /** Numbers are written with a sensible number of digits. */
    Table row(Object... cells) {
      List<String> row = new ArrayList<>();
      for (Object cell : cells) {
        row.add(cell instanceof Double number ? Report.format(number) : String.valueOf(cell));
      }
      rows.add(row);
      return this;
    }
  }

  Table table(String title, String... columns) {
    Table table = new Table(title, List.of(columns));
    tables.add(table);
    return table;
  }

  /** The table that every measured phase adds a row to. */
  void costs(Table table) {
    costs = table;
  }

  Table costs() {
    return costs;
  }

  void fact(String name, String value) {
    facts.put(name, value);
  }

  void figure(String name, double value) {
    if (!Double.isNaN(value)) {
      figures.put(name, value);
    }
  }

  /** A figure that was measured in several rounds: their median, and all of them. */
  void figure(String name, double[] values) {
    if (values.length == 0) {
      return;
    }
    figure(name, Samples.of(values).median());
    rounds.put(name, values.clone());
  }

  double figure(String name) {
    return figures.getOrDefault(name, Double.NaN);
  }

  void growth(Growth found) {
    growth.put(found.over(), found);
  }

  /** A secondary measurement, for the final table of verdicts. */
  void grow(Growth found) {
    growing.add(found);
  }

  List<Growth> growing() {
    return growing;
  }

  void peers(JsonObject figures) {
    peers = figures;
  }

  /** A violation: the benchmark then fails in the end. */
  void complain(String what) {
    complaints.add(what);
    System.out.println("!! " + what);
  }

  List<String> complaints() {
    return complaints;
  }

  static String format(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    double size = Math.abs(value);
    return String.format(Locale.ROOT,
        size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.4f",
        value);
  }

  static String formatAll(double... values) {
    StringBuilder text = new StringBuilder();
    for (double value : values) {
      text.append(text.isEmpty() ? "" : " / ").append(format(value));
    }
    return text.toString();
  }

  String markdown() {
    StringBuilder text = new StringBuilder("# Benchmark\n\n");
    facts.forEach(
        (name, value) -> text.append("- ").append(name).append(": ").append(value).append('\n'));
    complaints.forEach(complaint -> text.append("\n**").append(complaint).append("**\n"));
    if (!figures.isEmpty()) {
      text.append("\n## In short\n\n| figure | value |\n|---|---|\n");
      figures.forEach((name, value) -> text.append("| ").append(name).append(" | ")
          .append(format(value)).append(" |\n"));
    }
    for (Table table : tables) {
      text.append("\n## ").append(table.title).append("\n\n| ")
          .append(String.join(" | ", table.columns)).append(" |\n|")
          .append("---|".repeat(table.columns.size())).append('\n');
      for (List<String> row : table.rows) {
        text.append("| ")
            .append(String.join(" | ", row.stream().map(cell -> cell.replace("|", "\\|")).toList()))
            .append(" |\n");
      }
    }
    return text.toString();
  }

  String json() {
    JsonObjectBuilder json = Json.createObjectBuilder();
    figures.forEach((name, value) -> json.add(name, Math.round(value * 1e4) / 1e4));
    JsonObjectBuilder all = Json.createObjectBuilder();
    rounds.forEach((name, values) -> all.add(name, array(values)));
    json.add("rounds", all);
    json.add("peers", peers);
    JsonObjectBuilder grown = Json.createObjectBuilder();
    growth.forEach((name, found) -> grown.add(name, found.json()));
    json.add("growth", grown);
    JsonObjectBuilder machine = Json.createObjectBuilder();
    facts.forEach(machine::add);
    json.add("machine", machine);
    json.add("complaints", Json.createArrayBuilder(complaints));
    JsonArrayBuilder every = Json.createArrayBuilder();
    for (Table table : tables) {
      JsonArrayBuilder rows = Json.createArrayBuilder();
      table.rows.forEach(row -> rows.add(Json.createArrayBuilder(row)));
      every.add(
          Json.createObjectBuilder().add("title", table.title)
              .add("columns", Json.createArrayBuilder(table.columns)).add("rows", rows));
    }
    json.add("tables", every);
    StringWriter text = new StringWriter();
    JsonWriterFactory writers = Json
        .createWriterFactory(Map.of(JsonGenerator.PRETTY_PRINTING, true));
    try (var writer = writers.createWriter(text)) {
      writer.writeObject(json.build());
    }
    return text.toString().strip() + "\n";
  }

  /** Numbers as JSON has them; what could not be measured is null. */
  static JsonArrayBuilder array(double... values) {
    JsonArrayBuilder array = Json.createArrayBuilder();
    for (double value : values) {
      if (Double.isFinite(value)) {
        array.add(Math.round(value * 1e4) / 1e4);
      } else {
        array.addNull();
      }
    }
    return array;
  }

  void write(Path target) throws IOException {
    Files.createDirectories(target);
    Files.writeString(target.resolve("benchmark.md"), markdown());
    Files.writeString(target.resolve("benchmark.json"), json());
  }
}
