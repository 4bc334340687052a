package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * What a running server answers fits {@code openapi.yaml}, whose schemas leave no room for members
 * they do not know.
 */
@AgainstServer
class OpenApiIT {
  private static final String LINEAR = "{\"namespace\":\"linear\",\"name\":\"mathematical_sequence\",\"version\":\"1.0.0\",\"context\":{\"even_number\":%s}}";

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .build();

  private final URI base;

  OpenApiIT(TaskerClient tasker) {
    base = tasker.base();
  }

  @Test
  void a_task_and_everything_about_it_is_as_described() throws Exception {
    JsonObject task = answer("POST", "v1/tasks?wait=30", LINEAR.formatted("6"), 201, "Task")
        .asJsonObject();
    String path = "v1/tasks/" + task.getString("task_uuid");
    JsonObject steps = answer("GET", path + "/workflow_steps", null, 200, "StepList")
        .asJsonObject();
    String step = steps.getJsonArray("steps").getJsonObject(0).getString("step_uuid");

    assertThat(task.getString("state")).isEqualTo("complete");
    answer("GET", path, null, 200, "Task");
    answer("GET", "v1/tasks?limit=5&namespace=linear", null, 200, "TaskPage");
    answer("GET", path + "/workflow_steps/" + step, null, 200, "Step");
    answer("GET", path + "/workflow_steps/" + step + "/audit", null, 200, "StepResultList");
    answer("DELETE", path, null, 409, "Problem");
  }

  @Test
  void a_blocked_task_is_as_described() throws Exception {
    JsonObject task = answer("POST", "v1/tasks?wait=30", LINEAR.formatted("7"), 201, "Task")
        .asJsonObject();

    assertThat(task.getString("state")).isEqualTo("blocked_by_failures");
    answer("GET", "v1/tasks/" + task.getString("task_uuid") + "/workflow_steps", null, 200,
        "StepList");
    answer("DELETE", "v1/tasks/" + task.getString("task_uuid") + "?reason=test", null, 200, "Task");
  }

  @Test
  void short_answers_templates_and_handlers_are_as_described() throws Exception {
    answer("POST", "v1/tasks", LINEAR.formatted("8"), 201, "SubmittedTask");
    answer("POST", "v1/tasks:batch",
        "[" + LINEAR.formatted("8") + ",7," + LINEAR.formatted("\"x\"") + "]", 207,
        "BatchVerdicts");
    answer("GET", "v1/templates", null, 200, "TemplateList");
    answer("GET", "v1/templates/linear/mathematical_sequence/1.0.0", null, 200, "Template");
    answer("POST", "v1/templates/validate", "{\"name\": 1}", 200, "TemplateValidation");
    answer("GET", "v1/handlers", null, 200, "Handlers");
    answer("GET", "v1/queues", null, 200, "QueueList");
    answer("GET", "health", null, 200, "Health");
  }

  @Test
  void what_is_wrong_is_a_problem_with_its_code() throws Exception {
    assertProblem("unknown-template", "POST", "v1/tasks",
        "{\"namespace\":\"linear\",\"name\":\"nope\",\"version\":\"1.0.0\",\"context\":{}}", 404);
    assertProblem("invalid-context", "POST", "v1/tasks", LINEAR.formatted("\"six\""), 400);
    assertProblem("invalid-request", "POST", "v1/tasks",
        "{\"namespace\":\"linear\",\"name\":\"  \",\"version\":\"1.0.0\",\"context\":{}}",
        400);
    assertProblem("malformed-json", "POST", "v1/tasks", "{", 400);
    assertProblem("task-not-found", "GET", "v1/tasks/00000000-0000-7000-8000-000000000000", null,
        404);
    assertProblem("no-such-path", "GET", "v1/nope", null, 404);
    assertProblem("method-not-allowed", "PUT", "v1/tasks", "{}", 405);
  }

  @Test
  void the_longest_idempotency_key_is_taken() throws Exception {
    String request = LINEAR.formatted("6").replaceFirst("\\{",
        "{\"idempotency_key\":\"" + "k".repeat(256) + "\",");

    answer("POST", "v1/tasks", request, 201, "SubmittedTask");
    assertProblem("duplicate-task", "POST", "v1/tasks", request, 409);
  }

  @Test
  void the_document_is_json_unless_yaml_is_asked_for() throws Exception {
    HttpResponse<String> plain = send("GET", "openapi", null, "*/*");
    HttpResponse<String> asked = send("GET", "openapi", null, "application/yaml");

    assertThat(plain.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    assertThat(plain.body()).isEqualTo(new OpenApiDocument().json());
    assertThat(asked.body()).isEqualTo(send("GET", "openapi.yaml", null, "*/*").body())
        .startsWith("openapi: 3.1.0");
  }

  private void assertProblem(String code, String method, String path, String body, int status)
      throws Exception {
    assertThat(answer(method, path, body, status, "Problem").asJsonObject().getString("code"))
        .isEqualTo(code);
  }

  private JsonValue answer(String method, String path, String body, int status, String schema)
      throws Exception {
    HttpResponse<String> response = send(method, path, body, "*/*");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    JsonValue answer = Json.createReader(new StringReader(response.body())).readValue();
    if (schema != null) {
      assertFits(schema, answer);
    }
    return answer;
  }

  private static void assertFits(String schema, JsonValue answer) {
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    assertThat(OpenApiSchemas.of(document, schema).validate(answer).complaints())
        .as(answer.toString()).isEmpty();
  }

  private HttpResponse<String> send(String method, String path, String body, String accept)
      throws Exception {
    return http.send(HttpRequest.newBuilder(base.resolve("/" + path))
        .method(method,
            body == null ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(body))
        .header("Authorization", Login.FOR_TESTS.basic())
        .header("Content-Type", "application/json").header("Accept", accept)
        .timeout(Duration.ofSeconds(60)).build(), HttpResponse.BodyHandlers.ofString());
  }
}
