package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Compensation over HTTP, by each that may ask: the template after a failure, a cancel, an
 * operator, a time limit.
 */
@AgainstServer
class CompensationIT {
  private static final String SAGA = """
      name: NAME
      namespace_name: testing
      version: "1.0.0"
      identity_strategy: always_unique
      lifecycle: LIFECYCLE
      steps:
        - name: open
          type: batchable
          handler: {callable: testing.CutBatches}
          compensation: {handler: {callable: testing.Echo}}
        - name: load
          type: batch_worker
          depends_on: [open]
          handler: {callable: testing.WorkOffBatch}
          retry: {max_attempts: 1}
          batch_config: {worker_template: load, parallelism: 2}
          compensation: {handler: {callable: testing.Echo}}
        - name: close
          depends_on: [load]
          handler: {callable: CLOSE, initialization: {way: permanent}}
          compensation: {when: attempted, handler: {callable: testing.Echo}}
      """;
  private static final String CONTEXT = "{'cursors': [1, 2, 'fail']}";

  private final TaskerClient tasker;
  private final String name = "saga_" + UUID.randomUUID().toString().substring(0, 8);

  CompensationIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @AfterAll
  static void promises_are_kept(TaskerClient tasker) {
    assertThat(tasker.sql(
        "select * from tasker.check_history(now() - interval '5 minutes') where violations > 0"))
        .isEmpty();
  }

  private UUID submit(String lifecycle, String close) {
    Answer registered = tasker.postTemplate(
        SAGA.replace("NAME", name).replace("LIFECYCLE", lifecycle).replace("CLOSE", close));
    assertThat(registered.status()).as(registered.toString()).isIn(200, 201);
    return tasker.submit("testing", name, CONTEXT);
  }

  private Answer compensate(TaskerClient client, UUID task) {
    return client.send(client.request("/v1/tasks/" + task)
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(
            TaskerClient.quoted(
                "{'action_type': 'compensate', 'requested_by': 'ann', 'reason': 'the customer left'}"))));
  }

  private void awaitHolding(UUID task) {
    TaskerClient.until("it holds", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started'",
            task) > 0);
  }

  private JsonObject ended(UUID task, String state, String cause) {
    JsonObject shown = tasker.awaitTerminalOrBlocked(task);
    assertThat(shown.getString("state")).isEqualTo(state);
    JsonObject document = tasker.get("/v1/tasks/" + task).object();
    JsonObject compensation = document.getJsonObject("compensation");
    assertThat(compensation.getString("cause")).isEqualTo(cause);
    assertThat(compensation.getString("state")).isEqualTo("compensated");
    assertThat(compensation.getInt("planned_steps"))
        .as("of open, of the batch, and of close, which was attempted").isEqualTo(3);
    assertThat(compensation.getInt("completed_steps")).isEqualTo(3);
    assertThat(tasker.steps(task).keySet()).containsExactlyInAnyOrder("open", "load", "close",
        "open:compensation", "load:compensation",
        "close:compensation");
    List<JsonObject> batches = document.getJsonArray("batches").getValuesAs(JsonObject.class);
    assertThat(batches).extracting(batch -> batch.getString("step") + " " + batch.getInt("done"))
        .containsExactly("load 2",
            "load:compensation 2");
    assertThat(tasker
        .get("/v1/tasks/" + task + "/workflow_steps?batch=" + batches.get(1).getString("step_uuid"))
        .list("steps"))
        .extracting(step -> step.getString("name"))
        .containsExactly("load_001:compensation", "load_002:compensation");
    return compensation;
  }

  @Test
  void a_failure_is_compensated_and_the_task_ends_in_error() {
    UUID task = submit("{on_failure: compensate}", "testing.Fail");

    assertThat(ended(task, "error", "failure").isNull("asked_by")).isTrue();
  }

  @Test
  void a_cancel_asks_for_the_compensation() {
    UUID task = submit("{}", "testing.Hold");
    awaitHolding(task);

    assertThat(
        tasker.delete("/v1/tasks/" + task + "?compensate=true&reason=enough").object()
            .getJsonObject("compensation").getString("state"))
        .isIn("asked", "running");
    assertThat(ended(task, "cancelled", "cancel").getString("reason")).isEqualTo("enough");
  }

  @Test
  void an_operator_compensates_a_task_that_is_blocked_and_one_that_runs() {
    UUID blocked = submit("{}", "testing.Fail");
    assertThat(tasker.awaitTerminalOrBlocked(blocked).getString("state"))
        .isEqualTo("blocked_by_failures");
    assertThat(compensate(tasker, blocked).status()).isEqualTo(200);
    ended(blocked, "error", "operator");
    assertThat(compensate(tasker, blocked).status()).as("asked twice").isEqualTo(200);
  }

  @Test
  void compensate_cancels_a_task_that_runs_for_those_who_may_cancel() {
    UUID task = submit("{}", "testing.Hold");
    awaitHolding(task);
    TaskerClient one = tasker.asOneWhoMay(List.of("tasks:act", "tasks:read"));
    assertThat(compensate(one, task).status()).isEqualTo(403);
    assertThat(one.get("/v1/tasks/" + task).object().getJsonArray("allowed_actions")).isEmpty();
    assertThat(tasker.get("/v1/tasks/" + task).object().getJsonArray("allowed_actions").toString())
        .isEqualTo("[\"cancel\",\"compensate\",\"fork\"]");

    assertThat(
        compensate(tasker.asOneWhoMay(List.of("tasks:act", "tasks:cancel", "tasks:read")), task)
            .status())
        .isEqualTo(200);
    ended(task, "cancelled", "cancel");
  }

  @Test
  void a_task_that_is_complete_is_not_compensated() {
    UUID task = submit("{}", "testing.Echo");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");

    Answer answer = compensate(tasker, task);
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.text("code")).isEqualTo("task-already-ended");
  }

  @Test
  void a_time_limit_compensates() {
    UUID task = submit("{max_duration: PT2S, on_timeout: compensate}", "testing.Hold");

    ended(task, "cancelled", "cancel");
  }

  @Test
  void many_tasks_are_compensated_by_one_action() {
    UUID one = submit("{}", "testing.Hold");
    UUID other = submit("{}", "testing.Hold");
    awaitHolding(one);
    awaitHolding(other);
    String recall = TaskerClient.quoted(
        "{'action_type': 'compensate', 'requested_by': 'ann', 'reason': 'recall', 'filter': {'name': '"
            + name + "', 'namespace': 'testing'}}");
    Answer counted = tasker.post("/v1/bulk-actions", recall);
    assertThat(counted.object().getInt("count")).isEqualTo(2);
    Answer ran = tasker.post("/v1/bulk-actions/" + counted.text("token") + "/run", "");
    assertThat(ran.object().getJsonObject("results").getInt("done")).isEqualTo(2);

    ended(one, "cancelled", "cancel");
    ended(other, "cancelled", "cancel");
  }
}
