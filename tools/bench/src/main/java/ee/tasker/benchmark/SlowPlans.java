package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * With {@code benchmark.explain}: one more throughput round, slow and not measured, whose plans are
 * written to {@code plans.txt}.
 */
final class SlowPlans implements Phase {
  private static final Pattern START = Pattern
      .compile(
          "^(\\d{4}-\\d\\d-\\d\\d .*?)(?:LOG|DETAIL|CONTEXT|STATEMENT|ERROR|HINT|WARNING):  (.*)$");
  private static final Pattern DURATION = Pattern.compile("duration: ([0-9.]+) ms  plan:");

  private record Plan(double ms, String text) {
  }

  @Override
  public String name() {
    return "explain";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException, InterruptedException {
    if (!bench.options().explain()) {
      return;
    }
    int tasks = bench.options().tasks().get(0);
    Path log = bench.database().embedded().log();
    long before = Files.size(log);
    logPlans(bench, "0");
    bench.untilComplete("explain", tasks,
        () -> bench.load().batches("linear_4", tasks, bench.options().batch(),
            bench.options().batchConnections()));
    bench.load().oneAtATime("linear_4", 20);
    logPlans(bench, "-1");
    Path plans = bench.options().target().resolve("plans.txt");
    Files.writeString(plans, summary(Files.readString(log).substring((int) before)));
    System.out.println("   plans are in " + plans);
  }

  private static void logPlans(Bench bench, String threshold)
      throws SQLException, InterruptedException {
    bench.database().run("alter system set auto_explain.log_min_duration = " + threshold);
    bench.database().run("select pg_reload_conf()");
    Thread.sleep(500);
  }

  /** Each statement once, the most expensive first, with its slowest and its fastest plan. */
  private static String summary(String log) {
    Map<String, List<Plan>> byStatement = new LinkedHashMap<>();
    for (String entry : entries(log)) {
      Matcher duration = DURATION.matcher(entry);
      if (duration.find()) {
        String body = entry.substring(duration.end()).strip();
        int plan = body.indexOf("  (cost=");
        String statement = plan < 0 ? body : body.substring(0,
            body.lastIndexOf('\n', plan) < 0 ? plan : body.lastIndexOf('\n', plan));
        byStatement.computeIfAbsent(statement.replaceAll("\\s+", " "), s -> new ArrayList<>())
            .add(new Plan(Double.parseDouble(duration.group(1)), body));
      }
    }
    StringBuilder text = new StringBuilder();
    byStatement.entrySet().stream()
        .sorted(Comparator.comparingDouble(e -> -e.getValue().stream().mapToDouble(Plan::ms).sum()))
        .forEach(e -> {
          List<Plan> plans = e.getValue();
          plans.sort(Comparator.comparingDouble(Plan::ms));
          text.append("=".repeat(100)).append('\n').append(plans.size()).append(" calls, ")
              .append(Report.format(plans.stream().mapToDouble(Plan::ms).sum()))
              .append(" ms together. The slowest, ")
              .append(plans.get(plans.size() - 1).ms()).append(" ms:\n\n")
              .append(plans.get(plans.size() - 1).text())
              .append("\n\nThe fastest, ").append(plans.get(0).ms()).append(" ms:\n\n")
              .append(plans.get(0).text()).append("\n\n");
        });
    return text.toString();
  }

  private static List<String> entries(String log) {
    List<String> entries = new ArrayList<>();
    StringBuilder entry = new StringBuilder();
    for (String line : log.split("\n")) {
      Matcher start = START.matcher(line);
      if (start.matches()) {
        entries.add(entry.toString());
        entry.setLength(0);
        entry.append(start.group(2));
      } else {
        entry.append('\n').append(line);
      }
    }
    entries.add(entry.toString());
    return entries;
  }
}
