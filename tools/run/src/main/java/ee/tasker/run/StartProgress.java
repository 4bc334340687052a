package ee.tasker.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * How far the start of a server has come, seen from outside: what it has logged, the migrations
 * that its database has, and
 * whether that database works for it. Not thread-safe.
 */
final class StartProgress implements AutoCloseable {
  /**
   * A transaction that has run that long is a migration; those of other servers on the database
   * last milliseconds.
   */
  private static final String SEEN = """
      select case when to_regclass('tasker.flyway_schema_history') is null then 0
                  else (xpath('/row/c/text()', query_to_xml(
                    'select count(*) as c from tasker.flyway_schema_history', false, true, '')))[1]::text::bigint end,
             exists (select from pg_stat_activity a
                     where a.datname = current_database() and a.pid <> pg_backend_pid() and a.state = 'active'
                       and a.xact_start < clock_timestamp() - interval '5 seconds' and a.wait_event_type is distinct from 'Lock')""";
  private static final Duration BETWEEN_QUERIES = Duration.ofSeconds(2);

  /** @param migrations -1 while the database cannot be asked */
  record Seen(long logBytes, long migrations, boolean isDatabaseAtWork) {
    boolean isAhead(Seen before) {
      return isDatabaseAtWork || logBytes != before.logBytes || migrations != before.migrations;
    }

    String sentence() {
      var log = "the log has " + logBytes + " bytes";
      return migrations < 0 ? log + ", the database cannot be asked"
          : log + ", the database " + migrations + " migrations"
              + (isDatabaseAtWork ? " and works on one" : "");
    }
  }

  /** Opens a connection to the database of the server. */
  interface Opening {
    Connection open() throws SQLException;
  }

  private final Opening database;
  private Connection connection;
  private long asked;
  private long migrations = -1;
  private boolean isDatabaseAtWork;

  StartProgress(DatabaseAddress database) {
    this(() -> DriverManager.getConnection(database.jdbcUrl(), properties(database)));
  }

  StartProgress(Opening database) {
    this.database = database;
  }

  Seen look(Path log) {
    if (connection == null || System.nanoTime() - asked > BETWEEN_QUERIES.toNanos())
      ask();
    try {
      return new Seen(Files.exists(log) ? Files.size(log) : 0, migrations, isDatabaseAtWork);
    } catch (IOException e) {
      return new Seen(0, migrations, isDatabaseAtWork);
    }
  }

  private void ask() {
    try {
      if (connection == null)
        connection = database.open();
      try (var statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(SEEN)) {
        rows.next();
        migrations = rows.getLong(1);
        isDatabaseAtWork = rows.getBoolean(2);
      }
    } catch (SQLException e) {
      migrations = -1;
      isDatabaseAtWork = false;
      close();
    }
    asked = System.nanoTime();
  }

  private static Properties properties(DatabaseAddress database) {
    var properties = new Properties();
    properties.put("user", database.user());
    properties.put("password", database.password());
    properties.put("connectTimeout", "2");
    properties.put("socketTimeout", "5");
    properties.put("ApplicationName", "tasker-run");
    return properties;
  }

  @Override
  public void close() {
    try {
      if (connection != null)
        connection.close();
    } catch (SQLException e) {
      // it was of no use any more
    }
    connection = null;
  }
}
