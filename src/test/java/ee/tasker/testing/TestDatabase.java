package ee.tasker.testing;

import ee.tasker.platform.sql.SchemaInstaller;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * One real PostgreSQL per JVM, migrated just as production is. It starts at first use,
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

  /**
   * The tables that a test may have filled; what references one of them is emptied as well. The
   * queues of namespaces stay: without its namespace no claim looks into one, and the next test
   * that uses the namespace finds it.
   */
  private static final List<String> EMPTIED = List.of("task_namespaces", "concurrency_policies",
      "named_tasks", "named_step_edges",
      "namespace_handlers",
      "template_pauses",
      "concurrency_releases", "access_users", "access_keys", "saved_views",
      "operator_actions", "bulk_actions",
      "bulk_action_tasks", "tasks",
      "task_contexts",
      "task_search_attributes", "task_wakeups", "workflow_steps", "workflow_step_documents",
      "task_moves",
      "step_moves",
      "workflow_step_result_audit", "added_step_edges", "decision_outcomes",
      "task_compensations", "batches", "batch_items",
      "batch_live_workers", "step_waits", "approvals", "approval_events", "task_notices",
      "task_outputs", "task_signals", "task_forks",
      "domain_events", "schedules", "schedule_fires", "schedule_backfills", "schedule_declines",
      "servers", "dead_messages",
      "task_state_tallies",
      "step_state_tallies", "task_tallies", "step_tallies", "duration_tallies",
      "metric_totals", "metric_templates",
      "retention_policies", "retention_progress", "purged_tasks",
      "dropped_history",
      "queued_signals", "event_consumers", "webhooks", "webhook_secrets", "webhook_deliveries");

  /**
   * A table that is larger gets a new file, which makes its plans invalid in every session. Up to
   * ten pages the planner takes it for one of ten, as it does when there are none: so the plans
   * that are kept are those for empty tables.
   */
  private static final int LARGE = 10 * 8192;

  private final TestPostgres postgres;
  private volatile DataSource dataSource;
  private volatile String database;
  private volatile int switches;
  private Sql housekeeping;
  private Sql cleaning;
  private volatile String lockTimeout = "10s";

  private TestDatabase() {
    postgres = TestPostgres.start();
    dataSource = postgres.database("postgres", "postgres");
    FLYWAY_LOG.setLevel(Level.WARNING);
    SchemaInstaller.install(dataSource);
    guard(dataSource);
  }

  /**
   * Guards the tables of a database that has just been migrated, as every database of a test is.
   * With {@code -Dtasker.guards=false} the tests run as an installation without guards does.
   */
  public static void guard(DataSource migrated) {
    try (Connection connection = migrated.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "select tasker.guard_tables(" + System.getProperty("tasker.guards", "true") + ")");
    } catch (SQLException e) {
      throw new IllegalStateException("the tables could not be guarded", e);
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
   * Forgets all tasks, templates, messages and what was set at run time. Rows are deleted rather
   * than tables truncated, because a new file makes all plans about its table invalid, and to make
   * these again takes most of the time of a small test; a table that has grown or was analyzed
   * gets its new file. Waits for whoever still works in one of the tables, as truncate does.
   */
  public void reset() {
    Sql sql = cleaning();
    try {
      empty(sql);
      sql.commit();
    } finally {
      sql.rollback();
    }
  }

  private static void empty(Sql sql) {
    // What references an emptied table is emptied too, as cascade does.
    List<Map<String, Object>> filled = sql
        .rows(
            "with recursive emptied as (select ('tasker.' || name)::regclass::oid as relation from unnest(?::text[]) name "
                + "union select r.referring from emptied join (select conrelid as referring, confrelid as referred from pg_constraint where contype = 'f' "
                + "union all select inhrelid, inhparent from pg_inherits) r on r.referred = relation) "
                + "select oid::regclass::text as name, pg_relation_size(oid) > ? or reltuples >= 0 as is_large from pg_class "
                + "where (oid in (select relation from emptied) or relnamespace = 'pgmq'::regnamespace and relkind = 'r' and relname ~ '^[qa]_') "
                + "and pg_relation_size(oid) > 0 order by 1",
            EMPTIED, LARGE);
    if (!filled.isEmpty()) {
      sql.run("lock table " + names(filled, table -> true) + " in access exclusive mode");
    }
    for (Map<String, Object> table : filled) {
      if (table.get("is_large").equals(false)) {
        sql.run("delete from " + table.get("name"));
      }
    }
    String large = names(filled, table -> table.get("is_large").equals(true));
    if (!large.isEmpty()) {
      sql.run("truncate " + large + " cascade");
    }
    // Tallies of the quarter of an hour in which a test rebuilt them are not compared.
    sql.run("update tasker.analytics_progress set rebuilt_at = '-infinity' "
        + "where rebuilt_at > '-infinity'");
    sql.run(
        "update tasker.reconciler_progress set cursor_uuid = null where cursor_uuid is not null");
  }

  private static String names(List<Map<String, Object>> tables,
      Predicate<Map<String, Object>> which) {
    return tables.stream().filter(which).map(table -> table.get("name").toString())
        .collect(Collectors.joining(", "));
  }

  /**
   * The session for what comes before and after each test, whose plans and caches are warm. The
   * caller does not close it.
   */
  synchronized Sql housekeeping() {
    if (housekeeping == null || !housekeeping.isAlive()) {
      housekeeping = Sql.retained(Sql.open());
      // The check has hundreds of statements, and a plan for the arguments of one call is of no use.
      housekeeping.run("set plan_cache_mode = force_generic_plan");
    }
    return housekeeping;
  }

  /** The session that empties tables: one transaction each time, without triggers. */
  private synchronized Sql cleaning() {
    if (cleaning == null || !cleaning.isAlive()) {
      cleaning = Sql.retained(Sql.session());
      cleaning.run("set session_replication_role = replica");
      cleaning.commit();
    }
    return cleaning;
  }

  /** The processes of these two sessions. */
  synchronized Stream<Long> pids() {
    return Stream.of(housekeeping, cleaning).filter(Objects::nonNull).map(Sql::pid);
  }

  /** Ends these sessions, for those who need to be alone in the database. */
  synchronized void endHousekeeping() {
    Stream.of(housekeeping, cleaning).filter(Objects::nonNull).forEach(Sql::end);
    housekeeping = null;
    cleaning = null;
  }
}
