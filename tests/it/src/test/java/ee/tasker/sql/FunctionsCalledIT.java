package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.RunRecord;
import ee.tasker.testing.Sql;
import ee.tasker.testing.WholeRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Comes after all tests of the database, with the integration tests: what PostgreSQL counted while
 * they ran says which functions they called.
 */
@DatabaseTest
class FunctionsCalledIT {
  /** Functions that tests see raise an error: PostgreSQL counts a call when it returns. */
  private static final Set<String> REFUSING = Set.of("refuse_history_change");

  private final Sql sql = Sql.open();
  private final List<String> functions = sql
      .texts("select p.proname from pg_proc p where p.pronamespace = 'tasker'::regnamespace");

  /**
   * Functions that the planner may put into the statement that calls them, and then there is no
   * call to count: one statement in SQL, with no settings of its own. Such a
   * function counts as called when the source of the test calls it, or that of a function that was
   * called.
   */
  private Set<String> expandable() {
    return new TreeSet<>(
        sql.texts("select p.proname from pg_proc p join pg_language l on l.oid = p.prolang "
            + "where p.pronamespace = 'tasker'::regnamespace and l.lanname = 'sql' and p.proconfig is null and not p.prosecdef"));
  }

  @Test
  void every_function_was_called_by_a_test() {
    assumeThatCallsWereCounted();
    Set<String> missing = new TreeSet<>(functions);
    missing.removeAll(expandable());

    missing.removeAll(RunRecord.CALLS.read().stream().map(call -> call.split(" ")[1])
        .collect(Collectors.toSet()));

    assertThat(functions).hasSizeGreaterThan(200);
    assertThat(missing).as("functions that no test called").isEmpty();
  }

  @Test
  void every_class_calls_the_functions_that_it_covers() {
    assumeThatCallsWereCounted();
    Map<String, Set<String>> counted = RunRecord.CALLS.read().stream().map(call -> call.split(" "))
        .collect(Collectors.groupingBy(call -> call[0],
            Collectors.mapping(call -> call[1], Collectors.toSet())));
    Set<String> expandable = expandable();
    Map<String, String> sources = sources();
    Map<String, Set<String>> covered = CoveredFunctions.byClass(functions);

    Set<String> missing = new TreeSet<>();
    covered.forEach((test, its) -> {
      Set<String> called = withExpanded(expandable, sources, testSource(test),
          counted.getOrDefault(test, Set.of()));
      its.stream().filter(function -> !called.contains(function) && !REFUSING.contains(function))
          .forEach(function -> missing.add(test + " " + function));
    });

    assertThat(covered).hasSizeGreaterThan(40);
    assertThat(missing).as("functions that a class covers and does not call").isEmpty();
  }

  private void assumeThatCallsWereCounted() {
    WholeRun.assumeThatAllTestsOfTheDatabaseRan();
    assumeTrue("all".equals(sql.text("show track_functions")), "the database counts calls");
  }

  private Map<String, String> sources() {
    return sql.rows(
        "select p.proname, p.prosrc from pg_proc p where p.pronamespace = 'tasker'::regnamespace")
        .stream()
        .collect(Collectors.toMap(row -> row.get("proname").toString(),
            row -> row.get("prosrc").toString()));
  }

  private static Set<String> withExpanded(Set<String> expandable, Map<String, String> sources,
      String test, Set<String> counted) {
    Set<String> called = new TreeSet<>(counted);
    Deque<String> texts = new ArrayDeque<>(List.of(test));
    counted.forEach(function -> texts.add(sources.get(function)));
    while (!texts.isEmpty()) {
      String text = texts.poll();
      expandable.stream().filter(function -> text.contains("tasker." + function + "("))
          .filter(called::add)
          .forEach(function -> texts.add(sources.get(function)));
    }
    return called;
  }

  private static String testSource(String test) {
    try {
      return Files.readString(Path.of(System.getProperty("tasker.checkout", "."), "src", "test",
          "java", test.replace('.', '/') + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
