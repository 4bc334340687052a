package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLWarning;

/**
 * The plans of every statement inside the engine's functions, as auto_explain reports them to the
 * session, in a
 * reproducible form: no costs, no times, no values.
 */
final class PlanBook {
  private static final Pattern PLAN = Pattern
      .compile("plan:\\s*Query Text: (.*?)\n((?:  )?[A-Z][^\n]*\\(cost=.*)", Pattern.DOTALL);
  private static final Pattern FUNCTION = Pattern
      .compile("(?:PL/pgSQL function |SQL function \")(?:tasker\\.)?((?:pgmq\\.)?\\w+)");
  private static final Pattern CALL = Pattern.compile("(?:tasker|pgmq)\\.(\\w+)\\s*\\(");
  /** Counting a queue reads all of it: for manual use only. */
  private static final Set<String> MAY_SCAN = Set.of("pgmq.metrics");
  /**
   * These read an index in its order and stop at a limit: most of its first rows are what they look
   * for.
   */
  private static final Set<String> READ_IN_ORDER = Set.of("find_tasks", "order_queues",
      "take_messages");
  private static final Pattern SCAN = Pattern.compile("Seq Scan on (\\w+)");
  /** A node with its conditions: index, table, the lines up to the next node. */
  private static final Pattern INDEX_SCAN = Pattern
      .compile(
          "Index (?:Only )?Scan (?:Backward )?using (\\w+) on (\\w+)[^\n]*((?:\n(?! *->)[^\n]*)*)");

  /** By function, then by statement in the order in which they were first met. */
  private final Map<String, Map<String, PlansOf>> functions = new TreeMap<>();

  /** What was seen of one statement: by plan, with how many rows per call. */
  private static final class PlansOf {
    private final Map<String, Set<Integer>> byText = new LinkedHashMap<>();
  }

  private final Set<String> bigTables;
  private final Set<String> partialIndexes;

  /**
   * @param bigTables tables that must not be read from end to end, partitions by the name of their
   *   table
   * @param partialIndexes which hold few of their rows, so that all of them may be read
   */
  PlanBook(Set<String> bigTables, Set<String> partialIndexes) {
    this.bigTables = bigTables;
    this.partialIndexes = partialIndexes;
  }

  Set<String> bigTables() {
    return bigTables;
  }

  /** Makes a session report its plans; needs a superuser. */
  static void listen(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String setting : List.of("load 'auto_explain'", "set auto_explain.log_min_duration = 0",
          "set auto_explain.log_nested_statements = on",
          "set auto_explain.log_level = 'notice'",
          "set auto_explain.log_parameter_max_length = 0")) {
        statement.execute(setting);
      }
    }
  }

  /** Records the statements of a call that worked on the given number of rows. */
  void note(Statement statement, int rows) throws SQLException {
    for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning
        .getNextWarning()) {
      if (warning instanceof PSQLWarning told && told.getServerErrorMessage() != null) {
        Matcher plan = PLAN.matcher(told.getServerErrorMessage().getMessage());
        if (plan.find()) {
          String query = plan.group(1).replaceAll("\\s+", " ").strip();
          String text = normal(plan.group(2));
          String function = function(told.getServerErrorMessage().getWhere(), query);
          if (!function.isEmpty() && !text.strip().equals("Result")) {
            functions.computeIfAbsent(function, name -> new LinkedHashMap<>())
                .computeIfAbsent(query, q -> new PlansOf()).byText
                .computeIfAbsent(text, p -> new TreeSet<>()).add(rows);
          }
        }
      }
    }
    statement.clearWarnings();
  }

  private static String function(String where, String query) {
    Matcher function = FUNCTION.matcher(where == null ? "" : where);
    if (function.find()) {
      return function.group(1);
    }
    Matcher call = CALL.matcher(query);
    return call.find() ? call.group(1) : "";
  }

  /** Without what differs from run to run: costs, months, and values that a plan was made for. */
  static String normal(String plan) {
    return plan.replaceAll("  \\(cost=[^)]*\\)", "")
        .replaceAll("_20\\d\\d_\\d\\d(?=\\D)", "_yyyy_mm").replaceAll("'\\{[^']*\\}'", "'{…}'")
        .replaceAll("'[0-9a-f]{8}-[0-9a-f-]{27}'", "'…'").replaceAll("'20\\d\\d-[^']*'", "'…'")
        .stripTrailing();
  }

  Set<String> functions() {
    return functions.keySet();
  }

  /**
   * Scans of all rows of tables with a thousand rows or more, one line each: function, table,
   * statement. Partitions count as their table. Where
   * sequential scans are switched off, the planner reads a whole index and filters its rows
   * instead, which is no better.
   */
  List<String> scansOfBigTables() {
    List<String> found = new ArrayList<>();
    functions.forEach((function, statements) -> statements
        .forEach((query,
            plans) -> (MAY_SCAN.contains(function) ? Set.<String>of() : plans.byText.keySet())
                .forEach(plan -> scansOfBigTables(plan).stream()
                    .filter(scan -> scan.startsWith("Seq") || !READ_IN_ORDER.contains(function))
                    .forEach(scan -> found.add(function + ": " + scan + " in: " + query)))));
    return found;
  }

  /** @return those of one plan, each with its table */
  List<String> scansOfBigTables(String plan) {
    List<String> found = new ArrayList<>();
    Matcher scan = SCAN.matcher(plan);
    while (scan.find()) {
      if (isBig(scan.group(1))) {
        found.add("Seq Scan on " + scan.group(1));
      }
    }
    Matcher index = INDEX_SCAN.matcher(plan);
    while (index.find()) {
      String conditions = index.group(3);
      if (isBig(index.group(2)) && !partialIndexes.contains(index.group(1))
          && !conditions.contains("Index Cond:")
          && conditions.contains("Filter:")) {
        found.add("Index Scan without a condition on " + index.group(2));
      }
    }
    return found;
  }

  private boolean isBig(String table) {
    return bigTables.contains(table.replaceAll("_(yyyy_mm|default)$", ""));
  }

  /** Statements with more than one plan: the number of rows or the values mattered. */
  List<String> changeable() {
    List<String> found = new ArrayList<>();
    functions.forEach((function, statements) -> statements.forEach((query, plans) -> {
      if (plans.byText.keySet().stream().map(PlanBook::shape).distinct().count() > 1) {
        found
            .add(function + ": " + (query.length() > 160 ? query.substring(0, 160) + " …" : query));
      }
    }));
    return found;
  }

  /** The nodes of a plan without their conditions. */
  static String shape(String plan) {
    return plan.lines().filter(line -> line.contains("->") || !line.startsWith(" "))
        .map(String::stripTrailing).reduce("",
            (all, line) -> all + line + "\n");
  }

  /** One file per function; files of removed functions are deleted. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    try (var old = Files.newDirectoryStream(folder, "*.txt")) {
      for (Path file : old) {
        Files.delete(file);
      }
    }
    for (var function : functions.entrySet()) {
      StringBuilder text = new StringBuilder(
          "Plans of the statements in " + function.getKey() + "\n");
      function.getValue()
          .forEach((query, plans) -> plans.byText.forEach((plan, sizes) -> text.append("\n---- at ")
              .append(String.join(" and ", sizes.stream().map(String::valueOf).toList()))
              .append(sizes.equals(Set.of(1)) ? " row\n" : " rows\n")
              .append(query).append("\n\n").append(plan).append('\n')));
      Files.writeString(folder.resolve(function.getKey() + ".txt"), text);
    }
  }
}
