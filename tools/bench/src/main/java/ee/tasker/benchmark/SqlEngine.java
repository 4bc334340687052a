package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/**
 * Works on tasks through the engine's functions, like a busy server but without one: what remains
 * is the database's share.
 */
final class SqlEngine {
  static final UUID SERVER = UUID.fromString("00000000-0000-0000-0000-000000000001");

  static final JsonObject SUCCESS = Json.createObjectBuilder().add("outcome", "success")
      .add("result", JsonValue.EMPTY_JSON_OBJECT).build();

  private final Connection connection;
  private final Path processor;
  private final Map<String, String> templateSteps = new HashMap<>();
  private long steps;

  /**
   * What steps cost the session that did them; processor time NaN where the system does not tell.
   */
  record Usage(long steps, double seconds, double cpuSeconds, double walBytes) {
    double stepsPerSecond() {
      return steps / seconds;
    }

    double cpuMicrosPerStep() {
      return cpuSeconds * 1e6 / steps;
    }

    double walBytesPerStep() {
      return walBytes / steps;
    }
  }

  /** Some work on the engine. */
  interface Work {
    void run() throws SQLException;
  }

  SqlEngine(Connection connection) throws SQLException {
    this.connection = connection;
    connection.setAutoCommit(true);
    processor = Path.of("/proc", value("select pg_backend_pid()::text"), "schedstat");
    value("create extension if not exists pg_walinspect");
  }

  void register(String template) throws SQLException {
    value("select tasker.register_template(?::jsonb)::text", template);
  }

  /** Creates equal tasks. @return the steps that were claimed for the caller */
  JsonArray submit(String template, int tasks, int claim, String context) throws SQLException {
    String request = "{\"namespace\":\"growth\",\"name\":\"" + template
        + "\",\"version\":\"1.0.0\",\"context\":" + context + "}";
    JsonObject answer = object(
        "select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 600, true, true)::text",
        "[" + String.join(",", Collections.nCopies(tasks, request)) + "]", SERVER.toString(),
        claim);
    for (JsonObject verdict : answer.getJsonArray("verdicts").getValuesAs(JsonObject.class)) {
      if (!verdict.getString("verdict").equals("created")) {
        throw new IllegalStateException("a task was not created: " + verdict);
      }
    }
    return answer.getJsonArray("claimed_steps");
  }

  /**
   * @return the name of a claimed step; only a grown one carries its own, the others have that of
   * the template's step
   */
  String nameOf(JsonObject claimed) {
    return claimed.isNull("name")
        ? templateSteps.computeIfAbsent(claimed.getString("template_step_uuid"), this::templateStep)
        : claimed.getString("name");
  }

  private String templateStep(String uuid) {
    try {
      return value("select name from tasker.named_steps where named_step_uuid = ?::uuid", uuid);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  JsonArray claim(int limit) throws SQLException {
    try (var reader = Json
        .createReader(new StringReader(value(
            "select tasker.claim_steps(?::uuid, ?, null, 600)::text", SERVER.toString(), limit)))) {
      return reader.readArray();
    }
  }

  /**
   * Completes all of these successfully, in one call.
   *
   * @return the caller's next steps, successors first
   */
  JsonArray complete(JsonArray claimedSteps, int claim, boolean fromQueues) throws SQLException {
    return complete(claimedSteps, claim, fromQueues, step -> SUCCESS);
  }

  /**
   * As above, with what each step ends with: members of its result in place of those of a success.
   */
  JsonArray complete(JsonArray claimedSteps, int claim, boolean fromQueues,
      Function<JsonObject, JsonObject> outcome) throws SQLException {
    JsonArrayBuilder results = Json.createArrayBuilder();
    for (JsonObject step : claimedSteps.getValuesAs(JsonObject.class)) {
      results.add(Json.createObjectBuilder().add("step_uuid", step.getString("step_uuid"))
          .add("task_uuid", step.getString("task_uuid"))
          .add("handoff", step.getInt("handoff")).add("execution_time_ms", 0)
          .addAll(Json.createObjectBuilder(outcome.apply(step))));
    }
    JsonObject answer = object(
        "select tasker.complete_steps(?::jsonb, ?::uuid, ?, null, 600, true, ?)::text",
        results.build().toString(), SERVER.toString(), claim, fromQueues);
    if (!answer.getJsonArray("refused").isEmpty()) {
      throw new IllegalStateException("results were refused: " + answer.getJsonArray("refused"));
    }
    steps += claimedSteps.size();
    return answer.getJsonArray("claimed_steps");
  }

  /** Submits tasks and completes their steps, the given number per call, until all are complete. */
  void runTasks(String template, int tasks, int perCall) throws SQLException {
    JsonArray next = submit(template, tasks, perCall, "{\"number\":6}");
    while (!next.isEmpty()) {
      next = complete(next, perCall, true);
    }
  }

  /**
   * As above, with the rounds of the poller in between, for which a server has as many permits as
   * for a result, until nothing moves any more.
   */
  void runGrowing(String template, int tasks, int perCall, Function<JsonObject, JsonObject> outcome)
      throws SQLException {
    JsonArray next = submit(template, tasks, perCall, "{\"number\":6}");
    while (true) {
      while (!next.isEmpty()) {
        next = complete(next, perCall, true, outcome);
      }
      JsonObject round = object("select tasker.advance_due_tasks(?::uuid, 100, ?)::text",
          SERVER.toString(), perCall);
      next = round.getJsonArray("claimed_steps");
      if (next.isEmpty() && round.getInt("tasks") == 0) {
        next = claim(perCall);
        if (next.isEmpty()) {
          return;
        }
      }
    }
  }

  Usage measure(Work work) throws SQLException {
    String walBefore = value("select pg_current_wal_insert_lsn()::text");
    double cpuBefore = cpuSeconds();
    long stepsBefore = steps;
    long start = System.nanoTime();
    work.run();
    double seconds = (System.nanoTime() - start) / 1e9;
    double cpu = cpuSeconds() - cpuBefore;
    String wal = value(
        "select sum(record_size)::text from pg_get_wal_stats(?::pg_lsn, pg_current_wal_flush_lsn(), true)",
        walBefore);
    return new Usage(steps - stepsBefore, seconds, cpu, Double.parseDouble(wal));
  }

  /** Processor time of its session until now; NaN where the system does not tell. */
  double cpuSeconds() {
    try {
      return Long.parseLong(Files.readString(processor).split(" ")[0]) / 1e9;
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  private JsonObject object(String sql, Object... arguments) throws SQLException {
    try (var reader = Json.createReader(new StringReader(value(sql, arguments)))) {
      return reader.readObject();
    }
  }

  String value(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      if (!statement.execute()) {
        return null;
      }
      try (ResultSet rows = statement.getResultSet()) {
        return rows.next() ? rows.getString(1) : null;
      }
    }
  }
}
