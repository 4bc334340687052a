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
 * tasks of four steps, taken in and worked through the engine's functions in hundreds, as a busy
 * server does.
 *
 * <p>A failure means that a change made steps dearer or cheaper. If that is meant, put the number
 * that the failure tells into {@link #WAL_BYTES}, {@link #INNER_STATEMENTS} and so on, and say in
 * the commit what was bought for it. The bounds are narrow on purpose: cheaper is a failure too, so
 * that the next rise is seen.
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

  /** Pages that the calls' statements looked at, as the server counts them. */
  private static final double PAGES = 73.75;
  private static final Offset<Double> PAGES_TOLERANCE = Offset.offset(1.5);

  /**
   * Processor time of the session, as a multiple of that of {@link #YARDSTICK} for as many rows in
   * as many calls and transactions of the same run; in calls of a hundred, and one at a time. The
   * pages above tell a change exactly; this one sees what is computed without looking at a page.
   * It is wide, and only upwards: for one and the same product, on one and the same machine, the
   * multiple moved between 1.7 and 2.6, and between 3.6 and 6.5, with what else the processor did.
   */
  private static final double CPU_IN_HUNDREDS = 2.2;
  private static final double CPU_ALONE = 5;
  private static final double CPU_TOLERANCE = 2.5;
  /**
   * What the engine's statements are made of, and called like them: jsonb is read, rows are found
   * by key, changed and written, jsonb is built. One query that computes for as long would not do:
   * where other machines share the processor, many short calls get dearer than one long one.
   */
  private static final List<String> YARDSTICK = List.of(
      "create schema yardstick",
      """
          create table yardstick.items (
            id bigint generated always as identity primary key, stage integer not null,
            open boolean not null default true, at timestamptz not null default clock_timestamp(),
            document jsonb not null)""",
      "create index on yardstick.items (stage) where open",
      """
          create function yardstick.advance(p_items jsonb) returns jsonb language plpgsql as $$
          declare
            v_item jsonb;
            v_id   bigint;
            v_next jsonb := '[]';
          begin
            for v_item in select value from jsonb_array_elements(p_items) loop
              update yardstick.items
                 set document = document || jsonb_build_object('result', v_item -> 'result'),
                     open = false
               where id = (v_item ->> 'id')::bigint and open;
              insert into yardstick.items (stage, document)
              values ((v_item ->> 'stage')::integer + 1, v_item)
              returning id into v_id;
              v_next := v_next || jsonb_build_object('id', v_id,
                'stage', (v_item ->> 'stage')::integer + 1,
                'result', jsonb_build_object('of', v_item -> 'id'));
            end loop;
            return v_next;
          end $$""");

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
    double pages = number(
        "select sum(shared_blks_hit + shared_blks_read) from pg_stat_statements where toplevel and query like '%tasker.%' and query not like '%pg_stat%'")
        / steps;
    double inner = number("select sum(calls) from pg_stat_statements where not toplevel") / steps;
    System.out.printf(
        "cost per step: %.0f WAL bytes, %.4f statements, %.4f commits, %.3f statements inside, %.2f updates, %.2f pages%n",
        wal, statements, commits / steps, inner, (updates() - updates) / steps, pages);
    assertThat(value("select string_agg(distinct state::text, ',') from tasker.tasks"))
        .isEqualTo("complete");
    assertThat(wal).as("WAL bytes per step").isCloseTo(WAL_BYTES, WAL_TOLERANCE);
    assertThat(statements).as("statements per step").isEqualTo(STATEMENTS);
    assertThat(commits / steps).as("commits per step").isEqualTo(COMMITS);
    assertThat(inner).as("statements inside the functions per step").isCloseTo(INNER_STATEMENTS,
        INNER_TOLERANCE);
    assertThat(pages).as("pages looked at per step").isCloseTo(PAGES, PAGES_TOLERANCE);
  }

  @Test
  void a_step_costs_no_more_processor_time_than_before_compared_with_the_yardstick()
      throws SQLException, IOException {
    Path usage = Path.of("/proc", value("select pg_backend_pid()::text"), "schedstat");
    Assumptions.assumeTrue(Files.isReadable(usage),
        "the system does not tell the processor time of a session");
    for (String statement : YARDSTICK) {
      run(statement);
    }
    work(BATCH);
    measure(BATCH);
    List<Double> hundreds = new ArrayList<>();
    List<Double> alone = new ArrayList<>();
    for (int round = 0; round < 9; round++) {
      long[] spent = new long[4];
      for (int turn = 0; turn < 3; turn++) {
        spend(usage, spent, 0, 1, BATCH);
        spend(usage, spent, 2, 20, 1);
      }
      hundreds.add((double) spent[0] / spent[1]);
      alone.add((double) spent[2] / spent[3]);
    }
    System.out.printf(
        "processor time, as a multiple of the yardstick's: %.2f in calls of a hundred, %.2f alone%n",
        median(hundreds), median(alone));
    assertThat(median(hundreds)).as("in calls of a hundred, rounds %s", hundreds)
        .isLessThan(CPU_IN_HUNDREDS * CPU_TOLERANCE);
    assertThat(median(alone)).as("alone, rounds %s", alone).isLessThan(CPU_ALONE * CPU_TOLERANCE);
  }

  /** Adds to {@code spent} at {@code at} the nanoseconds of the work, behind it the yardstick's. */
  private static void spend(Path usage, long[] spent, int at, int calls, int tasks)
      throws SQLException, IOException {
    long start = nanos(usage);
    for (int call = 0; call < calls; call++) {
      work(tasks);
    }
    long worked = nanos(usage);
    for (int call = 0; call < calls; call++) {
      measure(tasks);
    }
    spent[at] += worked - start;
    spent[at + 1] += nanos(usage) - worked;
  }

  /** The yardstick in as many calls and transactions as {@link #work} of linear tasks. */
  private static void measure(int items) throws SQLException {
    JsonArrayBuilder first = Json.createArrayBuilder();
    for (int i = 0; i < items; i++) {
      first.add(Json.createObjectBuilder().add("stage", 0));
    }
    String next = first.build().toString();
    for (int stage = 0; stage <= STEPS; stage++) {
      next = value("select yardstick.advance(?::jsonb)::text", next);
      connection.commit();
    }
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
