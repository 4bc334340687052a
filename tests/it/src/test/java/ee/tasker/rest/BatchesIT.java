package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Batches over HTTP: from the text of a template to the result of the step that follows. */
@AgainstServer
class BatchesIT {
  private static final String BY_HANDLER = """
      name: NAME
      namespace_name: testing
      version: "1.0.0"
      identity_strategy: always_unique
      steps:
        - {name: cut, type: batchable, handler: {callable: testing.CutBatches}, retry: {max_attempts: 1}}
        - name: work
          type: batch_worker
          depends_on: [cut]
          handler: {callable: testing.WorkOffBatch}
          batch_config: {worker_template: work, parallelism: 2, failure_strategy: isolate, tolerate: 1}
        - {name: join, type: deferred_convergence, depends_on: [work], handler: {callable: testing.Echo}}
      """;
  private static final String BY_ITEMS = BY_HANDLER.replaceAll(
      "handler: \\{callable: testing.CutBatches}, retry: \\{max_attempts: 1}",
      "batch_config: {worker_template: work, items: '\\$.context.rows[*]', batch_size: 2}");

  private final TaskerClient tasker;
  private final String name = "batched_" + UUID.randomUUID().toString().substring(0, 8);

  BatchesIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  private UUID task(String template, String context) {
    assertThat(tasker.postTemplate(template.replace("NAME", name)).status()).isIn(200, 201);
    UUID task = tasker.submit("testing", name, context);
    tasker.awaitTerminalOrBlocked(task);
    return task;
  }

  private Answer patch(UUID task, String step, String json) {
    return tasker.send(tasker
        .request("/v1/tasks/" + task + "/workflow_steps/"
            + tasker.steps(task).get(step).getString("step_uuid"))
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(json))));
  }

  @Test
  void a_handler_makes_batches_and_the_workers_are_shown_by_page() {
    UUID task = task(BY_HANDLER, "{'cursors': [1, {'start': 2}, 'fail', [4], 5]}");

    assertThat(tasker.steps(task).keySet()).containsExactlyInAnyOrder("cut", "work", "join");
    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getString("state")).isEqualTo("complete");
    JsonObject batch = shown.getJsonArray("batches").getJsonObject(0);
    assertThat(batch.getInt("done")).isEqualTo(4);
    assertThat(batch.getInt("failed")).isEqualTo(1);
    assertThat(tasker.steps(task).get("work").getJsonObject("result").getJsonArray("results")
        .getJsonObject(1))
        .hasToString("{\"result\":{\"start\":2},\"batch_id\":\"002\"}");

    String path = "/v1/tasks/" + task + "/workflow_steps?batch=" + batch.getString("step_uuid")
        + "&limit=3";
    JsonObject first = tasker.get(path).object();
    assertThat(first.getJsonArray("steps").getValuesAs(JsonObject.class))
        .extracting(step -> step.getString("name"))
        .containsExactly("work_001", "work_002", "work_003");
    JsonObject second = tasker.get(path + "&cursor=" + first.getString("next")).object();
    assertThat(second.getJsonArray("steps")).hasSize(2);
    assertThat(second.isNull("next")).isTrue();
    assertThat(tasker.get("/v1/tasks/" + task + "/workflow_steps?batch=" + task).fields())
        .containsExactly("batch");
    assertThat(tasker.get("/v1/tasks/" + task + "/workflow_steps?limit=3").fields())
        .containsExactly("limit");
    assertThat(tasker.get(path + "&state=complete&states=true").object().getString("states"))
        .isEqualTo("ccfcc");
    assertThat(tasker.get(path + "&state=error").object().getJsonArray("steps")
        .getValuesAs(JsonObject.class))
        .extracting(step -> step.getString("name")).containsExactly("work_003");
    assertThat(tasker.get(path + "&states=true&cursor=4").object().getString("states"))
        .isEqualTo("c");
    assertThat(tasker.get(path).object()).as("only when it is asked for")
        .doesNotContainKey("states");
    assertThat(tasker.get(path + "&state=nope").fields()).containsExactly("state");
    assertThat(tasker.get(path + "&states=maybe").fields()).containsExactly("states");
    assertThat(tasker.get("/v1/tasks/" + task + "/workflow_steps?states=true").fields())
        .containsExactly("states");
  }

  @Test
  void a_handler_reads_the_results_by_page() {
    String counting = BY_HANDLER.replace("testing.Echo", "testing.CountBatches");
    String cursors = java.util.stream.IntStream.range(0, 401)
        .mapToObj(n -> n == 200 ? "'fail'" : "" + n)
        .collect(java.util.stream.Collectors.joining(", "));
    UUID task = task(counting.replace("parallelism: 2", "parallelism: 200"),
        "{'cursors': [" + cursors + "]}");
    assertThat(tasker.steps(task).get("join").getJsonObject("result"))
        .hasToString("{\"done\":400,\"last\":\"401\",\"failed\":1}");
  }

  @Test
  void a_handler_that_follows_from_no_such_batch_fails() {
    UUID task = task(
        BY_HANDLER.replace("{callable: testing.Echo}",
            "{callable: testing.CountBatches, initialization: {of: another}}"),
        "{'cursors': []}");
    assertThat(tasker.steps(task).get("join").getJsonObject("error").getString("type"))
        .isEqualTo("MissingBatch");
  }

  @Test
  void items_are_cut_without_a_handler() {
    UUID task = task(BY_ITEMS, "{'rows': [1, 2, 3]}");

    assertThat(tasker.steps(task).get("cut").getJsonObject("result"))
        .hasToString("{\"total_items\":3,\"total_batches\":2}");
    assertThat(
        tasker.steps(task).get("work").getJsonObject("result").getJsonArray("results").toString())
        .isEqualTo(
            "[{\"result\":[1,2],\"batch_id\":\"001\"},{\"result\":[3],\"batch_id\":\"002\"}]");
    assertThat(tasker.get("/v1/tasks/" + task).text("state")).isEqualTo("complete");
  }

  @Test
  void a_failed_batch_blocks_the_task_until_an_operator_closes_it() {
    UUID task = task(BY_HANDLER, "{'cursors': ['fail', 'fail', 3]}");
    assertThat(tasker.get("/v1/tasks/" + task).text("state")).isEqualTo("blocked_by_failures");
    assertThat(tasker.steps(task).get("work").getJsonObject("error").getString("type"))
        .isEqualTo("batch_failed");

    assertThat(patch(task, "work",
        "{'action_type': 'resolve_manually', 'resolved_by': 'ann', 'reason': 'enough'}").status())
        .isEqualTo(200);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
  }

  @Test
  void a_success_without_batches_is_an_error_that_an_operator_mends_with_cursors() {
    UUID task = task(BY_HANDLER, "{}");
    assertThat(tasker.steps(task).get("cut").getJsonObject("error").getString("type"))
        .isEqualTo("invalid_batches");

    String request = "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'by hand', 'completion_data': {'result': {}, 'batches': BATCHES}}";
    assertThat(patch(task, "cut", request.replace("BATCHES", "7")).fields())
        .containsExactly("completion_data/batches");
    assertThat(patch(task, "cut", request.replace("BATCHES", "[7]")).status()).isEqualTo(200);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
  }
}
