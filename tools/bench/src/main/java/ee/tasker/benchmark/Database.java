package ee.tasker.benchmark;

import ee.tasker.run.EmbeddedDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/**
 * The benchmark's PostgreSQL, and a superuser's connection to it: {@code pg_stat_statements} keeps
 * its queries apart from
 * the product's, and they are never counted.
 */
final class Database implements AutoCloseable {
  private final EmbeddedDatabase embedded;
  private final Options options;
  private Connection connection;
  /**
   * For the tasks that were created since some time, found by their keys: whatever the statistics
   * say, they are few of all, and a scan of all, in parallel, would
   * be counted as the product's.
   */
  private Connection recent;

  Database(Options options) {
    this.options = options;
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("pg_stat_statements.track", options.track());
    settings.put("pg_stat_statements.max", "10000");
    settings.put("wal_keep_size", "3GB"); // so that what a phase wrote can be read back
    if (options.explain()) {
      settings.put("shared_preload_libraries", "pg_stat_statements,auto_explain");
      settings.put("auto_explain.log_nested_statements", "on");
      settings.put("auto_explain.log_analyze", "on");
      settings.put("auto_explain.log_buffers", "on");
      settings.put("auto_explain.log_triggers", "on");
      settings.put("auto_explain.log_format", "text");
      settings.put("auto_explain.log_parameter_max_length", "0");
    }
    embedded = EmbeddedDatabase.forBenchmarks(options.folder(),
        options.checkout().resolve(".tasker"), options.postgresVersion(), options.databasePort(),
        settings);
  }

  void start() throws SQLException {
    embedded.start();
    connection = connect("tasker");
    recent = connect("tasker");
    try (var statement = recent.createStatement()) {
      statement.execute("set enable_seqscan = off; set max_parallel_workers_per_gather = 0");
    }
    run("create extension if not exists pg_walinspect");
  }

  EmbeddedDatabase embedded() {
    return embedded;
  }

  /** Where databases are named after the slash; for the superuser. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + options.databasePort() + "/";
  }

  Connection connect(String database) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "postgres");
    properties.setProperty("ApplicationName", "benchmark");
    return DriverManager.getConnection(url() + database, properties);
  }

  long postmaster() throws IOException {
    return Long
        .parseLong(Files.readAllLines(embedded.data().resolve("postmaster.pid")).get(0).strip());
  }

  void run(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The one value that a query gives. */
  <T> T value(Class<T> type, String sql, Object... arguments) throws SQLException {
    return value(connection, type, sql, arguments);
  }

  private static <T> T value(Connection connection, Class<T> type, String sql, Object... arguments)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, sql, arguments);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getObject(1, type);
    }
  }

  double number(String sql, Object... arguments) throws SQLException {
    return value(Double.class, "select (" + sql + ")::float8", arguments);
  }

  /** The first column as numbers. */
  double[] numbers(String sql, Object... arguments) throws SQLException {
    List<Double> numbers = new ArrayList<>();
    for (List<String> row : rows(sql, arguments)) {
      numbers.add(Double.valueOf(row.get(0)));
    }
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  List<List<String>> rows(String sql, Object... arguments) throws SQLException {
    List<List<String>> all = new ArrayList<>();
    try (PreparedStatement statement = prepare(connection, sql, arguments);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(rows.getString(i));
        }
        all.add(row);
      }
    }
    return all;
  }

  OffsetDateTime now() throws SQLException {
    return value(OffsetDateTime.class, "select clock_timestamp()");
  }

  /**
   * The smallest key (UUIDv7) that a row created from then on can have; the tables have no index on
   * times.
   */
  static UUID keyFrom(OffsetDateTime time) {
    return new UUID(time.toInstant().toEpochMilli() << 16, 0);
  }

  /** From then to when the last of the tasks created since ended; NaN when there is none. */
  double secondsToLastEnd(OffsetDateTime since) throws SQLException {
    Double seconds = value(recent, Double.class,
        "select extract(epoch from max(completed_at) - ?::timestamptz)::float8 from tasker.tasks where task_uuid >= ?",
        since, keyFrom(since));
    return seconds == null ? Double.NaN : seconds;
  }

  /**
   * Waits until no task that was created since then can move by itself any more. Polls rarely:
   * where dead rows cannot be cleaned up, a poll is expensive.
   */
  void awaitRest(OffsetDateTime since, Duration longest) throws SQLException, InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    try (
        PreparedStatement statement = recent.prepareStatement(
            "select exists (select from tasker.task_wakeups where task_uuid >= ?)")) {
      statement.setObject(1, keyFrom(since));
      while (System.nanoTime() < end) {
        try (ResultSet rows = statement.executeQuery()) {
          rows.next();
          if (!rows.getBoolean(1)) {
            return;
          }
        }
        Thread.sleep(50);
      }
    }
  }

  /** How many tasks created since then are in which state. */
  String states(OffsetDateTime since) throws SQLException {
    return value(recent, String.class,
        """
        select coalesce(string_agg(n || ' ' || state, ', '), 'none')
        from (select state, count(*) as n from tasker.tasks where task_uuid >= ? group by state order by state) s""",
        keyFrom(since));
  }

  /** Steps of these tasks that ran again after their lease expired. */
  long repeatedSteps(OffsetDateTime since) throws SQLException {
    return value(recent, Long.class,
        "select count(*) from tasker.workflow_steps where workflow_step_uuid >= ? and attempts > 1",
        keyFrom(since));
  }

  long steps(OffsetDateTime since) throws SQLException {
    return value(recent, Long.class,
        "select coalesce(sum(total_steps), 0)::bigint from tasker.tasks where task_uuid >= ?",
        keyFrom(since));
  }

  /** Creation to completion in milliseconds, by the database's clock. */
  Samples latencies(OffsetDateTime since) throws SQLException {
    return Samples.of(numbers(
        "select extract(epoch from completed_at - created_at) * 1000 from tasker.tasks where task_uuid >= ? and completed_at is not null",
        keyFrom(since)));
  }

  private static PreparedStatement prepare(Connection connection, String sql, Object... arguments)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < arguments.length; i++) {
      statement.setObject(i + 1, arguments[i]);
    }
    return statement;
  }

  @Override
  public void close() {
    try {
      if (connection != null) {
        connection.close();
      }
      if (recent != null) {
        recent.close();
      }
    } catch (SQLException e) {
      // it ends with its server
    }
    embedded.close();
  }
}
