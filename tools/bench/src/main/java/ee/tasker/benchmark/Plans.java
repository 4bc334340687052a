package ee.tasker.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/**
 * How the statements in the engine's functions are planned, written to {@code target/plans}. In a
 * database of its own, without servers.
 */
final class Plans implements Phase {

  @Override
  public String name() {
    return "plans";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws IOException, SQLException {
    bench.servers().close();
    Path folder = bench.options().target().resolve("plans");
    PlanBook book;
    PlanBook defaults;
    try (PlanLab lab = new PlanLab(bench.database().url(), bench.options().planTasks())) {
      book = lab.measure(List.of(1, 100));
      lab.forgetPlannerSettings();
      // Often enough for PostgreSQL to choose between a custom and a generic plan, which it does
      // after five.
      defaults = lab.measure(List.of(1, 1, 1, 1, 1, 1, 1, 100, 100, 100, 100, 100, 100, 100));
    }
    book.write(folder);
    book.scansOfBigTables()
        .forEach(scan -> bench.report().complain("a big table is read from end to end, " + scan));
    Files.writeString(folder.resolve("defaults.txt"), """
        The same calls, seven times each, without the planner settings of the functions: what PostgreSQL's own choice would be.

        Sequential scans of big tables:
        %s
        Statements with more than one plan:
        %s""".formatted(lines(defaults.scansOfBigTables()), lines(defaults.changeable())));
    bench.report().table("Plans", "with the settings of the functions", "value")
        .row("functions with statements", book.functions().size())
        .row("big tables", String.join(", ", book.bigTables()))
        .row("sequential scans of big tables", book.scansOfBigTables().size())
        .row("statements with more than one plan", book.changeable().size())
        .row("under the defaults: sequential scans of big tables",
            defaults.scansOfBigTables().size())
        .row("under the defaults: statements with more than one plan",
            defaults.changeable().size());
  }

  private static String lines(Iterable<String> items) {
    StringBuilder text = new StringBuilder();
    items.forEach(item -> text.append("- ").append(item).append('\n'));
    return text.isEmpty() ? "none\n" : text.toString();
  }
}
