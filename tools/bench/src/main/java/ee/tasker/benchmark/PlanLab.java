package ee.tasker.benchmark;

import jakarta.json.JsonArray;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A database of its own with finished, waiting and offered tasks, on which the engine's functions
 * are called and their plans noted.
 */
final class PlanLab implements AutoCloseable {
  private static final int OFFERED = 1_000;

  private final Scratch scratch;
  private final SqlEngine engine;
  private final Set<String> bigTables = new TreeSet<>();
  private final Set<String> partialIndexes = new TreeSet<>();

  /**
   * @param base as of {@link Scratch}
   * @param tasks how many finished ones; each has about 40 rows
   */
  PlanLab(String base, int tasks) throws SQLException {
    scratch = new Scratch(base, "plans");
    Connection connection = scratch.connection();
    engine = new SqlEngine(connection);
    engine.register(GrowingCost.chain(4));
    engine.runTasks("chain_4", 200, 100);
    Clones.of(connection, grownTask(engine), tasks);
    engine.submit("chain_4", OFFERED, 0, "{\"number\":6}");
    engine.value("vacuum (analyze)");
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery(
            "select regexp_replace(relname, '_(20\\d\\d_\\d\\d|default)$', '') from pg_class "
                + "where relnamespace in ('tasker'::regnamespace, 'pgmq'::regnamespace) and relkind = 'r' and reltuples >= "
                + OFFERED)) {
      while (rows.next()) {
        bigTables.add(rows.getString(1));
      }
    }
    try (Statement statement = connection.createStatement();
        var rows = statement.executeQuery(
            "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid "
                + "where c.relnamespace in ('tasker'::regnamespace, 'pgmq'::regnamespace) and i.indpred is not null")) {
      while (rows.next()) {
        partialIndexes.add(rows.getString(1));
      }
    }
  }

  /** A finished task with a step that was added, so that it has an edge of its own. */
  private static UUID grownTask(SqlEngine engine) throws SQLException {
    JsonArray next = engine.submit("chain_4", 1, 1, "{\"number\":6}");
    String task = next.getJsonObject(0).getString("task_uuid");
    engine.value("select tasker.add_steps(?::uuid, ?::jsonb, ?::jsonb)::text", task,
        "[{\"name\": \"added\", \"step\": \"s4\"}]",
        "[{\"from\": \"s4\", \"to\": \"added\"}]");
    while (!next.isEmpty()) {
      next = engine.complete(next, 1, true);
    }
    return UUID.fromString(task);
  }

  /** The plans of the current data, after each of these numbers of rows per call. */
  PlanBook measure(List<Integer> rowsPerCall) throws SQLException {
    PlanBook book = new PlanBook(bigTables, partialIndexes);
    // In a session of its own: a plan that was made before is not made again.
    try (Connection connection = scratch.connect()) {
      EngineScenario scenario = new EngineScenario(connection, book);
      for (int rows : rowsPerCall) {
        scenario.run(rows);
      }
    }
    return book;
  }

  /** Removes the planner settings from the functions that have some. */
  void forgetPlannerSettings() throws SQLException {
    change(
        "do $$ declare f regprocedure; begin for f in select p.oid::regprocedure from pg_proc p where p.pronamespace = 'tasker'::regnamespace and "
            + "exists (select from unnest(p.proconfig) c where c like 'plan_cache_mode=%') loop execute format('alter function %s reset all', f); "
            + "execute format('alter function %s set search_path = %L', f, ''); end loop; end $$");
  }

  void change(String sql) throws SQLException {
    engine.value(sql);
  }

  @Override
  public void close() throws SQLException {
    scratch.close();
  }
}
