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

  private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern NUMBER = Pattern.compile("|-?[0-9.]+");
  private static final Pattern TIME = Pattern
      .compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(\\+00:00|Z)");

  /** A UUID of tasks begins with its time; so many characters are hardly ever those of two. */
  private static final int SHORTEST_ID = 18;
  private static final int NARROW = 12;

  private final PrintStream out;
  private final PrintStream err;
  private final Format format;
  private final Colours colours;
  private final int width;

  /** @param width of a line, beyond which cells are cut; 0 for no limit */
  Output(PrintStream out, PrintStream err, Format format, Colours colours, int width) {
    this.out = out;
    this.err = err;
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
          table(rows instanceof JsonArray array ? array : JsonValue.EMPTY_JSON_ARRAY,
              table.columns());
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
    return format != Format.WIDE && TIME.matcher(text).matches() ? text.substring(0, 19) + "Z"
        : text;
  }

  private void details(JsonValue answer, List<View.Column> lines) {
    List<View.Column> shown = lines.stream().filter(line -> !line.wide() || format == Format.WIDE)
        .filter(line -> Text.at(answer, line.path()) != null
            && Text.at(answer, line.path()) != JsonValue.NULL)
        .toList();
    int widest = shown.stream().mapToInt(line -> line.heading().length()).max().orElse(0);
    for (View.Column line : shown) {
      JsonValue value = Text.at(answer, line.path());
      String label = colours.dim(String.format(Locale.ROOT, "%-" + widest + "s", line.heading()))
          + "  ";
      if (value instanceof JsonObject object && !object.isEmpty()
          || value instanceof JsonArray array
              && array.stream().anyMatch(JsonObject.class::isInstance)) {
        out.println(label.stripTrailing());
        Text.yaml(value).lines().forEach(text -> out.println("  " + Text.printable(text)));
      } else {
        out.println((label + cell(line, value, shown(value))).stripTrailing());
      }
    }
  }

  void table(JsonArray rows, List<View.Column> all) {
    List<View.Column> columns = new ArrayList<>(
        all.stream().filter(column -> !column.wide() || format == Format.WIDE)
            .filter(column -> !column.sparse()
                || rows.stream().anyMatch(row -> !Text.cell(Text.at(row, column.path())).isEmpty()))
            .toList());
    List<List<String>> cells = new ArrayList<>();
    for (View.Column column : columns) {
      cells.add(rows.stream()
          .map(row -> column.path().isEmpty() ? Text.cell(row) : shown(Text.at(row, column.path())))
          .toList());
    }
    boolean[] right = new boolean[columns.size()];
    for (int i = 0; i < right.length; i++) {
      String path = columns.get(i).path();
      right[i] = rows.stream().anyMatch(row -> Text.at(row, path) instanceof JsonNumber);
    }
    int[] widths = fitted(columns, cells);
    int count = columns.size();
    while (count > 1 && total(widths, count) > width && isFitted()) {
      count--;
    }
    List<View.Column> shown = columns.subList(0, count);
    out.println(colours.bold(line(shown,
        shown.stream().map(View.Column::heading).toArray(String[]::new), widths, right, null)));
    for (int i = 0; i < rows.size(); i++) {
      int row = i;
      out.println(line(shown,
          cells.subList(0, count).stream().map(column -> column.get(row)).toArray(String[]::new),
          widths, right, rows.get(i)));
    }
    if (count < columns.size()) {
      out.flush();
      err.println("Left out, because the terminal is narrow: " + String.join(", ",
          columns.subList(count, columns.size()).stream().map(View.Column::heading).toList())
          + "; -o wide shows everything");
    }
  }

  private boolean isFitted() {
    return width > 0 && format != Format.WIDE;
  }

  private static int total(int[] widths, int count) {
    int total = 2 * (count - 1);
    for (int i = 0; i < count; i++) {
      total += widths[i];
    }
    return total;
  }

  /**
   * Widths with which a line fits the terminal, if that can be: texts are cut first, the widest
   * before the others, then identifiers, of
   * which the beginning is as good. Numbers, times and states are shown in full.
   */
  private int[] fitted(List<View.Column> columns, List<List<String>> cells) {
    int[] widths = new int[columns.size()];
    int[] texts = new int[widths.length];
    int[] ids = new int[widths.length];
    for (int i = 0; i < widths.length; i++) {
      int heading = columns.get(i).heading().length();
      widths[i] = cells.get(i).stream().mapToInt(String::length).reduce(heading, Math::max);
      boolean areIds = cells.get(i).stream().anyMatch(cell -> ID.matcher(cell).matches());
      boolean areTexts = !areIds && !isState(columns.get(i)) && cells.get(i).stream()
          .anyMatch(cell -> !NUMBER.matcher(cell).matches() && !TIME.matcher(cell).matches());
      texts[i] = areTexts ? Math.max(heading, Math.min(NARROW, widths[i])) : widths[i];
      ids[i] = areIds ? Math.max(heading, distinct(cells.get(i))) : widths[i];
    }
    if (isFitted()) {
      narrow(widths, texts);
      for (int i = 0; i < widths.length && total(widths, widths.length) > width; i++) {
        widths[i] = Math.min(widths[i], ids[i]);
      }
    }
    return widths;
  }

  private void narrow(int[] widths, int[] least) {
    while (total(widths, widths.length) > width) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        widest = widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) ? i : widest;
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
    }
  }

  /** How much of these identifiers tells them apart. */
  private static int distinct(List<String> ids) {
    int length = SHORTEST_ID;
    long all = ids.stream().distinct().count();
    while (length < 36 && cut(ids, length) < all) {
      length++;
    }
    return length;
  }

  private static long cut(List<String> ids, int length) {
    return ids.stream().map(id -> id.substring(0, Math.min(length, id.length()))).distinct()
        .count();
  }

  private String line(List<View.Column> columns, String[] cells, int[] widths, boolean[] right,
      JsonValue row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String text = ID.matcher(cells[i]).matches()
          ? cells[i].substring(0, Math.min(widths[i], cells[i].length()))
          : Text.shortened(cells[i], widths[i]);
      String padding = " ".repeat(widths[i] - text.length());
      String coloured = row == null ? text
          : cell(columns.get(i), Text.at(row, columns.get(i).path()), text);
      line.append(i == 0 ? "" : "  ").append(right[i] ? padding + coloured : coloured + padding);
    }
    return line.toString().stripTrailing();
  }

  private String cell(View.Column column, JsonValue value, String text) {
    return isState(column) && value != null ? colours.state(Text.cell(value), text) : text;
  }

  private static boolean isState(View.Column column) {
    return column.path().endsWith("state") || column.path().endsWith("health")
        || column.path().endsWith("health_status")
        || column.path().endsWith("status");
  }
}
