package ee.tasker.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaskerClientTest {
  private static final UUID TASK = UUID.fromString("01a1fc6e-c2c5-70dd-8baf-9fc43ba29188");
  private static final String SUBMITTED = "{\"task_uuid\":\"" + TASK
      + "\",\"state\":\"steps_in_process\",\"correlation_id\":\"" + TASK
      + "\",\"version\":\"1.0.0\",\"duplicate\":false}";
  private static final String UNAVAILABLE = "{\"title\":\"Unavailable\",\"status\":503,\"detail\":\"no database\",\"code\":\"unavailable\"}";

  private final StubServer server = new StubServer();
  private final TaskerClient tasker = TaskerClient.at(server.url()).key("tkr_secret").build();

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void submits_a_request_with_credentials_and_a_key() {
    server.then(201, SUBMITTED);

    SubmittedTask submitted = tasker.submit(TaskRequest.of("linear", "sequence").version("1.0.0")
        .context(Json.createObjectBuilder().add("even_number", 6).build()).tags(List.of("a", "b")));

    assertThat(submitted)
        .isEqualTo(new SubmittedTask(TASK, TaskState.STEPS_IN_PROCESS, "1.0.0", false));
    StubServer.Asked asked = server.asked.get(0);
    assertThat(asked.method() + " " + asked.target()).isEqualTo("POST /v1/tasks");
    assertThat(asked.authorization()).isEqualTo("ApiKey tkr_secret");
    assertThat(UUID.fromString(asked.key())).isNotNull();
    assertThat(asked.body()).isEqualTo(
        "{\"namespace\":\"linear\",\"name\":\"sequence\",\"context\":{\"even_number\":6},\"version\":\"1.0.0\",\"tags\":[\"a\",\"b\"]}");
  }

  @Test
  void repeats_a_submission_with_the_same_key_until_it_is_answered() {
    server.then(503, UNAVAILABLE, "Retry-After", "0").thenBreak().then(201, SUBMITTED,
        "Idempotent-Replayed", "true");

    tasker.submit(TaskRequest.of("linear", "sequence"));

    assertThat(server.asked).hasSize(3).extracting(StubServer.Asked::key)
        .containsOnly(server.asked.get(0).key()).doesNotContainNull();
  }

  @Test
  void repeats_nothing_that_could_take_effect_twice() {
    server.thenBreak().then(201, "{}");

    assertThatThrownBy(() -> tasker.send(
        Call.of(Operation.CREATE_KEY).body(Json.createObjectBuilder().add("name", "a").build())))
        .isInstanceOf(UnreachableException.class);
    assertThat(server.asked).singleElement().extracting(StubServer.Asked::key).isNull();
  }

  @Test
  void without_retries_a_request_has_no_key_and_is_sent_once() {
    server.then(503, UNAVAILABLE);

    assertThatThrownBy(
        () -> TaskerClient.at(server.url()).retries(0).build().submit(TaskRequest.of("a", "b")))
        .isInstanceOf(ProblemException.class);
    assertThat(server.asked).singleElement().extracting(StubServer.Asked::key).isNull();
  }

  @Test
  void refusal_is_a_problem_with_code_and_fields_and_is_not_repeated() {
    server.then(400,
        "{\"title\":\"Invalid request\",\"status\":400,\"detail\":\"1 field is invalid\",\"code\":\"invalid-request\","
            + "\"violations\":[{\"field\":\"name\",\"message\":\"must be a string\"}]}");

    ProblemException problem = catchThrowableOfType(ProblemException.class,
        () -> tasker.submit(TaskRequest.of("a", "b")));

    assertThat(problem.status()).isEqualTo(400);
    assertThat(problem.code()).isEqualTo("invalid-request");
    assertThat(problem.violations()).containsExactly(new Violation("name", "must be a string"));
    assertThat(problem).hasMessage("Invalid request: 1 field is invalid");
    assertThat(server.asked).hasSize(1);
  }

  @Test
  void duplicate_tells_the_task() {
    server.then(409, "{\"title\":\"Duplicate task\",\"code\":\"duplicate-task\",\"task_uuid\":\""
        + TASK + "\"}");

    assertThat(
        catchThrowableOfType(ProblemException.class, () -> tasker.submit(TaskRequest.of("a", "b")))
            .task())
        .contains(TASK);
  }

  @Test
  void answer_of_another_program_is_a_problem_too() {
    server.then(404, "<html>not here</html>").then(302, "", "Location",
        "https://login.example.org/");

    ProblemException notFound = catchThrowableOfType(ProblemException.class,
        () -> tasker.task(TASK));
    assertThat(notFound.code()).isEqualTo("refused");
    assertThatThrownBy(() -> tasker.task(TASK)).isInstanceOf(ProblemException.class)
        .hasMessageContaining("https://login.example.org/");
  }

  @Test
  void server_that_is_away_is_unreachable_and_tells_no_secret() {
    server.close();

    assertThatThrownBy(
        () -> TaskerClient.at(server.url()).key("tkr_secret").retries(1).build().task(TASK))
        .isInstanceOf(UnreachableException.class).hasMessageContaining(server.url())
        .hasMessageNotContaining("tkr_secret");
  }

  @Test
  void answer_that_does_not_come_is_unreachable() {
    server.then(exchange -> {
      // No answer.
    });

    assertThatThrownBy(() -> TaskerClient.at(server.url()).retries(0)
        .timeout(Duration.ofMillis(200)).build().task(TASK))
        .isInstanceOf(UnreachableException.class);
  }

  @Test
  void waits_with_long_polls_until_the_task_is_terminal_or_blocked() {
    server.then(200, task("steps_in_process")).then(200, task("blocked_by_failures"));

    assertThat(tasker.await(TASK, Duration.ofMinutes(5)).state())
        .isEqualTo(TaskState.BLOCKED_BY_FAILURES);
    assertThat(server.asked).extracting(StubServer.Asked::target).containsExactly(
        "/v1/tasks/" + TASK + "?wait=60",
        "/v1/tasks/" + TASK + "?wait=60");
  }

  @Test
  void waits_no_longer_than_asked() {
    server.then(200, task("steps_in_process"));

    assertThat(tasker.await(TASK, Duration.ZERO).state()).isEqualTo(TaskState.STEPS_IN_PROCESS);
  }

  @Test
  void lists_page_by_page_with_the_filters_on_each() {
    server
        .then(200,
            "{\"tasks\":[" + task("complete") + "," + task("error") + "],\"next\":\"" + TASK
                + "\"}")
        .then(200, "{\"tasks\":[" + task("cancelled") + "],\"next\":null}");

    List<TaskState> states = StreamSupport
        .stream(tasker.tasks(
            TaskFilter.all().state(TaskState.COMPLETE, TaskState.ERROR).attribute("order", "A 17&"))
            .spliterator(), false)
        .map(Task::state).toList();

    assertThat(states).containsExactly(TaskState.COMPLETE, TaskState.ERROR, TaskState.CANCELLED);
    assertThat(server.asked).extracting(StubServer.Asked::target).containsExactly(
        "/v1/tasks?limit=100&state=complete%2Cerror&attribute=order%3AA%2017%26",
        "/v1/tasks?limit=100&cursor=" + TASK
            + "&state=complete%2Cerror&attribute=order%3AA%2017%26");
  }

  @Test
  void reads_the_workers_of_a_batch_page_by_page() {
    String worker = "{\"step_uuid\":\"" + TASK
        + "\",\"name\":\"load_00%d\",\"state\":\"complete\",\"attempts\":1}";
    server
        .then(200,
            "{\"steps\":[" + worker.formatted(1) + "," + worker.formatted(2) + "],\"next\":\"2\"}")
        .then(200, "{\"steps\":[" + worker.formatted(3) + "],\"next\":null}");

    assertThat(tasker.batchWorkers(TASK, TASK)).extracting(Step::name).containsExactly("load_001",
        "load_002", "load_003");
    assertThat(server.asked).extracting(StubServer.Asked::target).containsExactly(
        "/v1/tasks/" + TASK + "/workflow_steps?batch=" + TASK + "&limit=100",
        "/v1/tasks/" + TASK + "/workflow_steps?batch=" + TASK + "&limit=100&cursor=2");
  }

  @Test
  void cancels_and_acts_with_who_and_why() {
    server.then(200, task("cancelled")).then(200, task("steps_in_process")).then(200,
        "{\"name\":\"s\",\"state\":\"complete\",\"attempts\":1}");

    tasker.cancel(TASK, Cancel.because("ann", "no longer").allowFinish().withChildren());
    tasker.act(TASK, TaskAction.retryFromStep("price", "ann", "wrong").rerunCompleted()
        .newIdempotencyTokens(false));
    Step step = tasker.act(TASK, TASK,
        StepAction.complete(JsonValue.TRUE, "ann", "by hand").ifAttempt(2));

    assertThat(step.state()).isEqualTo("complete");
    assertThat(server.asked)
        .extracting(asked -> asked.method() + " " + asked.target() + " " + asked.body())
        .containsExactly(
            "DELETE /v1/tasks/" + TASK
                + "?requested_by=ann&reason=no%20longer&policy=allow_finish&children=cancel ",
            "PATCH /v1/tasks/" + TASK
                + " {\"action_type\":\"retry_from_step\",\"requested_by\":\"ann\",\"reason\":\"wrong\",\"step\":\"price\",\"rerun_completed\":true,"
                + "\"new_idempotency_token\":false}",
            "PATCH /v1/tasks/" + TASK + "/workflow_steps/" + TASK
                + " {\"action_type\":\"complete_manually\",\"completed_by\":\"ann\",\"reason\":\"by hand\","
                + "\"completion_data\":{\"result\":true},\"attempt\":2}");
  }

  @Test
  void stream_goes_on_after_a_broken_connection_with_the_last_id() {
    server.then(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      write(exchange.getResponseBody(),
          "retry: 2000\nid: 1\nevent: task\ndata: {\"to_state\":\"pending\"}\n\nid: 2\nevent: alive\ndata: \n\nid: 3\nevent: step\nda");
      exchange.close();
    }).then(503, UNAVAILABLE, "Retry-After", "0").then(exchange -> {
      exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      write(exchange.getResponseBody(),
          "id: 3\nevent: step\ndata: {\"step\":\"a\",\ndata: \"to_state\":\"complete\"}\n\nid: 4\nevent: end\ndata: {\"state\":\"complete\"}\n\n");
      exchange.close();
    });

    List<String> seen = new ArrayList<>();
    try (EventStream events = tasker.events(TASK, null)) {
      for (var event = events.next(); event.isPresent(); event = events.next()) {
        seen.add(event.get().id() + " " + event.get().type() + " " + event.get().data());
      }
    }

    assertThat(seen).containsExactly("1 task {\"to_state\":\"pending\"}",
        "3 step {\"step\":\"a\",\"to_state\":\"complete\"}",
        "4 end {\"state\":\"complete\"}");
    assertThat(server.asked).extracting(StubServer.Asked::lastEventId).containsExactly(null, "2",
        "2");
  }

  @Test
  void address_must_be_one() {
    for (String wrong : List.of("localhost:8080", "ftp://a", "http://", "http://user:secret@host",
        "http://host?x=1")) {
      assertThatThrownBy(() -> TaskerClient.at(wrong)).as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageNotContaining("secret");
    }
  }

  @Test
  void parameter_of_the_path_cannot_lead_elsewhere() {
    server.then(200, "{}");
    tasker.send(Call.of(Operation.GET_TEMPLATE).path("namespace", "a/b").path("name", "c?d")
        .path("version", "1.0.0"));
    assertThat(server.asked.get(0).target()).isEqualTo("/v1/templates/a%2Fb/c%3Fd/1.0.0");

    assertThatThrownBy(() -> tasker.send(Call.of(Operation.GET_TEMPLATE).path("namespace", "..")
        .path("name", "c").path("version", "d")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tasker.send(Call.of(Operation.GET_TEMPLATE).path("namespace", "a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static String task(String state) {
    return "{\"task_uuid\":\"" + TASK
        + "\",\"namespace\":\"a\",\"name\":\"b\",\"version\":\"1.0.0\",\"state\":\"" + state
        + "\"}";
  }
}
