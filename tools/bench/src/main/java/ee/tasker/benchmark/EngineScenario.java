package ee.tasker.benchmark;

import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.UUID;

/**
 * Calls the engine's functions with a given number of tasks or steps per call, and records how
 * their statements were
 * planned. Every call is a transaction.
 */
final class EngineScenario {
  private static final String SERVER = "00000000-0000-0000-0000-000000000001";
  private static final String TEMPLATE = """
      {"namespace_name": "growth", "name": "planned", "version": "1.0.0", "content_hash": "-", "identity_strategy": "strict",
       "search_attributes": {"key": "key", "customer": "customer.id"},
       "input_schema": {"type": "object"},
       "steps": [{"name": "a", "handler": {"callable": "none"}, "retry": {"max_attempts": 2}},
                 {"name": "b", "dependencies": ["a"], "handler": {"callable": "none"}},
                 {"name": "c", "dependencies": ["a"], "handler": {"callable": "none"}},
                 {"name": "d", "dependencies": ["b", "c"], "handler": {"callable": "none"}}]}""";
  private static final String REPEATED = """
      {"namespace_name": "growth", "name": "repeated", "version": "1.0.0", "content_hash": "-", "identity_strategy": "strict", "reuse": "after_end",
       "steps": [{"name": "a", "handler": {"callable": "none"}}]}""";
  /** One step of each kind that waits or grows. */
  private static final String GROWN = """
      {"namespace_name": "growth", "name": "grown", "version": "1.0.0", "content_hash": "-", "identity_strategy": "always_unique",
       "steps": [{"name": "begin", "handler": {"callable": "none"}, "compensation": {"handler": {"callable": "none"}}},
                 {"name": "timer", "dependencies": ["begin"], "wait": {"for": "PT1H"}},
                 {"name": "told", "dependencies": ["begin"], "signal": {"name": "go", "timeout": "P3D"}},
                 {"name": "queued", "dependencies": ["begin"], "signal": {"name": "later", "timeout": "P3D"}},
                 {"name": "agreed", "dependencies": ["begin"], "approval": {"title": "Agreed?", "candidates": {"users": ["ann"]}, "due": "P3D"}},
                 {"name": "below", "dependencies": ["begin"], "task": {"name": "repeated", "context": {"key": "$.context.key"}}},
                 {"name": "route", "type": "decision", "dependencies": ["begin"],
                  "rules": [{"when": "$.context.key <> 1", "then": ["chosen"]}]},
                 {"name": "chosen", "dependencies": ["route"], "handler": {"callable": "none"}},
                 {"name": "cut", "type": "batchable", "dependencies": ["begin"], "batch_config": {"items": "$.context.items", "batch_size": 2}},
                 {"name": "work", "type": "batch_worker", "dependencies": ["cut"], "handler": {"callable": "none"},
                  "batch_config": {"worker_template": "work", "parallelism": 2}}]}""";

  private final Connection connection;
  private final PlanBook book;
  private int rows;

  EngineScenario(Connection connection, PlanBook book) throws SQLException {
    this.connection = connection;
    this.book = book;
    PlanBook.listen(connection);
  }

  void run(int perCall) throws SQLException {
    rows = perCall;
    text("select tasker.register_template(?::jsonb)::text", TEMPLATE);
    text("select tasker.register_template(?::jsonb)::text", REPEATED);
    success();
    reuse();
    failure();
    crash();
    otherServers();
    requests();
    grown();
    people();
    reading();
  }

  private void success() throws SQLException {
    JsonArray next = submit(rows);
    text("select tasker.heartbeat(?::uuid, 'one', 'worker', 10, ?, ?::jsonb)::text", SERVER, rows,
        json(next, "step_uuid", "handoff").toString());
    text("select tasker.save_checkpoint(?::uuid, 1, '{\"at\": 1}')::text",
        next.getJsonObject(0).getString("step_uuid"));
    boolean fromQueues = false;
    while (!next.isEmpty()) {
      next = complete(next, "success", rows, true, fromQueues).getJsonArray("claimed_steps");
      fromQueues = !fromQueues;
    }
    complete(claim(), "success", 0, true, false);
  }

  /** The same requests again, once their tasks have ended. */
  private void reuse() throws SQLException {
    String requests = requestsFor("repeated", rows);
    JsonArray first = object(
        "select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 60, true, true)::text", requests, SERVER,
        rows)
        .getJsonArray("claimed_steps");
    complete(first, "success", 0, true, false);
    complete(object("select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 60, true, true)::text",
        requests, SERVER, rows)
        .getJsonArray("claimed_steps"), "success", 0, true, false);
  }

  private void failure() throws SQLException {
    JsonArray first = submit(rows);
    complete(first, "retryable_failure", 0, true, false);
    String tasks = keys(first, "task_uuid");
    text("select tasker.evaluate_tasks(?::uuid[], ?::uuid, ?, 60, now() + interval '1 day')::text",
        tasks, SERVER, rows);
    text("select tasker.advance_due_tasks(?::uuid, ?, ?, 60, now() + interval '1 day')::text",
        SERVER, rows, rows);
    JsonArray again = submit(rows);
    complete(again, "permanent_failure", 0, true, false);
    text("select tasker.request_cancel(?::uuid, 'an operator', 'no longer wanted')::text",
        again.getJsonObject(0).getString("task_uuid"));
    JsonArray given = submit(rows);
    text("select tasker.release_steps(?::jsonb, ?::uuid)::text",
        json(given, "step_uuid", "task_uuid", "handoff").toString(), SERVER);
  }

  private void crash() throws SQLException {
    String claimed = keys(submit(rows), "task_uuid");
    text("select tasker.recover_expired_steps(?::uuid[], ?::uuid, now() + interval '1 day')::text",
        claimed, SERVER);
    text("select tasker.evaluate_tasks(?::uuid[], ?::uuid, 0)::text", claimed, SERVER);
    try (var loss = connection.createStatement()) {
      loss.execute("delete from pgmq.q_worker_growth_queue");
    }
    text("select tasker.resend_lost_messages(?::uuid[])::text", claimed);
  }

  private void otherServers() throws SQLException {
    complete(submit(rows), "success", 0, false, false);
    text("select tasker.process_step_results(?::uuid, ?, ?)::text", SERVER, Math.max(rows, 10),
        rows);
  }

  private void requests() throws SQLException {
    text(
        "select pgmq.send_batch('orchestration_task_requests', array_fill('{\"namespace\": \"growth\"}'::jsonb, array[?]))::text",
        rows);
    text("select tasker.take_task_requests(?)::text", rows);
    text("select tasker.finish_task_requests('[1]')::text");
    text("select tasker.submit_tasks(?::jsonb)::text", requestsFor(rows));
    JsonArray unchecked = array("select tasker.take_unchecked_tasks(?)::text", rows);
    JsonArrayBuilder verdicts = Json.createArrayBuilder();
    unchecked.getValuesAs(JsonObject.class).forEach(task -> verdicts
        .add(Json.createObjectBuilder().add("task_uuid", task.getString("task_uuid"))
            .add("violations", Json.createArrayBuilder())));
    text("select tasker.start_validated_tasks(?::jsonb, ?::uuid, 0)::text",
        verdicts.build().toString(), SERVER);
  }

  private void grown() throws SQLException {
    text("select tasker.register_template(?::jsonb)::text", GROWN);
    JsonArray first = object(
        "select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 60, true, true)::text",
        requestsFor("grown", rows).replace("\"context\": {",
            "\"context\": {\"items\": [1, 2, 3, 4], "),
        SERVER, rows)
        .getJsonArray("claimed_steps");
    String tasks = keys(first, "task_uuid");
    complete(first, "success", 0, true, false);
    for (JsonArray next = claim(); !next.isEmpty(); next = claim()) {
      complete(next, "success", 0, true, false);
    }
    text("select tasker.send_signals(?::uuid[], 'go', '1')::text", tasks);
    text("select tasker.queue_signals(?::uuid[], 'later', '1')::text", tasks);
    text("select tasker.list_approvals('{\"state\": \"open\"}', 'ann')::text");
    text("select tasker.explain_tasks(?::uuid[])::text", tasks);
    for (String time : List.of("1 second", "2 hours", "4 days")) {
      text("select tasker.advance_due_tasks(?::uuid, ?, ?, 60, now() + ?::interval)::text", SERVER,
          rows, rows, time);
    }
    text(
        "select tasker.request_cancel(?::uuid, 'an operator', 'no longer wanted', p_compensate => true)::text",
        first.getJsonObject(0).getString("task_uuid"));
    text("select tasker.advance_due_tasks(?::uuid, ?, ?)::text", SERVER, rows, rows);
    text("select tasker.take_due_schedules(?)::text", rows);
    text("select tasker.claim_deliveries(?::uuid, ?, 60)::text", SERVER, rows);
  }

  private void people() throws SQLException {
    JsonArray steps = submit(rows);
    String step = steps.getJsonObject(0).getString("step_uuid");
    String task = steps.getJsonObject(0).getString("task_uuid");
    for (String call : List.of("check_step_dependencies(?::uuid)",
        "get_step_transitive_dependencies(?::uuid)",
        "calculate_step_depth(?::uuid)", "get_ancestor_results(?::uuid)")) {
      text("select x::text from tasker." + call + " x", step);
    }
    for (String call : List.of("get_current_task_state", "get_step_readiness_status",
        "get_ready_steps", "calculate_dependency_levels",
        "get_task_ready_info", "get_task_execution_context",
        "get_step_documents")) {
      text("select x::text from tasker." + call + "(?::uuid) x", task);
    }
    text("select x::text from tasker.get_step_audit(?::uuid, ?::uuid) x", task, step);
  }

  private void reading() throws SQLException {
    String tasks = text(
        "select array_agg(task_uuid)::text from (select task_uuid from tasker.tasks order by task_uuid desc limit "
            + rows + ") t");
    String steps = text(
        "select array_agg(workflow_step_uuid)::text from (select workflow_step_uuid from tasker.workflow_steps order by workflow_step_uuid desc limit "
            + rows + ") s");
    text("select tasker.get_claimed_steps(?::uuid[])::text", steps);
    text("select tasker.get_step_definitions(?::uuid[])::text",
        text(
            "select array_agg(named_step_uuid)::text from (select named_step_uuid from tasker.named_steps limit "
                + rows + ") s"));
    text("select tasker.get_task_documents(?::uuid[])::text", tasks);
    text("select count(*)::text from tasker.get_step_readiness_status_batch(?::uuid[])", tasks);
    text("select count(*)::text from tasker.get_task_execution_contexts_batch(?::uuid[])", tasks);
    text("select tasker.list_tasks('{}', ?)::text", rows);
    for (String filter : List.of("{\"state\": \"complete\"}",
        "{\"state\": \"blocked_by_failures,waiting_for_retry\"}",
        "{\"namespace\": \"growth\", \"name\": \"planned\"}", "{\"tag\": \"red\"}",
        "{\"created_after\": \"2026-01-01T00:00:00Z\", \"created_before\": \"2026-01-02T00:00:00Z\"}",
        "{\"completed_after\": \"2026-01-01T00:00:00Z\", \"completed_before\": \"2026-01-02T00:00:00Z\"}",
        "{\"updated_after\": \"2026-01-01T00:00:00Z\", \"updated_before\": \"2026-01-02T00:00:00Z\"}",
        "{\"correlation_id\": \"00000000-0000-0000-0000-000000000001\"}",
        "{\"attributes\": {\"key\": \"A-17\"}}",
        "{\"attributes\": {\"key\": \"A-17\", \"customer\": \"7\"}}")) {
      text("select tasker.list_tasks(?::jsonb, ?)::text", filter, rows);
    }
    text("select count(*)::text from tasker.get_next_ready_tasks(?)", rows);
    text("select tasker.get_templates()::text");
    text("select tasker.get_installation_status()::text");
    text("select x::text from tasker.get_queue_statistics('worker_growth_queue') x");
  }

  /** Tasks whose first steps are claimed. */
  private JsonArray submit(int tasks) throws SQLException {
    return object("select tasker.submit_tasks(?::jsonb, ?::uuid, ?, 60, true, true)::text",
        requestsFor(tasks), SERVER, tasks)
        .getJsonArray("claimed_steps");
  }

  private static String requestsFor(int tasks) {
    return requestsFor("planned", tasks);
  }

  private static String requestsFor(String template, int tasks) {
    StringBuilder all = new StringBuilder("[");
    for (String one : Collections.nCopies(tasks, "")) {
      all.append(all.length() > 1 ? "," : one).append("{\"namespace\": \"growth\", \"name\": \"")
          .append(template)
          .append("\", \"version\": \"1.0.0\", \"context\": {\"key\": \"").append(UUID.randomUUID())
          .append("\"}}");
    }
    return all.append("]").toString();
  }

  private JsonArray claim() throws SQLException {
    return array("select tasker.claim_steps(?::uuid, ?, array['growth'])::text", SERVER, rows);
  }

  private JsonObject complete(JsonArray steps, String outcome, int claim, boolean settle,
      boolean fromQueues) throws SQLException {
    JsonArrayBuilder results = Json.createArrayBuilder();
    for (JsonObject step : steps.getValuesAs(JsonObject.class)) {
      var result = Json.createObjectBuilder().add("step_uuid", step.getString("step_uuid"))
          .add("task_uuid", step.getString("task_uuid"))
          .add("handoff", step.getInt("handoff")).add("outcome", outcome)
          .add("execution_time_ms", 0);
      results.add(outcome.equals("success") ? result.add("result", Json.createObjectBuilder())
          : result.add("error",
              Json.createObjectBuilder().add("type", "Busy").add("message", "later")));
    }
    return object(
        "select tasker.complete_steps(?::jsonb, ?::uuid, ?, array['growth'], 60, ?, ?)::text",
        results.build().toString(), SERVER, claim, settle, fromQueues);
  }

  private static JsonArray json(JsonArray steps, String... fields) {
    JsonArrayBuilder all = Json.createArrayBuilder();
    for (JsonObject step : steps.getValuesAs(JsonObject.class)) {
      var one = Json.createObjectBuilder();
      for (String field : fields) {
        one.add(field, step.get(field));
      }
      all.add(one);
    }
    return all.build();
  }

  private static String keys(JsonArray steps, String field) {
    return "{" + String.join(",",
        steps.getValuesAs(JsonObject.class).stream().map(step -> step.getString(field)).toList())
        + "}";
  }

  private JsonObject object(String sql, Object... arguments) throws SQLException {
    try (var reader = Json.createReader(new StringReader(text(sql, arguments)))) {
      return reader.readObject();
    }
  }

  private JsonArray array(String sql, Object... arguments) throws SQLException {
    try (var reader = Json.createReader(new StringReader(text(sql, arguments)))) {
      return reader.readArray();
    }
  }

  private String text(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        statement.setObject(i + 1, arguments[i]);
      }
      try (ResultSet result = statement.executeQuery()) {
        String text = result.next() ? result.getString(1) : null;
        book.note(statement, rows);
        return text;
      }
    }
  }
}
