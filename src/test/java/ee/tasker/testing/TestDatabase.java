package ee.tasker.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * One real PostgreSQL per JVM, migrated by Flyway just as production is. It starts at first use, trades durability for
 * speed, and stops with the JVM. Which release it is, the build decides (property {@code postgres.version}).
 * A session lives in a zone that is not UTC and changes its offset, so that a time that lost its zone on the way shows.
 */
public final class TestDatabase {
  /** 12:45 or 13:45 hours ahead: no code gets the right time there by accident. */
  public static final String SESSION_ZONE = "Pacific/Chatham";

  /** Kept, or its level would be forgotten with it. One line for each of a hundred migrations hides what a test says. */
  private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

  private static final Once<TestDatabase> INSTANCE = new Once<>(TestDatabase::new);

  private final TestPostgres postgres;
  private final String truncation;
  private volatile DataSource dataSource;
  private volatile String database;
  private volatile String lockTimeout = "10s";

  private TestDatabase() {
    postgres = TestPostgres.start();
    dataSource = postgres.database("postgres", "postgres");
    FLYWAY_LOG.setLevel(Level.WARNING);
    int migrations = Flyway.configure()
        .dataSource(dataSource)
        .schemas("tasker")
        .locations("classpath:db/migration", "classpath:db/routine")
        .failOnMissingLocations(true)
        .validateMigrationNaming(true)
        .load()
        .migrate().migrationsExecuted;
    if (migrations < 50) {
      throw new IllegalStateException("only " + migrations + " migrations ran, so the files of the database were not found");
    }
    truncation = "truncate tasker.saved_views, tasker.operator_actions, tasker.bulk_actions, tasker.tasks, tasker.task_contexts, tasker.task_search_attributes, tasker.task_wakeups, tasker.workflow_steps, tasker.task_transitions, "
        + "tasker.workflow_step_transitions, tasker.workflow_step_result_audit, tasker.workflow_step_edges, tasker.decision_outcomes, tasker.task_compensations, tasker.batches, tasker.batch_items, tasker.batch_idle_workers, tasker.step_waits, tasker.approvals, tasker.approval_events, tasker.task_notices, tasker.task_outputs, tasker.task_signals, tasker.task_forks, tasker.domain_events, tasker.schedules, tasker.schedule_fires, tasker.schedule_backfills, tasker.servers, tasker.dead_messages, "
        + "tasker.task_state_tallies, tasker.step_state_tallies, tasker.task_tallies, tasker.step_tallies, tasker.duration_tallies, "
        + "tasker.retention_policies, tasker.retention_progress, tasker.purged_tasks, tasker.dropped_history cascade";
  }

  /** The database of this JVM; the first call takes some seconds. When it fails, so do all others, at once. */
  public static TestDatabase get() {
    return INSTANCE.get();
  }

  /**
   * From now on the tests work on another database of the same server: one with a guard taken out. They time out sooner
   * there, since a missing guard may leave them waiting. Null: back to the one that was migrated at the start.
   */
  public void switchTo(String database) {
    FunctionCalls.record();
    this.database = database;
    dataSource = postgres.database("postgres", database == null ? "postgres" : database);
    lockTimeout = database == null ? "10s" : "2s";
  }

  /** Whether the tests work on a database with a guard taken out. */
  public boolean isDamaged() {
    return database != null;
  }

  /** For the making of other databases: a connection to none that the tests use. */
  public Connection connectAside() throws SQLException {
    return postgres.database("postgres", "template1").getConnection();
  }

  /** The database of that name, as a user who can log in there without a password. */
  public DataSource database(String name, String user) {
    return postgres.database(user, name);
  }

  /** A new connection, in the session zone of the tests, which the caller closes. */
  public Connection connect() throws SQLException {
    return prepared(dataSource.getConnection());
  }

  /** The same, as another login. */
  public Connection connectAs(String user) throws SQLException {
    return prepared(database(database == null ? "postgres" : database, user).getConnection());
  }

  private Connection prepared(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("set time zone '" + SESSION_ZONE + "'");
      // A test that waits for a lock for longer than this waits for itself.
      statement.execute("set lock_timeout = '" + lockTimeout + "'");
    }
    return connection;
  }

  /** For code under test that opens its connections itself; these are in the JVM's zone. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Forgets all tasks, messages and limits set at run time, and keeps templates. */
  public void reset() {
    try (Connection connection = connect(); Statement statement = connection.createStatement()) {
      statement.execute(truncation);
      statement.execute("delete from tasker.concurrency_releases");
      statement.execute("delete from tasker.template_pauses");
      statement
          .execute("update tasker.task_namespaces set paused_at = null, paused_by = null, pause_claimed_actor = null, pause_reason = null "
              + "where paused_at is not null");
      statement.execute("update tasker.reconciler_progress set cursor_uuid = null");
      statement.execute("update tasker.concurrency_policies set set_limit = null where set_limit is not null");
      List<String> queues = new ArrayList<>();
      try (var rows = statement.executeQuery(
          "select quote_ident(tablename) from pg_tables where schemaname = 'pgmq' and tablename ~ '^[qa]_'")) {
        while (rows.next()) {
          queues.add("pgmq." + rows.getString(1));
        }
      }
      StringBuilder filled = new StringBuilder();
      for (String queue : queues) {
        try (var rows = statement.executeQuery("select exists (select from " + queue + ")")) {
          rows.next();
          if (rows.getBoolean(1)) {
            filled.append(filled.isEmpty() ? "" : ", ").append(queue);
          }
        }
      }
      if (!filled.isEmpty()) {
        statement.execute("truncate " + filled);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the database could not be reset", e);
    }
  }
}
