package ee.tasker.benchmark;

import java.sql.SQLException;
import java.util.List;

/**
 * The database's counters at a moment. Statements count from the last reset of {@code
 * pg_stat_statements}.
 */
record Counters(String walPosition, double commits, double walBytes, double fsyncs) {
  /** Only what the product's own role sent; the benchmark itself is the superuser. */
  private static final String OURS = " from pg_stat_statements where userid = 'tasker'::regrole and toplevel";

  static Counters of(Database database) throws SQLException {
    double version = database.number("current_setting('server_version_num')::int");
    String fsyncs = version >= 180_000
        ? "(select coalesce(sum(fsyncs), 0) from pg_stat_io where object = 'wal')"
        : "(select wal_sync from pg_stat_wal)";
    List<String> row = database
        .rows(
            "select pg_current_wal_insert_lsn(), (select xact_commit from pg_stat_database where datname = 'tasker'), "
                + "pg_current_wal_insert_lsn() - '0/0', " + fsyncs)
        .get(0);
    return new Counters(row.get(0), Double.parseDouble(row.get(1)), Double.parseDouble(row.get(2)),
        Double.parseDouble(row.get(3)));
  }

  /**
   * Commits that wrote something, of all databases, since a position of the log; NaN when it is
   * gone.
   */
  static double writeCommitsSince(Database database, String walPosition) {
    try {
      return database.number("""
          select coalesce(sum(count), 0) from pg_get_wal_stats(?::pg_lsn, pg_current_wal_flush_lsn(), true)
          where "resource_manager/record_type" like 'Transaction/COMMIT%'""", walPosition);
    } catch (SQLException e) {
      return Double.NaN;
    }
  }

  static void resetStatements(Database database) throws SQLException {
    database.run("select pg_stat_statements_reset()");
  }

  static double statements(Database database) throws SQLException {
    return database.number(
        "select coalesce(sum(calls), 0)" + OURS + " and query !~* '^(begin|commit|rollback)'");
  }

  /** Including read-only ones. A COMMIT is counted without its user, a BEGIN is not. */
  static double transactions(Database database) throws SQLException {
    return database.number("select coalesce(sum(calls), 0)" + OURS + " and query ~* '^begin'");
  }

  /**
   * What is in the log between two positions; NaN when it is gone.
   *
   * @param writeCommits commits that wrote something
   * @param recordBytes of all records, without page images
   */
  record Log(double records, double pageImageBytes, double recordBytes, double writeCommits) {}

  Log logSince(Database database, Counters before) {
    try {
      List<String> row = database.rows("""
          select coalesce(sum(count), 0), coalesce(sum(fpi_size), 0), coalesce(sum(record_size), 0),
                 coalesce(sum(count) filter (where "resource_manager/record_type" like 'Transaction/COMMIT%'), 0)
          from pg_get_wal_stats(?::pg_lsn, ?::pg_lsn, true)""", before.walPosition, walPosition)
          .get(0);
      return new Log(Double.parseDouble(row.get(0)), Double.parseDouble(row.get(1)),
          Double.parseDouble(row.get(2)), Double.parseDouble(row.get(3)));
    } catch (SQLException e) {
      return new Log(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
  }

  /** The log's contents by kind of record. */
  static List<List<String>> walKinds(Database database, Counters before, Counters after) {
    try {
      return database
          .rows(
              "select \"resource_manager/record_type\", count, combined_size, fpi_size from pg_get_wal_stats(?::pg_lsn, ?::pg_lsn, true) "
                  + "order by combined_size desc limit 12",
              before.walPosition, after.walPosition);
    } catch (SQLException e) {
      return List.of();
    }
  }

  static List<List<String>> topStatements(Database database) throws SQLException {
    return database.rows("""
        select toplevel, calls, round(total_exec_time::numeric, 1), round(mean_exec_time::numeric, 3), rows, wal_bytes,
               left(regexp_replace(query, '\\s+', ' ', 'g'), 110)
        from pg_stat_statements where userid = 'tasker'::regrole
        order by total_exec_time desc limit\s"""
        + (database.number("(current_setting('pg_stat_statements.track') = 'all')::int") > 0 ? 40
            : 12));
  }
}
