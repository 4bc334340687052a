package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * By what a request is known elsewhere, its task, its handlers and its log lines are known, too.
 */
@AgainstServer
class CorrelationIT {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final TaskerClient tasker;
  private final TestServer server;
  private final String id = UUID.randomUUID().toString();

  CorrelationIT(TaskerClient tasker, TestServer server) {
    this.tasker = tasker;
    this.server = server;
    tasker.register("/testing/templates.yaml");
  }

  private Answer send(String path, String json, String correlationId, String traceParent) {
    return tasker.send(tasker.request(path).header("Content-Type", "application/json")
        .header("X-Correlation-Id", correlationId)
        .header("traceparent", traceParent)
        .POST(HttpRequest.BodyPublishers.ofString(quoted(json))));
  }

  private String trace(String context, String members) {
    return "{'namespace': 'testing', 'name': 'trace', 'version': '1.0.0', 'context': " + context
        + members + "}";
  }

  private static String parent(String span) {
    return "00-" + TRACE + "-" + span + "-01";
  }

  private JsonObject seen(UUID task) {
    tasker.awaitTerminalOrBlocked(task);
    return tasker.steps(task).get("trace").getJsonObject("result");
  }

  @Test
  void headers_reach_task_handler_and_answer() {
    Answer answer = send("/v1/tasks", trace("{'own': '" + id + "'}", ""), id,
        parent("00f067aa0ba902b7"));

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text("correlation_id")).isEqualTo(id);
    assertThat(answer.header("X-Correlation-Id")).isEqualTo(id);
    JsonObject seen = seen(answer.taskUuid());
    assertThat(seen.getString("correlation_id")).isEqualTo(id);
    assertThat(seen.getString("trace_parent")).isEqualTo(parent("00f067aa0ba902b7"));
    assertThat(tasker.get("/v1/tasks/" + answer.taskUuid()).text("trace_id")).isEqualTo(TRACE);
  }

  @Test
  void batch_and_keyed_submission_take_them_up_and_a_body_that_says_otherwise_wins() {
    UUID own = UUID.randomUUID();
    JsonObject[] verdicts = send("/v1/tasks:batch", "[" + trace("{'a': '" + id + "'}", "") + ", "
        + trace("{'b': '" + id + "'}",
            ", 'correlation_id': '" + own + "', 'trace_parent': '" + parent("1111111111111111")
                + "'")
        + "]", id,
        parent("00f067aa0ba902b7"))
        .list("verdicts").toArray(JsonObject[]::new);

    assertThat(verdicts[0].getString("correlation_id")).isEqualTo(id);
    assertThat(verdicts[1].getString("correlation_id")).isEqualTo(own.toString());
    assertThat(seen(UUID.fromString(verdicts[1].getString("task_uuid"))).getString("trace_parent"))
        .isEqualTo(parent("1111111111111111"));
    Answer keyed = tasker.send(tasker.request("/v1/tasks")
        .header("Content-Type", "application/json").header("X-Correlation-Id", id)
        .header("Idempotency-Key", id)
        .POST(HttpRequest.BodyPublishers.ofString(quoted(trace("{'c': '" + id + "'}", "")))));
    assertThat(keyed.text("correlation_id")).isEqualTo(id);
  }

  @Test
  void trace_is_no_part_of_what_a_task_is_and_one_without_form_is_ignored_in_the_header_and_refused_in_the_body() {
    Answer first = send("/v1/tasks", trace("{'own': '" + id + "'}", ""), "no uuid", "nonsense");
    Answer again = send("/v1/tasks", trace("{'own': '" + id + "'}", ""), id,
        parent("00f067aa0ba902b7"));

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.text("correlation_id")).isEqualTo(first.text("task_uuid"));
    assertThat(first.header("X-Correlation-Id")).isEmpty();
    assertThat(seen(first.taskUuid()).getString("trace_parent")).isEqualTo("none");
    assertThat(tasker.get("/v1/tasks/" + first.taskUuid()).object().isNull("trace_id")).isTrue();
    assertThat(again.text("code")).isEqualTo("duplicate-task");
    assertThat(again.header("X-Correlation-Id")).isEqualTo(id);
    assertThat(
        tasker.post("/v1/tasks", quoted(trace("{}", ", 'trace_parent': 'nonsense'"))).fields())
        .containsExactly("trace_parent");
    assertThat(tasker.jsonOf("select tasker.submit_tasks(cast(? as jsonb)) -> 'verdicts' -> 0",
        quoted("[" + trace("{}", ", 'trace_parent': 'nonsense'") + "]")).getString("field"))
        .isEqualTo("trace_parent");
  }

  @Test
  void log_lines_of_a_step_and_of_the_end_of_its_task_have_them() {
    UUID task = send("/v1/tasks", trace("{'own': '" + id + "', 'fail': true}", ""), id,
        parent("00f067aa0ba902b7")).taskUuid();
    tasker.awaitTerminalOrBlocked(task);

    TaskerClient.until("the lines are written", Duration.ofSeconds(20),
        () -> server.log().contains("task ended task=" + task));
    assertThat(server.log().lines()
        .filter(line -> line.contains("TK1303") && line.contains(task.toString())))
        .singleElement().asString().contains("correlation=" + id, "trace=" + TRACE);
    assertThat(server.log().lines()
        .filter(line -> line.contains("TK1202") && line.contains(task.toString())))
        .singleElement().asString().contains("correlation=" + id);
  }
}
