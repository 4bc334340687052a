package ee.tasker.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * One real PostgreSQL per JVM, migrated by Flyway just as production is. It starts at first use,
 * trades durability for
 * speed, and stops with the JVM. Which release it is, the build decides (property {@code
 * postgres.version}).
 * A session lives in a zone that is not UTC and changes its offset, so that a time that lost its
 * zone on the way shows.
 */
public final class TestDatabase {
  /** 12:45 or 13:45 hours ahead: no code gets the right time there by accident. */
  public static final String SESSION_ZONE = "Pacific/Chatham";

  /**
   * Kept, or its level would be forgotten with it. One line for each of a hundred migrations hides
   * what a test says.
   */
  private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

  private static final Once<TestDatabase> INSTANCE = new Once<>(TestDatabase::new);

  /** The tables that a test may have filled: all but templates and what belongs to them. */
  private static final List<String> EMPTIED = List.of("access_users", "access_keys", "saved_views",
      "operator_actions", "bulk_actions",
      "bulk_action_tasks", "tasks",
      "task_contexts",
      "task_search_attributes", "task_wakeups", "workflow_steps", "workflow_step_documents",
      "task_transitions",
      "workflow_step_transitions",
      "workflow_step_result_audit", "workflow_step_edges", "decision_outcomes",
      "task_compensations", "batches", "batch_items",
      "batch_live_workers", "step_waits", "approvals", "approval_events", "task_notices",
      "task_outputs", "task_signals", "task_forks",
      "domain_events", "schedules", "schedule_fires", "schedule_backfills", "schedule_declines",
      "servers", "dead_messages",
      "task_state_tallies",
      "step_state_tallies", "task_tallies", "step_tallies", "duration_tallies",
      "retention_policies", "retention_progress", "purged_tasks",
      "dropped_history",
      "queued_signals", "event_consumers", "webhooks", "webhook_secrets", "webhook_deliveries");

  private final TestPostgres postgres;
  private volatile DataSource dataSource;
  private volatile String database;
  private volatile int switches;
  private Sql housekeeping;
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
      throw new IllegalStateException(
          "only " + migrations + " migrations ran, so the files of the database were not found");
    }
  }

  /**
   * The database of this JVM; the first call takes some seconds. When it fails, so do all others,
   * at once.
   */
  public static TestDatabase get() {
    return INSTANCE.get();
  }

  /**
   * From now on the tests work on another database of the same server: one with a guard taken out.
   * They time out sooner
   * there, since a missing guard may leave them waiting. Null: back to the one that was migrated at
   * the start.
   */
  public void switchTo(String database) {
    FunctionCalls.record();
    endHousekeeping();
    Sql.endIdle();
    switches++;
    this.database = database;
    dataSource = postgres.database("postgres", database == null ? "postgres" : database);
    lockTimeout = database == null ? "10s" : "2s";
  }

  /**
   * How often the tests have been switched to another database: sessions of an earlier one are of
   * no more use.
   */
  int switches() {
    return switches;
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

  /** A session as the tests want it, whatever it was before. */
  Connection prepared(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "reset session authorization; reset all; unlisten *; discard temp; select pg_advisory_unlock_all(), pg_stat_force_next_flush()");
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

  /**
   * Forgets all tasks, messages, limits set at run time and templates of more than 500 steps, which
   * every later proof would read, and keeps the others. Only tables with pages are truncated: each
   * costs a new file for itself and each of its indexes.
   */
  public void reset() {
    Sql sql = housekeeping();
    // What references an emptied table is emptied too, as cascade does.
    List<String> filled = sql
        .texts(
            "with recursive emptied as (select ('tasker.' || name)::regclass::oid as relation from unnest(?::text[]) name "
                + "union select r.referring from emptied join (select conrelid as referring, confrelid as referred from pg_constraint where contype = 'f' "
                + "union all select inhrelid, inhparent from pg_inherits) r on r.referred = relation) "
                + "select relation::regclass::text from (select relation from emptied "
                + "union select oid from pg_class where relnamespace = 'pgmq'::regnamespace and relkind = 'r' and relname ~ '^[qa]_') tables "
                + "where pg_relation_size(relation) > 0 order by 1",
            EMPTIED);
    if (!filled.isEmpty()) {
      sql.run("truncate " + String.join(", ", filled) + " cascade");
    }
    sql.run(
        "with large as materialized (select named_task_uuid from tasker.named_tasks where total_steps > 500), "
            + "of_templates as (delete from tasker.named_tasks_named_steps n using large l where n.named_task_uuid = l.named_task_uuid), "
            + "of_names as (delete from tasker.named_steps n using large l where n.named_task_uuid = l.named_task_uuid) "
            + "delete from tasker.named_tasks t using large l where t.named_task_uuid = l.named_task_uuid");
    sql.run("delete from tasker.concurrency_releases");
    sql.run("delete from tasker.template_pauses");
    sql.run(
        "update tasker.task_namespaces set paused_at = null, paused_by = null, pause_claimed_actor = null, pause_reason = null "
            + "where paused_at is not null");
    sql.run("update tasker.reconciler_progress set cursor_uuid = null");
    sql.run("update tasker.concurrency_policies set set_limit = null where set_limit is not null");
  }

  /**
   * The session for what comes before and after each test, whose plans and caches are warm. The
   * caller does not close it.
   */
  synchronized Sql housekeeping() {
    if (housekeeping == null || !housekeeping.isAlive()) {
      housekeeping = Sql.retained();
    }
    return housekeeping;
  }

  /** Ends that session, for those who need to be alone in the database. */
  synchronized void endHousekeeping() {
    if (housekeeping != null) {
      housekeeping.close();
      housekeeping = null;
    }
  }
}
