package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.testing.Reports;
import ee.tasker.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Takes the guards of the database out one at a time, each in a database of its own, and runs the
 * tests that are to notice:
 * a guard that no test misses fails the build. Run by {@code ./mvnw verify -Pmutations}, which also
 * leaves the table of who
 * noticed what in target/mutations.md.
 */
class GuardMutations {
  private static final Map<String, String> NOTICED = new TreeMap<>();

  @BeforeAll
  static void all_tests_are_green_while_every_guard_is_there() {
    assumeTrue(chosen().findAny().isPresent(), "none of them was asked for");
    TestDatabase.get();
    List<String> methods = chosen().flatMap(mutation -> mutation.methods().stream()).distinct()
        .toList();
    assertThat(failuresOf(methods)).as("tests that are red although nothing is taken out")
        .isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> each_guard_is_missed_by_a_test() {
    return chosen().map(mutation -> DynamicTest.dynamicTest(mutation.guard(), () -> {
      String database = "without_a_guard";
      TestDatabase.get().reset();
      // Ends the session of the reset: a database in use is no template for another.
      TestDatabase.get().switchTo(null);
      makeDatabase(database, mutation);
      TestDatabase.get().switchTo(database);
      try {
        Map<String, String> failures = failuresOf(mutation.methods());
        NOTICED.put(mutation.guard(), row(mutation, failures));
        assertThat(failures).as("tests that noticed that this is gone: " + mutation.guard())
            .isNotEmpty();
      } finally {
        TestDatabase.get().switchTo(null);
      }
    }));
  }

  private static Stream<Mutation> chosen() {
    String only = System.getProperty("mutations.only", "");
    return Mutations.ALL.stream()
        .filter(mutation -> mutation.guard().matches(".*(" + only + ").*"));
  }

  private static void makeDatabase(String database, Mutation mutation) throws SQLException {
    Map<String, String> mutated = mutation.mutated();
    try (Connection aside = TestDatabase.get().connectAside();
        Statement statement = aside.createStatement()) {
      statement.execute("drop database if exists " + database + " with (force)");
      statement.execute("create database " + database + " template "
          + (mutation.needsNewDatabase() ? "template0" : "postgres"));
    }
    TestDatabase.get().switchTo(database);
    try (Connection connection = TestDatabase.get().connect();
        Statement statement = connection.createStatement()) {
      statement.execute("set check_function_bodies = off");
      if (mutation.needsNewDatabase()) {
        for (Path script : Mutation.scripts()) {
          String name = script.getFileName().toString();
          statement.execute(mutated.containsKey(name) ? mutated.get(name) : Mutation.read(name));
        }
      } else {
        // The copy has the guards of the list as it was.
        statement.execute("select tasker.guard_tables(false)");
        for (String text : mutated.values()) {
          statement.execute(text);
        }
      }
      statement.execute("select tasker.guard_tables(true)");
    } finally {
      TestDatabase.get().switchTo(null);
    }
  }

  /** The message of each red test, by its name. */
  private static Map<String, String> failuresOf(List<String> methods) {
    Map<String, String> failures = new TreeMap<>();
    List<String> run = new ArrayList<>();
    LauncherFactory.create().execute(
        LauncherDiscoveryRequestBuilder.request()
            .selectors(methods.stream().map(DiscoverySelectors::selectMethod).toList()).build(),
        new TestExecutionListener() {
          @Override
          public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest()) {
              run.add(test.getDisplayName());
            }
            result.getThrowable().ifPresent(
                thrown -> failures.put(test.getDisplayName().replace("()", ""), messageOf(thrown)));
          }
        });
    assertThat(run.size() + failures.size()).as("tests that ran").isGreaterThanOrEqualTo(1);
    return failures;
  }

  private static String messageOf(Throwable thrown) {
    StringBuilder all = new StringBuilder(String.valueOf(thrown.getMessage()));
    for (Throwable suppressed : thrown.getSuppressed()) {
      all.append(' ').append(suppressed.getMessage());
    }
    return all.toString();
  }

  private static String row(Mutation mutation, Map<String, String> failures) {
    TreeSet<String> files = new TreeSet<>(mutation.mutated().keySet());
    TreeSet<String> tests = new TreeSet<>();
    failures.forEach((test, message) -> tests
        .add("`" + test + "`" + (message.contains("broken promises") ? " (check_history)" : "")));
    return "| " + mutation.guard() + " | "
        + String.join(", ",
            files.stream().map(file -> "`" + file.replaceAll("^R__|^V\\d+__|\\.sql$", "") + "`")
                .toList())
        + " | " + String.join(", ", tests) + " |";
  }

  @AfterAll
  static void leaveTheTable() {
    List<String> lines = new ArrayList<>(
        List.of("| Guard taken out | In | Noticed by |", "|---|---|---|"));
    Mutations.ALL.forEach(mutation -> lines
        .add(NOTICED.getOrDefault(mutation.guard(), "| " + mutation.guard() + " | | not run |")));
    lines.forEach(System.out::println);
    Reports.write("mutations.md", String.join("\n", lines) + "\n");
  }
}
