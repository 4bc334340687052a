package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Steps that run a task, and outputs, over HTTP. */
@AgainstServer
class ChildTasksIT {
  private final TaskerClient tasker;
  private final String name = "children_" + UUID.randomUUID().toString().substring(0, 8);

  ChildTasksIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private void register(String suffix, String more) {
    assertThat(tasker
        .postTemplate("name: " + name + suffix
            + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
            + more)
        .status())
        .isIn(200, 201);
  }

  private UUID parent() {
    register("_child", """
        input_schema: {type: object, required: [word]}
        output: {said: "$.results.say.text"}
        steps:
          - {name: say, handler: {callable: testing.Echo}}
        """.replace("$.results.say.text", "$.context.word"));
    register("", """
        output: {answer: "$.results.call.said"}
        steps:
          - {name: call, task: {name: %s_child, context: {word: "$.context.text", text: "$.context.text"}}}
          - {name: after, dependencies: [call], wait: {for: PT0.1S}}
        """.formatted(name));
    return tasker.submit("testing", name, "{'text': 'secret word'}");
  }

  @Test
  void a_child_runs_at_once_and_its_output_goes_on_to_that_of_the_parent() {
    Instant before = Instant.now();
    UUID task = parent();
    JsonObject ended = tasker.awaitTerminalOrBlocked(task);

    assertThat(ended.getString("state")).isEqualTo("complete");
    assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(10));
    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getJsonObject("output").getString("answer")).isEqualTo("secret word");
    JsonObject child = tasker.get("/v1/tasks/" + task + "/children").list("children").get(0);
    assertThat(child.getString("step")).isEqualTo("call");
    assertThat(child.getString("state")).isEqualTo("complete");
    assertThat(tasker.get("/v1/tasks/" + child.getString("task_uuid")).object()
        .getString("parent_task_uuid")).isEqualTo(task.toString());
  }

  @Test
  void an_output_is_shown_to_who_may_see_contexts_and_results() {
    UUID task = parent();
    tasker.awaitTerminalOrBlocked(task);

    for (String permissions : List.of("tasks:read in testing",
        "tasks:read in testing, steps:read in testing",
        "tasks:read in testing, tasks:context_read in testing")) {
      TaskerClient reader = tasker.asOneWhoMay(List.of(permissions.split(", ")));
      assertThat(reader.get("/v1/tasks/" + task).body()).as(permissions)
          .doesNotContain("\"output\"");
    }
    TaskerClient both = tasker.asOneWhoMay(
        List.of("tasks:read in testing", "steps:read in testing", "tasks:context_read in testing"));
    assertThat(both.get("/v1/tasks/" + task).body()).contains("\"output\"");
    TaskerClient stranger = tasker.asOneWhoMay(List.of("tasks:read in contract"));
    assertThat(stranger.get("/v1/tasks/" + task + "/children").status()).isEqualTo(404);
  }

  @Test
  void who_registers_a_template_needs_the_right_to_submit_where_its_children_run() {
    String template = "name: " + name
        + "_far\nnamespace_name: testing\nversion: 1.0.0\nsteps: [{name: a, task: {namespace: contract, name: x}}]\n";
    TaskerClient author = tasker
        .asOneWhoMay(List.of("templates:register in testing", "templates:read in testing"));
    assertThat(author.postTemplate(template).status()).isEqualTo(403);
    TaskerClient allowed = tasker
        .asOneWhoMay(List.of("templates:register in testing", "tasks:create in contract"));
    assertThat(allowed.postTemplate(template).status()).isEqualTo(201);
  }
}
