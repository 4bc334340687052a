package ee.tasker.tracing;

import static ee.tasker.testing.server.TaskerClient.taskRequest;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.SpanReceiver;
import ee.tasker.testing.server.SpanReceiver.Received;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Spans as a collector gets them from a server that is told to export, and their absence from one
 * that is not.
 */
@Tag("long")
class TracingIT {
  private static final String CALLER = "00f067aa0ba902b7";
  private static final SpanReceiver COLLECTOR = new SpanReceiver();
  private static final SpanReceiver SILENCE = new SpanReceiver();
  private static EmbeddedDatabase database;
  private static EmbeddedDatabase other;
  private static TestServer traced;
  private static TestServer silent;
  private static TaskerClient tasker;

  private final String trace = UUID.randomUUID().toString().replace("-", "");

  @BeforeAll
  static void start() {
    Map<String, String> switchedOn = new HashMap<>(COLLECTOR.environment());
    switchedOn.put("OTEL_SDK_DISABLED", "false");
    database = TestServer.newDatabase();
    other = TestServer.newDatabase();
    traced = TestServer.starting(database, switchedOn);
    silent = TestServer.starting(other, SILENCE.environment());
    tasker = traced.awaitReady().client();
    tasker.register("/testing/traces.yaml");
  }

  @AfterAll
  static void stop() {
    for (AutoCloseable each : new AutoCloseable[]{traced, silent, database, other, COLLECTOR,
      SILENCE}) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private UUID submit(TaskerClient client, String template, String flags) {
    return client.send(client.request("/v1/tasks").header("Content-Type", "application/json")
        .header("traceparent", "00-" + trace + "-" + CALLER + "-" + flags)
        .POST(HttpRequest.BodyPublishers.ofString(taskRequest("testing", template, "{}"))))
        .taskUuid();
  }

  private List<Received> attempts(int count) {
    TaskerClient.until("there are " + count + " attempts in " + COLLECTOR.of(trace),
        Duration.ofSeconds(30),
        () -> attempts().size() >= count);
    return attempts();
  }

  private List<Received> attempts() {
    return COLLECTOR.of(trace).stream().filter(span -> span.name().startsWith("tasker.step "))
        .toList();
  }

  private static Received only(List<Received> spans, String step) {
    return spans.stream().filter(span -> span.name().equals("tasker.step " + step))
        .reduce((one, another) -> {
          throw new AssertionError("two of " + step);
        }).orElseThrow();
  }

  private static JsonObject result(UUID task, String step) {
    return tasker.steps(task).get(step).getJsonObject("result");
  }

  @Test
  void all_attempts_of_a_diamond_are_in_the_trace_of_the_request_below_the_servers_span_of_it() {
    UUID task = submit(tasker, "traced", "01");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");

    List<Received> attempts = attempts(6);
    TaskerClient.until("the request has a span", Duration.ofSeconds(30),
        () -> COLLECTOR.of(trace).stream().anyMatch(Received::isServer));
    Received request = COLLECTOR.of(trace).stream().filter(Received::isServer).findFirst()
        .orElseThrow();
    assertThat(request.parent()).isEqualTo(CALLER);
    assertThat(attempts).hasSize(6)
        .allSatisfy(span -> assertThat(span.parent()).isEqualTo(request.id()));
    assertThat(
        tasker.value("select trace_parent from tasker.task_contexts where task_uuid = ?", task))
        .isEqualTo("00-" + trace + "-" + request.id() + "-01");
    assertThat(only(attempts, "end").attributes())
        .containsEntry("tasker.task.uuid", task.toString())
        .containsEntry("tasker.step.uuid", tasker.steps(task).get("end").getString("step_uuid"))
        .containsEntry("tasker.step.name", "end").containsEntry("tasker.namespace", "testing")
        .containsEntry("tasker.template", "traced")
        .containsEntry("tasker.template.version", "1.0.0")
        .containsEntry("tasker.handler", "testing.Place")
        .containsEntry("tasker.attempt", "1")
        .containsEntry("tasker.correlation_id", task.toString())
        .containsEntry("tasker.outcome", "success");
    assertThat(only(attempts, "end").isError()).isFalse();
  }

  @Test
  void every_attempt_of_a_retried_step_has_a_span_with_what_it_threw() {
    UUID task = submit(tasker, "traced", "01");
    tasker.awaitTerminalOrBlocked(task);

    List<Received> left = attempts(6).stream()
        .filter(span -> span.name().equals("tasker.step left")).toList();
    assertThat(left)
        .extracting(span -> span.attributes().get("tasker.attempt"), Received::isError,
            span -> span.attributes().get("tasker.outcome"), Received::events)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("1", true, "retryable_failure",
                List.of("exception")),
            org.assertj.core.groups.Tuple.tuple("2", true, "retryable_failure",
                List.of("exception")),
            org.assertj.core.groups.Tuple.tuple("3", false, "success", List.of()));
  }

  @Test
  void steps_that_fail_or_time_out_have_the_status_error_and_its_cause() {
    tasker.awaitTerminalOrBlocked(submit(tasker, "traced_failures", "01"));

    List<Received> attempts = attempts(2);
    Received refused = only(attempts, "refused");
    assertThat(refused.isError()).isTrue();
    assertThat(refused.message()).isEqualTo("as the template wants it");
    assertThat(refused.attributes()).containsEntry("error.type", "Refused")
        .containsEntry("tasker.outcome", "permanent_failure");
    assertThat(only(attempts, "late").isError()).isTrue();
    assertThat(only(attempts, "late").attributes()).containsEntry("error.type", "handler_timeout");
  }

  @Test
  void handler_runs_in_the_span_and_what_it_submits_is_below_it() {
    UUID task = submit(tasker, "traced_parent", "01");
    tasker.awaitTerminalOrBlocked(task);
    JsonObject place = result(task, "submits");
    tasker.awaitTerminalOrBlocked(UUID.fromString(place.getString("submitted")));

    List<Received> attempts = attempts(7);
    Received parent = only(attempts, "submits");
    assertThat(place.getString("current_span")).isEqualTo(parent.id());
    assertThat(place.getString("trace_parent"))
        .isEqualTo("00-" + trace + "-" + parent.id() + "-01");
    assertThat(attempts.stream().filter(span -> span != parent)).hasSize(6)
        .allSatisfy(span -> assertThat(span.parent()).isEqualTo(parent.id()));
  }

  @Test
  void who_does_not_want_a_trace_recorded_gets_none() {
    UUID unwanted = submit(tasker, "traced", "00");
    tasker.awaitTerminalOrBlocked(unwanted);
    String hidden = result(unwanted, "end").getString("trace_parent");
    // Sent after it, and there.
    UUID marker = tasker.submit("traced", "{}");
    tasker.awaitTerminalOrBlocked(marker);
    String sent = result(marker, "end").getString("trace_parent");
    TaskerClient.until("the marker is there", Duration.ofSeconds(30),
        () -> COLLECTOR.of(sent.substring(3, 35)).size() >= 6);

    assertThat(hidden).startsWith("00-" + trace).endsWith("-00");
    assertThat(COLLECTOR.of(trace)).isEmpty();
  }

  @Test
  void server_without_tracing_sends_nothing_and_passes_the_trace_on() {
    TaskerClient client = silent.awaitReady().client();
    client.register("/testing/traces.yaml");
    UUID task = submit(client, "traced", "01");
    client.awaitTerminalOrBlocked(task);
    JsonObject place = client.steps(task).get("end").getJsonObject("result");

    // What a server has not sent yet it sends when it stops.
    silent.close();
    assertThat(SILENCE.requests()).isZero();
    assertThat(place.getString("trace_parent")).isEqualTo("00-" + trace + "-" + CALLER + "-01");
    assertThat(silent.log()).contains("traced=false");
    assertThat(traced.log()).contains("traced=true");
  }
}
