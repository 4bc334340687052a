package ee.tasker.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Which functions of schema {@code tasker} each test class calls, as PostgreSQL counts them ({@code
 * track_functions = all}). A function that the planner expands into the
 * statement that calls it is not counted.
 *
 * <p>A session publishes its counts at the latest when it ends, so this waits until the sessions of
 * the class have ended; those that are kept for other tests have published them. The counts of a
 * database disappear with it:
 * {@link TestDatabase#switchTo} has them recorded first.
 */
final class FunctionCalls {
  private static final Duration SESSIONS_END = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(1);
  /** By database: the counts that have been recorded. */
  private static final Map<String, Map<String, Long>> RECORDED = new HashMap<>();

  private static String testClass;

  private FunctionCalls() {}

  /**
   * What was called before belongs to no class that can be named: fields of static classes, or
   * tests that are no {@link DatabaseTest}.
   */
  static synchronized void begin(Class<?> test) {
    testClass = null;
    record();
    testClass = test.getName();
  }

  static synchronized void end() {
    record();
    testClass = null;
  }

  /** Records what was called in the database that the tests use now. */
  static synchronized void record() {
    TestDatabase.get().housekeeping().publishCounts();
    try (Connection connection = TestDatabase.get().connect();
        Statement statement = connection.createStatement()) {
      waitForOtherSessions(connection);
      Map<String, Long> counted = new HashMap<>();
      try (var rows = statement
          .executeQuery(
              "select funcname, sum(calls) from pg_stat_user_functions where schemaname = 'tasker' group by 1")) {
        while (rows.next()) {
          counted.put(rows.getString(1), rows.getLong(2));
        }
      }
      Map<String, Long> before = RECORDED.put(connection.getCatalog(), counted);
      if (testClass != null) {
        RunRecord.CALLS.add(counted.entrySet().stream()
            .filter(function -> before == null
                || function.getValue() > before.getOrDefault(function.getKey(), 0L))
            .map(function -> testClass + " " + function.getKey()).toList());
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the calls of functions could not be read", e);
    }
  }

  private static void waitForOtherSessions(Connection connection) throws SQLException {
    long deadline = System.nanoTime() + SESSIONS_END.toNanos();
    try (PreparedStatement others = connection
        .prepareStatement("select count(*) from pg_stat_activity "
            + "where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and pid <> all (?)")) {
      others.setArray(1, connection.createArrayOf("bigint", Sql.kept()));
      while (System.nanoTime() < deadline) {
        try (var rows = others.executeQuery()) {
          rows.next();
          if (rows.getLong(1) == 0) {
            return;
          }
        }
        // What ends needs the processor.
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }
}
