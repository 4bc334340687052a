package ee.tasker.faults;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks every few milliseconds how long sessions have waited for the lock of a table, and keeps the
 * longest. Waits for rows are the engine's own, and no part of an upgrade.
 */
final class LockWatch implements AutoCloseable {
  private static final Duration BETWEEN = Duration.ofMillis(5);
  private static final String WAITS = """
      select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000, 0)
      from pg_locks l
      where not l.granted and l.locktype = 'relation'""";

  private final Connection connection;
  private final CompletableFuture<Void> looking;
  private volatile long longestMs;
  private volatile boolean over;

  LockWatch(String url) throws SQLException {
    connection = DriverManager.getConnection(url, "tasker", "tasker");
    looking = CompletableFuture.runAsync(this::look);
  }

  private void look() {
    try (Statement statement = connection.createStatement()) {
      while (!over) {
        try (ResultSet row = statement.executeQuery(WAITS)) {
          row.next();
          longestMs = Math.max(longestMs, row.getLong(1));
        }
        LockSupport.parkNanos(BETWEEN.toNanos());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Duration longest() {
    return Duration.ofMillis(longestMs);
  }

  @Override
  public void close() throws SQLException, InterruptedException, ExecutionException {
    over = true;
    looking.get();
    connection.close();
  }
}
