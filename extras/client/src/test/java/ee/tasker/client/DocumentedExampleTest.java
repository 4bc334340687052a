package ee.tasker.client;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The example of {@code docs/cli.md} is the code below, and works. */
class DocumentedExampleTest {
  private static final String TASK = "01a1fc6e-c2c5-70dd-8baf-9fc43ba29188";

  @Test
  void example_of_the_document_is_this_code() throws IOException {
    String source = Files
        .readString(Path.of("src/test/java/ee/tasker/client/DocumentedExampleTest.java"));
    String code = source.substring(source.indexOf("// begin" + "\n") + 9,
        source.indexOf("// end" + "\n"));
    String document = Files.readString(Path.of("../../docs/cli.md"));
    int begin = document.indexOf("```java\n", document.indexOf("## The Java client")) + 8;

    assertThat(words(
        document.substring(begin, document.indexOf("```", begin)).replaceFirst(".*build\\(\\);", "")
            .replaceAll("\\s//.*", "")))
        .isEqualTo(words(code));
  }

  /** The formatter may break lines elsewhere. */
  private static String words(String code) {
    return code.replaceAll("\\s+", "");
  }

  @Test
  void example_works() {
    String blocked = "{\"task_uuid\":\"" + TASK
        + "\",\"namespace\":\"payments\",\"state\":\"blocked_by_failures\"}";
    try (StubServer server = new StubServer()) {
      server
          .then(201,
              "{\"task_uuid\":\"" + TASK
                  + "\",\"state\":\"pending\",\"version\":\"1.0.0\",\"duplicate\":false}")
          .then(200, blocked)
          .then(200,
              "{\"steps\":[{\"name\":\"charge\",\"state\":\"error\",\"error\":{\"type\":\"T\",\"message\":\"no money\"}}]}")
          .then(200, "{\"tasks\":[" + blocked + "],\"next\":null}").then(200, blocked)
          .then(exchange -> {
            byte[] events = "id: 1\nevent: end\ndata: {\"state\":\"complete\"}\n\n"
                .getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, events.length);
            exchange.getResponseBody().write(events);
            exchange.close();
          }).then(200, "{\"queues\":[],\"next\":null}");

      example(TaskerClient.at(server.url()).build(),
          Json.createObjectBuilder().add("order", 17).build());

      assertThat(server.asked)
          .extracting(asked -> asked.method() + " " + asked.target().replaceAll("\\?.*", ""))
          .containsExactly(
              "POST /v1/tasks",
              "GET /v1/tasks/" + TASK, "GET /v1/tasks/" + TASK + "/workflow_steps", "GET /v1/tasks",
              "PATCH /v1/tasks/" + TASK,
              "GET /v1/tasks/" + TASK + "/events", "GET /v1/queues");
    }
  }

  private static void example(TaskerClient tasker, JsonObject context) {
    // begin
    SubmittedTask order = tasker.submit(TaskRequest.of("payments", "order").context(context)
        .idempotencyKey("order-17").returnDuplicate());
    Task done = tasker.await(order.taskUuid(), Duration.ofMinutes(5));
    if (!done.state().isSuccess()) {
      for (Step step : tasker.steps(order.taskUuid())) {
        step.error().ifPresent(
            error -> System.err.println(step.name() + ": " + error.getString("message")));
      }
    }

    for (Task blocked : tasker
        .tasks(TaskFilter.all().namespace("payments").state(TaskState.BLOCKED_BY_FAILURES))) {
      tasker.act(blocked.taskUuid(), TaskAction.retry("ann", "the bank is back"));
    }

    try (EventStream events = tasker.events(order.taskUuid(), null)) {
      for (Optional<TaskEvent> event = events.next(); event.isPresent(); event = events.next()) {
        System.out.println(event.get().data());
      }
    }

    JsonObject queues = tasker.send(Call.of(Operation.LIST_QUEUES)).json();
    // end
    assertThat(queues).isNotNull();
  }
}
