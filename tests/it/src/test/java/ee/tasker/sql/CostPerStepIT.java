package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.DatabaseAddress;
import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.FreePort;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a step costs the database, in units that do not depend on the machine's mood: 500 linear
 * tasks of four steps, taken in
 * and worked through the engine's functions in hundreds, as a busy server does.
 *
 * <p>A failure means that a change made steps dearer or cheaper. If that is meant, put the number
 * that the failure tells
 * into {@link #WAL_BYTES}, {@link #INNER_STATEMENTS} and so on, and say in the commit what was
 * bought for it. The bounds
 * are narrow on purpose: cheaper is a failure too, so that the next rise is seen.
 */
class CostPerStepIT {
  /** Measured on PostgreSQL 18; older releases write a little more or less. */
  private static final double WAL_BYTES = 1_672;
  private static final Offset<Double> WAL_TOLERANCE = Offset.offset(60.0);
  /** The calls of submit_tasks and complete_steps themselves: 5 and 20 for 2000 steps. */
  private static final double STATEMENTS = 0.0125;
  private static final double COMMITS = 0.0125;
  /** All statements within the functions, triggers included. */
  private static final double INNER_STATEMENTS = 0.14;
  private static final Offset<Double> INNER_TOLERANCE = Offset.offset(0.02);

  /**
   * Processor time of the session per step, as a multiple of that of one row of {@link #LOOP} in
   * the same run; in calls of a hundred, and one at a time. Dearer
   * by {@link #CPU_TOLERANCE} fails; cheaper does not, since processors and releases differ in what
   * they are good at.
   */
  private static final double CPU_IN_HUNDREDS = 24;
  private static final double CPU_ALONE = 150;
  private static final double CPU_TOLERANCE = 1.5;
  /**
   * What the engine's statements are made of: a function, jsonb built and read, and rows that are
   * joined by key.
   */
  private static final String LOOP = """
      select count(*) from generate_series(1, %1$d) i
      cross join lateral (select jsonb_build_object('step', i, 'name', 'step ' || i, 'result', jsonb_build_object('v', i)) as row) built
      join generate_series(1, %1$d) other on other = (built.row ->> 'step')::int
      where built.row -> 'result' ->> 'v' <> ''""";
  private static final int LOOP_ROWS = 20_000;

  private static final String TEMPLATE = """
      {"namespace_name": "cost", "name": "linear_4", "version": "1.0.0", "content_hash": "-", "identity_strategy": "always_unique",
       "steps": [{"name": "a", "handler": {"callable": "none"}},
                 {"name": "b", "dependencies": ["a"], "handler": {"callable": "none"}},
                 {"name": "c", "dependencies": ["b"], "handler": {"callable": "none"}},
                 {"name": "d", "dependencies": ["c"], "handler": {"callable": "none"}}]}""";
  private static final int TASKS = 500;
  private static final int BATCH = 100;
  private static final int STEPS = 4;
  private static final UUID SERVER = UUID.fromString("00000000-0000-0000-0000-000000000001");

  private static EmbeddedDatabase database;
  private static Connection connection;

  @BeforeAll
  static void start() throws SQLException {
    // No autovacuum: what it writes is not the step's. Page images come after checkpoints and would
    // be another accident.
    database = EmbeddedDatabase.forBenchmarks(Path.of(System.getProperty("tasker.it.folder")),
        Path.of(System.getProperty("tasker.checkout"), ".tasker"),
        System.getProperty("tasker.postgres.version"), FreePort.find(),
        Map.of("fsync", "off", "full_page_writes", "off", "autovacuum", "off",
            "pg_stat_statements.track", "all",
            "pg_stat_statements.track_utility", "on"));
    Runtime.getRuntime().addShutdownHook(new Thread(database::close, "cost-per-step-database"));
    database.start();
    DatabaseAddress address = database.address();
    TestServer.install(address);
    connection = DriverManager.getConnection(
        "jdbc:postgresql://" + address.host() + ":" + address.port() + "/tasker", "postgres", "");
    value("select tasker.register_template(?::jsonb)::text", TEMPLATE);
    connection.setAutoCommit(false);
  }

  @AfterAll
  static void stop() throws SQLException {
    if (connection != null) {
      connection.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @Test
  void a_step_of_a_linear_task_costs_what_it_cost_before() throws SQLException {
    work(BATCH); // plans are made, pages are there
    value("select pg_stat_statements_reset()::text");
    connection.commit();
    String before = value("select pg_current_wal_insert_lsn()::text");
    double updates = updates();

    int commits = 0;
    for (int done = 0; done < TASKS; done += BATCH) {
      commits += work(BATCH);
    }

    double steps = TASKS * STEPS;
    double wal = number("select pg_current_wal_insert_lsn() - '" + before + "'::pg_lsn") / steps;
    double statements = number(
        "select sum(calls) from pg_stat_statements where toplevel and query like '%tasker.%' and query not like '%pg_stat%'")
        / steps;
    double inner = number("select sum(calls) from pg_stat_statements where not toplevel") / steps;
    System.out.printf(
        "cost per step: %.0f WAL bytes, %.4f statements, %.4f commits, %.3f statements inside, %.2f updates%n",
        wal, statements, commits / steps, inner, (updates() - updates) / steps);
    assertThat(value("select string_agg(distinct state::text, ',') from tasker.tasks"))
        .isEqualTo("complete");
    assertThat(wal).as("WAL bytes per step").isCloseTo(WAL_BYTES, WAL_TOLERANCE);
    assertThat(statements).as("statements per step").isEqualTo(STATEMENTS);
    assertThat(commits / steps).as("commits per step").isEqualTo(COMMITS);
    assertThat(inner).as("statements inside the functions per step").isCloseTo(INNER_STATEMENTS,
        INNER_TOLERANCE);
  }

  @Test
  void a_step_costs_no_more_processor_time_than_before_compared_with_a_loop()
      throws SQLException, IOException {
    Path usage = Path.of("/proc", value("select pg_backend_pid()::text"), "schedstat");
    Assumptions.assumeTrue(Files.isReadable(usage),
        "the system does not tell the processor time of a session");
    work(BATCH);
    List<Double> hundreds = new ArrayList<>();
    List<Double> alone = new ArrayList<>();
    for (int round = 0; round < 7; round++) {
      long start = nanos(usage);
      value(LOOP.formatted(LOOP_ROWS));
      long looped = nanos(usage);
      for (int done = 0; done < 3 * BATCH; done += BATCH) {
        work(BATCH);
      }
      long worked = nanos(usage);
      for (int done = 0; done < 60; done++) {
        work(1);
      }
      long workedAlone = nanos(usage);
      double row = (double) (looped - start) / LOOP_ROWS;
      hundreds.add((worked - looped) / (3.0 * BATCH * STEPS) / row);
      alone.add((workedAlone - worked) / (60.0 * STEPS) / row);
    }
    System.out.printf(
        "processor time per step, in rows of the loop: %.0f in calls of a hundred, %.0f alone; rounds %s, %s%n",
        median(hundreds), median(alone), hundreds, alone);
    assertThat(median(hundreds)).as("in calls of a hundred")
        .isLessThan(CPU_IN_HUNDREDS * CPU_TOLERANCE);
    assertThat(median(alone)).as("alone").isLessThan(CPU_ALONE * CPU_TOLERANCE);
  }

  private static long nanos(Path usage) throws IOException {
    return Long.parseLong(Files.readString(usage).split(" ")[0]);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  /** Beside another session, whose open transaction keeps the versions that each call replaces. */
  @Test
  void at_least_nine_of_ten_updates_touch_no_index_at_every_call_size() throws SQLException {
    for (int size : new int[]{1, 16, 100, 400}) {
      for (String table : List.of("tasks", "workflow_steps", "task_wakeups")) {
        run("truncate tasker." + table + " cascade");
      }
      overlapping(size, size * 2);
      long[] before = updatesOf("workflow_steps", "tasks");
      overlapping(size, Math.max(100, size * 4));
      long[] after = updatesOf("workflow_steps", "tasks");

      double steps = (double) (after[1] - before[1]) / (after[0] - before[0]);
      double tasks = (double) (after[3] - before[3]) / (after[2] - before[2]);
      System.out.printf("HOT updates in calls of %d: %.3f of steps, %.3f of tasks%n", size, steps,
          tasks);
      assertThat(steps).as("steps, calls of %d", size).isGreaterThan(0.9);
      assertThat(tasks).as("tasks, calls of %d", size).isGreaterThan(0.9);
    }
  }

  /** Two sessions work tasks off in turns, each with a transaction open while the other calls. */
  private static void overlapping(int size, int tasks) throws SQLException {
    Connection own = connection;
    try (Connection other = DriverManager.getConnection(own.getMetaData().getURL(), "postgres",
        "")) {
      other.setAutoCommit(false);
      Connection[] sessions = {own, other};
      JsonArray[] claimed = {JsonArray.EMPTY_JSON_ARRAY, JsonArray.EMPTY_JSON_ARRAY};
      int left = tasks;
      for (int turn = 0; left > 0 || !claimed[0].isEmpty()
          || !claimed[1].isEmpty(); turn = 1 - turn) {
        connection = sessions[turn];
        connection.commit();
        if (!claimed[turn].isEmpty()) {
          claimed[turn] = complete(claimed[turn], size);
        } else if (left > 0) {
          claimed[turn] = submit(size);
          left -= size;
        }
      }
      for (Connection session : sessions) {
        connection = session;
        updates();
        connection.commit();
      }
    } finally {
      connection = own;
    }
  }

  /** For each table: its updates, and those of them that touched no index. */
  private static long[] updatesOf(String... tables) throws SQLException {
    long[] counts = new long[2 * tables.length];
    for (int i = 0; i < tables.length; i++) {
      String figure = "from pg_stat_user_tables where schemaname = 'tasker' and relname = '"
          + tables[i] + "'";
      counts[2 * i] = (long) number("select n_tup_upd " + figure);
      counts[2 * i + 1] = (long) number("select n_tup_hot_upd " + figure);
    }
    connection.commit();
    return counts;
  }

  private static double updates() throws SQLException {
    connection.commit();
    value("select pg_stat_force_next_flush()::text");
    connection.commit();
    return number("select sum(n_tup_upd) from pg_stat_user_tables where schemaname = 'tasker'");
  }

  /**
   * Takes tasks in and completes what it is given until nothing is. @return the number of commits
   */
  private static int work(int tasks) throws SQLException {
    JsonArray claimedSteps = submit(tasks);
    connection.commit();
    int commits = 1;
    while (!claimedSteps.isEmpty()) {
      claimedSteps = complete(claimedSteps, tasks);
      connection.commit();
      commits++;
    }
    return commits;
  }

  private static JsonArray submit(int tasks) throws SQLException {
    JsonArrayBuilder requests = Json.createArrayBuilder();
    for (int i = 0; i < tasks; i++) {
      requests.add(Json.createObjectBuilder().add("namespace", "cost").add("name", "linear_4")
          .add("version", "1.0.0")
          .add("context", Json.createObjectBuilder().add("number", 6)));
    }
    return claimed("select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 60, true, true)::text",
        requests.build().toString(), SERVER.toString(), tasks);
  }

  private static JsonArray complete(JsonArray claimedSteps, int limit) throws SQLException {
    JsonArrayBuilder results = Json.createArrayBuilder();
    for (JsonObject step : claimedSteps.getValuesAs(JsonObject.class)) {
      results.add(Json.createObjectBuilder().add("step_uuid", step.getString("step_uuid"))
          .add("task_uuid", step.getString("task_uuid"))
          .add("handoff", step.getInt("handoff")).add("outcome", "success")
          .add("result", Json.createObjectBuilder())
          .add("execution_time_ms", 0));
    }
    return claimed(
        "select tasker.complete_steps(?::jsonb, ?::uuid, ?, null, 60, true, false)::text",
        results.build().toString(), SERVER.toString(), limit);
  }

  private static JsonArray claimed(String sql, Object... arguments) throws SQLException {
    try (var reader = Json.createReader(new StringReader(value(sql, arguments)))) {
      return reader.readObject().getJsonArray("claimed_steps");
    }
  }

  private static void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
    connection.commit();
  }

  private static double number(String sql) throws SQLException {
    return Double.parseDouble(value("select (" + sql + ")::text"));
  }

  private static String value(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }
}
