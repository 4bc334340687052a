package ee.tasker.benchmark;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Makes a million tasks from one in minutes: copies every row of the task with other keys and at
 * other times, table by
 * table, for any columns. The engine's own rows are the pattern, so the copies keep its promises as
 * the original does;
 * {@code check_history} confirms it.
 *
 * <p>The copies lie in the past, a millisecond apart, the newest right before the original, and
 * their keys begin with that
 * time, like keys of version 7. Triggers and foreign keys are off meanwhile, which needs a
 * superuser.
 */
public final class Clones {
  /** Each with its rows of one task, and their order. */
  private static final List<String[]> TABLES = List.of(
      new String[]{"tasks", "task_uuid"},
      new String[]{"task_contexts", "task_uuid"},
      new String[]{"task_search_attributes", "task_uuid, name"},
      new String[]{"task_wakeups", "task_uuid"},
      new String[]{"workflow_steps", "workflow_step_uuid"},
      new String[]{"added_step_edges", "task_uuid, from_position, to_position"},
      new String[]{"workflow_step_documents", "workflow_step_uuid"},
      new String[]{"workflow_step_result_audit", "workflow_step_uuid, sort_key"},
      new String[]{"step_waits", "wait_uuid"},
      new String[]{"task_moves", "task_uuid, sort_key"},
      new String[]{"step_moves", "workflow_step_uuid, sort_key"});
  /** Keys of a task's own rows; other keys, of templates and servers, are kept. */
  private static final String OWN_KEYS = "'task_uuid', 'correlation_id', 'workflow_step_uuid', 'wait_uuid'";
  private static final int PORTION = 50_000;

  private Clones() {
  }

  /** Adds {@code count} copies of a task; commits the open transaction of the connection. */
  static void of(Connection connection, UUID task, int count) throws SQLException {
    of(connection, task, count, 0);
  }

  /** Half of the copies on another connection at the same time. */
  public static void inParallel(Connection older, Connection newer, UUID task, int count)
      throws SQLException {
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
      try {
        of(older, task, count, count / 2);
      } catch (SQLException e) {
        throw new CompletionException(e);
      }
    });
    of(newer, task, count / 2, 0);
    other.join();
  }

  /** Those that lie {@code oldest} to {@code youngest + 1} milliseconds before the task. */
  private static void of(Connection connection, UUID task, int oldest, int youngest)
      throws SQLException {
    boolean commits = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("set session_replication_role = replica");
      List<String> inserts = new ArrayList<>();
      for (String[] table : TABLES) {
        if (hasRows(statement, table[0], task)) {
          inserts.add(insert(statement, table[0], table[1], task));
        }
      }
      // The oldest first, so that every index grows at its end.
      for (int from = oldest; from > youngest; from -= PORTION) {
        String numbers = "generate_series(" + -from + ", "
            + -(Math.max(from - PORTION, youngest) + 1) + ") n";
        for (String insert : inserts) {
          statement.execute(insert.formatted(numbers));
        }
        connection.commit();
      }
      statement.execute("set session_replication_role = origin");
      connection.commit();
    } finally {
      connection.setAutoCommit(commits);
    }
  }

  private static boolean hasRows(Statement statement, String table, UUID task) throws SQLException {
    try (var rows = statement.executeQuery(
        "select exists (select from tasker." + table + " where task_uuid = '" + task + "')")) {
      rows.next();
      return rows.getBoolean(1);
    }
  }

  private static String insert(Statement statement, String table, String order, UUID task)
      throws SQLException {
    List<String> columns = new ArrayList<>();
    List<String> values = new ArrayList<>();
    try (var rows = statement.executeQuery("select attname, attname in (" + OWN_KEYS
        + "), atttypid = 'timestamptz'::regtype, attname = 'identity_hash', "
        + "atttypid = 'uuid[]'::regtype from pg_attribute "
        + "where attrelid = 'tasker." + table
        + "'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum")) {
      while (rows.next()) {
        String column = "o." + rows.getString(1);
        columns.add(rows.getString(1));
        values.add(rows.getBoolean(2) ? "(k.prefix || right(" + column + "::text, 23))::uuid"
            : rows.getBoolean(3) ? column + " + k.shift"
                : rows.getBoolean(5)
                    ? "(select array_agg((k.prefix || right(b::text, 23))::uuid) from unnest("
                        + column + ") b)"
                    : rows.getBoolean(4)
                        ? "case when o.identity_hash is not null then sha256(convert_to(k.prefix || o.identity_hash::text, 'UTF8')) end"
                        : column);
      }
    }
    // A left join, so that the copies are made one after another and not row by row of the
    // original.
    // n is negative: -n milliseconds before the original. Its key begins with the time in 8-4
    // hexadecimal digits.
    return "insert into tasker." + table + " (" + String.join(", ", columns) + ") select "
        + String.join(", ", values)
        + " from %s cross join lateral (select regexp_replace(lpad(to_hex(('x' || left(replace('"
        + task
        + "', '-', ''), 12))::bit(48)::bigint + n), 12, '0'), '^(.{8})(.{4})$', '\\1-\\2') as prefix,"
        + " n * interval '1 millisecond' as shift offset 0) k left join (select * from tasker."
        + table + " where task_uuid = '" + task
        + "' order by " + order + ") o on true";
  }
}
