package ee.tasker.cli;

import jakarta.json.JsonArray;
import jakarta.json.JsonNumber;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Prints answers in the form that was asked for. */
final class Output {
  enum Format {
    TABLE, WIDE, JSON, YAML;

    static Format of(String name) {
      for (Format format : values()) {
        if (format.name().equalsIgnoreCase(name)) {
          return format;
        }
      }
      throw new UsageException("Unknown output \"" + name + "\"; one of table, wide, json, yaml");
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(\\+00:00|Z)");

  private final PrintStream out;
  private final Format format;
  private final Colours colours;
  private final int width;

  /** @param width of a line, beyond which cells are cut; 0 for no limit */
  Output(PrintStream out, Format format, Colours colours, int width) {
    this.out = out;
    this.format = format;
    this.colours = colours;
    this.width = width;
  }

  Format format() {
    return format;
  }

  Colours colours() {
    return colours;
  }

  boolean isForPrograms() {
    return format == Format.JSON || format == Format.YAML;
  }

  void print(JsonValue answer, View view) {
    switch (format) {
      case JSON -> out.println(Text.pretty(answer));
      case YAML -> out.println(Text.yaml(answer));
      default -> {
        details(answer, view.lines());
        boolean first = view.lines().isEmpty();
        for (View.Table table : view.tables()) {
          JsonValue rows = table.path().isEmpty() ? answer : Text.at(answer, table.path());
          if (table.title() != null) {
            if (!(rows instanceof JsonArray array) || array.isEmpty()) {
              continue;
            }
            out.println((first ? "" : "\n") + colours.bold(table.title()));
          }
          table(rows instanceof JsonArray array ? array : JsonValue.EMPTY_JSON_ARRAY, table.columns());
          first = false;
        }
      }
    }
    out.flush();
  }

  /** A sentence for people; nothing where a program reads. */
  void say(String sentence) {
    if (!isForPrograms()) {
      out.println(sentence);
    }
  }

  /** Times to the second, unless everything is to be seen. */
  private String shown(JsonValue value) {
    String text = Text.cell(value);
    return format != Format.WIDE && TIME.matcher(text).matches() ? text.substring(0, 19) + "Z" : text;
  }

  private void details(JsonValue answer, List<View.Column> lines) {
    List<View.Column> shown = lines.stream().filter(line -> !line.wide() || format == Format.WIDE)
        .filter(line -> Text.at(answer, line.path()) != null && Text.at(answer, line.path()) != JsonValue.NULL).toList();
    int widest = shown.stream().mapToInt(line -> line.heading().length()).max().orElse(0);
    for (View.Column line : shown) {
      JsonValue value = Text.at(answer, line.path());
      String label = colours.dim(String.format(Locale.ROOT, "%-" + widest + "s", line.heading())) + "  ";
      if (value instanceof JsonObject object && !object.isEmpty()
          || value instanceof JsonArray array && array.stream().anyMatch(JsonObject.class::isInstance)) {
        out.println(label.stripTrailing());
        Text.yaml(value).lines().forEach(text -> out.println("  " + Text.printable(text)));
      } else {
        out.println((label + cell(line, value, shown(value))).stripTrailing());
      }
    }
  }

  void table(JsonArray rows, List<View.Column> all) {
    List<View.Column> columns = all.stream().filter(column -> !column.wide() || format == Format.WIDE).toList();
    List<String[]> cells = new ArrayList<>();
    int[] widths = new int[columns.size()];
    boolean[] right = new boolean[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = columns.get(i).heading().length();
    }
    for (JsonValue row : rows) {
      String[] line = new String[widths.length];
      for (int i = 0; i < widths.length; i++) {
        JsonValue value = Text.at(row, columns.get(i).path());
        line[i] = columns.get(i).path().isEmpty() ? Text.cell(row) : shown(value);
        right[i] |= value instanceof JsonNumber;
        widths[i] = Math.max(widths[i], line[i].length());
      }
      cells.add(line);
    }
    fit(widths);
    out.println(colours.bold(line(columns, columns.stream().map(View.Column::heading).toArray(String[]::new), widths, right, null)));
    for (int i = 0; i < cells.size(); i++) {
      out.println(line(columns, cells.get(i), widths, right, rows.get(i)));
    }
  }

  /** Cuts the widest columns until a line fits; only on a terminal, and never identifiers. */
  private void fit(int[] widths) {
    if (width == 0 || format == Format.WIDE) {
      return;
    }
    int total = 2 * (widths.length - 1);
    for (int each : widths) {
      total += each;
    }
    while (total > width) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] > widths[widest] ? i : widest;
      }
      if (widths[widest] <= 36) {
        return;
      }
      int cut = Math.min(total - width, widths[widest] - 36);
      widths[widest] -= cut;
      total -= cut;
    }
  }

  private String line(List<View.Column> columns, String[] cells, int[] widths, boolean[] right, JsonValue row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String text = Text.shortened(cells[i], widths[i]);
      String padding = " ".repeat(widths[i] - text.length());
      String coloured = row == null ? text : cell(columns.get(i), Text.at(row, columns.get(i).path()), text);
      line.append(i == 0 ? "" : "  ").append(right[i] ? padding + coloured : coloured + padding);
    }
    return line.toString().stripTrailing();
  }

  private String cell(View.Column column, JsonValue value, String text) {
    boolean coloured = column.path().endsWith("state") || column.path().endsWith("health") || column.path().endsWith("health_status")
        || column.path().endsWith("status");
    return coloured && value != null ? colours.state(Text.cell(value), text) : text;
  }
}
