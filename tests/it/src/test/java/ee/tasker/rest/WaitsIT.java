package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps that wait for a time or a signal, and delayed starts, over HTTP and in real time. */
@AgainstServer
class WaitsIT {
  private final TaskerClient tasker;
  private final String name = "waits_" + UUID.randomUUID().toString().substring(0, 8);

  WaitsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private void register(String steps) {
    assertThat(tasker.postTemplate("name: " + name
        + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
        + steps.indent(2)).status()).isIn(200, 201);
  }

  private UUID task(String steps, String context) {
    register(steps);
    return tasker.submit("testing", name, context);
  }

  private Answer send(UUID task, String signal, String json) {
    return tasker.post("/v1/tasks/" + task + "/signals/" + signal, TaskerClient.quoted(json));
  }

  private JsonObject ended(UUID task) {
    return tasker.awaitTerminalOrBlocked(task);
  }

  @Test
  void a_timer_fires_within_a_second_of_its_time_and_its_handler_runs() {
    UUID task = task("""
        - {name: sleep, wait: {for: PT2S}}
        - {name: then, dependencies: [sleep], wait: {for: PT1S}, handler: {callable: testing.Echo}}
        """, "{'text': 'awake'}");

    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getString("state")).isEqualTo("waiting_for_dependencies");
    assertThat(shown.getString("explanation")).startsWith("Step sleep waits until ");
    assertThat(ended(task).getString("state")).isEqualTo("complete");
    JsonObject slept = tasker.steps(task).get("sleep").getJsonObject("result");
    assertThat(Duration.between(OffsetDateTime.parse(slept.getString("due_at")),
        OffsetDateTime.parse(slept.getString("fired_at"))))
        .isBetween(Duration.ZERO, Duration.ofSeconds(3));
    assertThat(tasker.steps(task).get("then").getString("state")).isEqualTo("complete");
  }

  @Test
  void a_handler_sees_the_signals_that_have_arrived() {
    UUID task = task("""
        - {name: pay, signal: {name: payment}}
        - {name: more, signal: {name: payment}}
        - {name: then, dependencies: [pay, more], handler: {callable: testing.Heard}}
        """, "{}");
    send(task, "payment", "{'payload': 1}");
    assertThat(send(task, "payment", "{'payload': 2}").status()).isEqualTo(200);
    assertThat(ended(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("then").get("result").toString()).isEqualTo("[1,2]");
  }

  @Test
  void a_signal_on_the_queue_of_requests_arrives_and_one_that_no_task_takes_is_refused() {
    UUID queued = task("""
        - {name: pay, signal: {name: payment}}
        """, "{}");
    tasker.sql(
        "select pgmq.send('orchestration_task_requests', jsonb_build_object('signal', jsonb_build_object('task_uuid', ?::text, 'name', 'payment', "
            + "'payload', 7, 'signal_id', 'q1')))",
        queued.toString());
    tasker.sql(
        "select pgmq.send('orchestration_task_requests', jsonb_build_object('signal', jsonb_build_object('task_uuid', ?::text, 'name', 'posted')))",
        queued.toString());
    tasker.sql("select tasker.notify_servers(null, array['orchestration'])");
    assertThat(ended(queued).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(queued).get("pay").get("result").toString()).isEqualTo("7");
    TaskerClient.until("the other one is refused", Duration.ofSeconds(30), () -> tasker.count(
        "select count(*) from pgmq.q_orchestration_task_requests_refused where message #>> '{problem,code}' = 'signal-not-known' and message #>> '{request,signal,task_uuid}' = ?",
        queued.toString()) == 1);
    tasker.sql(
        "delete from pgmq.q_orchestration_task_requests_refused where message #>> '{request,signal,task_uuid}' = ?",
        queued.toString());
  }

  @Test
  void a_signal_ends_a_wait_and_counts_once() {
    UUID task = task("""
        - name: pay
          signal: {name: payment, timeout: PT1H, schema: {type: object, required: [amount], properties: {amount: {type: integer}}}}
        - {name: ship, dependencies: [pay], handler: {callable: testing.Echo}}
        """, "{}");
    JsonObject why = tasker.get("/v1/tasks/" + task + "/diagnosis").object().getJsonArray("waiting")
        .getJsonObject(0);
    assertThat(why.getString("cause")).isEqualTo("signal");
    assertThat(why.getJsonObject("details").getString("signal")).isEqualTo("payment");

    Answer wrong = send(task, "payment", "{'payload': {'amount': 'much'}}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.text("code")).isEqualTo("invalid-payload");
    assertThat(wrong.fields()).containsExactly("payload/amount");
    assertThat(send(task, "payment", "{'amount': 5}").status()).isEqualTo(400);
    assertThat(send(task, "refund", "{}").text("code")).isEqualTo("signal-not-known");
    assertThat(send(UUID.randomUUID(), "payment", "{}").status()).isEqualTo(404);

    JsonObject sent = send(task, "payment", "{'payload': {'amount': 12}, 'signal_id': 'p-1'}")
        .object();
    assertThat(sent.getString("outcome")).isEqualTo("accepted");
    assertThat(sent.getBoolean("is_consumed")).isTrue();
    assertThat(
        send(task, "payment", "{'payload': {'amount': 12}, 'signal_id': 'p-1'}").text("outcome"))
        .isEqualTo("duplicate");
    assertThat(
        send(task, "payment", "{'payload': {'amount': 13}, 'signal_id': 'p-1'}").text("code"))
        .isEqualTo("signal-id-taken");
    assertThat(ended(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("pay").getJsonObject("result"))
        .hasToString("{\"amount\":12}");
    Answer late = send(task, "payment", "{'payload': {'amount': 1}}");
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.text("code")).isEqualTo("task-already-ended");
  }

  @Test
  void a_wait_without_a_signal_times_out() {
    UUID blocked = task("- {name: pay, signal: {name: payment, timeout: PT1S}}", "{}");
    assertThat(ended(blocked).getString("state")).isEqualTo("blocked_by_failures");
    assertThat(tasker.steps(blocked).get("pay").getJsonObject("error").getString("type"))
        .isEqualTo("wait_timed_out");
  }

  @Test
  void a_signal_by_correlation_id_goes_to_all_that_wait_or_to_none() {
    register("- {name: pay, signal: {name: payment}}");
    UUID correlation = UUID.randomUUID();
    String request = TaskerClient.taskRequest("testing", name, "{}").replace("\"context\"",
        "\"correlation_id\": \"" + correlation + "\", \"context\"");
    UUID first = UUID.fromString(tasker.post("/v1/tasks", request).text("task_uuid"));
    UUID second = UUID.fromString(tasker.post("/v1/tasks", request).text("task_uuid"));

    String body = TaskerClient.quoted("{'correlation_id': '" + correlation + "', 'payload': 7");
    Answer tooMany = tasker.post("/v1/signals/payment", body + "}");
    assertThat(tooMany.status()).isEqualTo(409);
    assertThat(tooMany.text("code")).isEqualTo("too-many-receivers");
    JsonObject sent = tasker
        .post("/v1/signals/payment", body + TaskerClient.quoted(", 'limit': 2}")).object();
    assertThat(sent.getJsonArray("signals").getValuesAs(JsonObject.class))
        .extracting(answer -> answer.getString("task_uuid"))
        .containsExactly(first.toString(), second.toString());
    assertThat(List.of(ended(first), ended(second))).extracting(task -> task.getString("state"))
        .containsOnly("complete");
    assertThat(tasker.post("/v1/signals/payment", body + "}").text("code"))
        .isEqualTo("no-task-for-signal");
  }

  @Test
  void sending_needs_its_permission_in_the_namespace_of_the_task() {
    UUID task = task("- {name: pay, signal: {name: payment}}", "{}");
    TaskerClient reader = tasker.asOneWhoMay(List.of("tasks:read in testing"));
    TaskerClient stranger = tasker.asOneWhoMay(List.of("tasks:signal in contract"));
    TaskerClient sender = tasker.asOneWhoMay(List.of("tasks:signal in testing"));

    assertThat(reader.post("/v1/tasks/" + task + "/signals/payment", "{}").status()).isEqualTo(403);
    assertThat(stranger.post("/v1/tasks/" + task + "/signals/payment", "{}").status())
        .isEqualTo(404);
    String correlated = TaskerClient.quoted(
        "{'correlation_id': '" + tasker.get("/v1/tasks/" + task).text("correlation_id") + "'}");
    assertThat(stranger.post("/v1/signals/payment", correlated).status()).isEqualTo(404);
    assertThat(sender.post("/v1/signals/payment", correlated).status()).isEqualTo(200);
    assertThat(ended(task).getString("state")).isEqualTo("complete");
  }

  @Test
  void a_task_starts_when_its_request_says_and_who_waits_for_it_is_answered() {
    String request = TaskerClient.taskRequest("testing", "hello", "{'who': 'later'}").replace(
        "\"context\"",
        "\"delay_seconds\": 2, \"context\"");
    Instant before = Instant.now();
    JsonObject ended = tasker.post("/v1/tasks?wait=20", request).object();

    assertThat(ended.getString("state")).isEqualTo("complete");
    assertThat(Duration.between(before, Instant.now())).isBetween(Duration.ofMillis(1_900),
        Duration.ofSeconds(6));
    assertThat(OffsetDateTime.parse(ended.getString("start_at")).toInstant()).isAfter(before);

    Answer later = tasker.post("/v1/tasks",
        request.replace("\"delay_seconds\": 2", "\"start_at\": \"2031-01-31T12:00:00+02:00\""));
    assertThat(later.text("state")).isEqualTo("pending");
    assertThat(tasker.get("/v1/tasks/" + later.text("task_uuid")).text("start_at"))
        .startsWith("2031-01-31T10:00:00");
    assertThat(
        tasker.post("/v1/tasks", request.replace("\"delay_seconds\": 2", "\"delay_seconds\": -2"))
            .fields())
        .containsExactly("delay_seconds");
    assertThat(tasker
        .post("/v1/tasks", request.replace("\"delay_seconds\": 2", "\"start_at\": \"tomorrow\""))
        .fields())
        .containsExactly("start_at");
    assertThat(tasker.post("/v1/tasks:batch", "[" + request + "]").object().getJsonArray("verdicts")
        .getJsonObject(0).getString("state"))
        .isEqualTo("pending");
  }

  @Test
  void a_template_with_a_wrong_wait_is_refused_with_line_and_column() {
    Answer answer = tasker
        .send(tasker.request("/v1/templates/validate").header("Content-Type", "application/yaml")
            .POST(HttpRequest.BodyPublishers.ofString("""
            name: wrong
            namespace_name: testing
            version: 1.0.0
            steps:
              - {name: a, handler: {callable: testing.Echo}}
              - {name: b, wait: {for: 3 hours}}
              - {name: c, wait: {until: $.results.a.at}}
            """)));

    assertThat(answer.object().toString()).contains("\"line\":6")
        .contains("must be a duration of ISO 8601").contains("\"line\":7");
  }
}
