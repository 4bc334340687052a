package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A task that is made from another one over HTTP, and runs to its end. */
@AgainstServer
class ForksIT {
  private static final String TEMPLATE = """
      name: NAME
      namespace_name: testing
      version: "1.0.0"
      input_schema: {type: object, required: [amount], properties: {amount: {type: integer}}}
      steps:
        - {name: first, handler: {callable: testing.Echo}}
        - {name: second, dependencies: [first], handler: {callable: testing.Echo}}
      """;
  private static final String WHO_AND_WHY = "'requested_by': 'ann', 'reason': 'the amount was wrong'";

  private final TaskerClient tasker;
  private final String name = "forked_" + UUID.randomUUID().toString().substring(0, 8);

  ForksIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  private UUID source() {
    assertThat(tasker.postTemplate(TEMPLATE.replace("NAME", name)).status()).isIn(200, 201);
    UUID task = tasker.submit("testing", name, "{'amount': 1}");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    return task;
  }

  private Answer fork(UUID task, String json) {
    return tasker.post("/v1/tasks/" + task + "/forks", TaskerClient.quoted(json));
  }

  @Test
  void a_fork_of_a_unique_task_runs_its_last_step_with_another_context() {
    UUID source = source();

    Answer answer = fork(source,
        "{'from': ['second'], 'context': {'amount': 2}, 'priority': 3, " + WHO_AND_WHY + "}");

    assertThat(answer.status()).isEqualTo(201);
    UUID fork = UUID.fromString(answer.text("task_uuid"));
    assertThat(answer.header("Location")).endsWith("/v1/tasks/" + fork);
    JsonObject ended = tasker.awaitTerminalOrBlocked(fork);
    assertThat(ended.getString("state")).isEqualTo("complete");
    assertThat(ended.getInt("priority")).isEqualTo(3);
    assertThat(tasker.steps(fork).get("first").get("result"))
        .isEqualTo(tasker.steps(source).get("first").get("result"));
    assertThat(tasker.steps(fork).get("first").getInt("attempts")).isZero();
    assertThat(tasker.steps(fork).get("second").getInt("attempts")).isEqualTo(1);
    JsonObject forks = tasker.get("/v1/tasks/" + source + "/forks").object();
    assertThat(forks.getJsonArray("forks").getJsonObject(0).getString("task_uuid"))
        .isEqualTo(fork.toString());
    assertThat(tasker.get("/v1/tasks/" + fork + "/forks").object().getJsonObject("forked_from")
        .getString("task_uuid"))
        .isEqualTo(source.toString());
    assertThat(tasker.get("/v1/tasks/" + fork + "/history").body()).contains("\"fork\"",
        "the amount was wrong");
  }

  @Test
  void what_is_wrong_is_named_and_makes_nothing() {
    UUID source = source();

    assertThat(fork(source, "{'from': ['third'], " + WHO_AND_WHY + "}").fields())
        .containsExactly("from[0]");
    assertThat(fork(source, "{'from': [], " + WHO_AND_WHY + "}").fields()).containsExactly("from");
    assertThat(fork(source, "{'from': 'second', " + WHO_AND_WHY + "}").fields())
        .containsExactly("from");
    assertThat(fork(source, "{}").fields()).contains("from", "reason", "requested_by");
    assertThat(fork(source, "{'from': ['second'], 'step': 'x', " + WHO_AND_WHY + "}").fields())
        .containsExactly("step");
    Answer invalid = fork(source,
        "{'from': ['second'], 'context': {'amount': 'x'}, " + WHO_AND_WHY + "}");
    assertThat(invalid.status()).isEqualTo(400);
    assertThat(invalid.text("code")).isEqualTo("invalid-context");
    assertThat(invalid.fields()).containsExactly("context/amount");
    assertThat(fork(UUID.randomUUID(), "{'from': ['second'], " + WHO_AND_WHY + "}").status())
        .isEqualTo(404);
    assertThat(tasker.get("/v1/tasks/" + source + "/forks").object().getJsonArray("forks"))
        .isEmpty();
  }
}
