package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@AgainstServer
class CancelIT {
  private final TaskerClient tasker;

  CancelIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void task_of_which_nothing_runs_is_cancelled_at_once() {
    UUID task = tasker.submit("retry_later", "{}");
    TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
        () -> state(task).equals("waiting_for_retry"));

    Answer answer = tasker
        .delete("/v1/tasks/" + task + "?reason=no%20longer%20wanted&requested_by=me");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text("state")).isEqualTo("cancelled");
    JsonObject request = answer.object().getJsonObject("cancel_request");
    assertThat(request.getString("by")).as("who was authenticated").isEqualTo("admin");
    assertThat(request.getString("claimed_actor")).isEqualTo("me");
    assertThat(request.getString("reason")).isEqualTo("no longer wanted");
    assertThat(request.getString("policy")).isEqualTo("cancel_running");
    assertThat(tasker.steps(task).get("failing").getString("state")).isEqualTo("cancelled");
  }

  @Test
  void running_handler_is_asked_to_stop_and_its_successors_never_start() {
    UUID task = tasker.submit("hold", "{}");
    awaitStarted(task);

    Answer answer = tasker.delete("/v1/tasks/" + task);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.object().getJsonObject("cancel_request").getString("by")).isEqualTo("admin");

    assertThat(tasker.awaitTerminalOrBlocked(task, Duration.ofSeconds(40)).getString("state"))
        .isEqualTo("cancelled");
    assertThat(tasker.count(
        "select count(*) from testing.effects where task_uuid = ? and effect = 'saw the cancel request'",
        task))
        .isEqualTo(1);
    Map<String, JsonObject> steps = tasker.steps(task);
    assertThat(steps.get("before").getString("state")).isEqualTo("complete");
    assertThat(steps.get("held").getString("state")).isEqualTo("cancelled");
    assertThat(steps.get("after").getString("state")).isEqualTo("cancelled");
    assertThat(steps.get("after").getInt("attempts")).isZero();
  }

  @Test
  void cancel_reaches_a_running_handler_at_once_and_not_with_the_heartbeat() {
    UUID task = tasker.submit("hold", "{}");
    awaitStarted(task);

    tasker.delete("/v1/tasks/" + task);

    // A heartbeat renews steps that are older than a third of their lease, 20 seconds, and gets
    // their cancel requests.
    assertThat(tasker.awaitTerminalOrBlocked(task, Duration.ofSeconds(18)).getString("state"))
        .isEqualTo("cancelled");
    assertThat(tasker.count(
        "select count(*) from testing.effects where task_uuid = ? and effect = 'saw the cancel request'",
        task))
        .isEqualTo(1);
  }

  @Test
  void handler_that_does_not_heed_the_request_is_ended_after_the_grace_period() {
    UUID task = tasker.submit("deaf", "{}");
    awaitStarted(task);

    tasker.delete("/v1/tasks/" + task + "?grace_seconds=1");

    assertThat(tasker.awaitTerminalOrBlocked(task, Duration.ofMinutes(1)).getString("state"))
        .isEqualTo("cancelled");
    assertThat(tasker.steps(task).get("deaf").getString("state")).isEqualTo("cancelled");
    assertThat(tasker.count(
        "select count(*) from tasker.workflow_step_transitions h left join tasker.workflow_step_result_audit r "
            + "on r.workflow_step_uuid = h.workflow_step_uuid and r.sort_key = h.sort_key where h.task_uuid = ? and h.to_state = 'cancelled' "
            + "and coalesce(h.metadata ->> 'forced', r.error ->> 'forced') = 'true'",
        task)).isEqualTo(1);
    tasker.sql("insert into testing.released values (?)", task);
    TaskerClient.until("the thread comes to its end", Duration.ofSeconds(20),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'finished'",
            task) == 1);
    assertThat(tasker.steps(task).get("deaf").getString("state")).isEqualTo("cancelled");
    assertThat(tasker.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0)
        .getString("health")).isEqualTo("healthy");
  }

  @Test
  void running_handler_may_finish_when_that_is_the_policy() {
    UUID task = tasker.submit("hold", "{}");
    awaitStarted(task);

    assertThat(tasker.delete("/v1/tasks/" + task + "?policy=allow_finish").text("state"))
        .isEqualTo("steps_in_process");
    tasker.sql("insert into testing.released values (?)", task);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
    assertThat(tasker.steps(task).get("held").getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("after").getString("state")).isEqualTo("cancelled");
  }

  @Test
  void asking_twice_is_asking_once() {
    UUID task = tasker.submit("retry_later", "{}");
    TaskerClient.until("the step waits for its retry", Duration.ofSeconds(20),
        () -> state(task).equals("waiting_for_retry"));

    Answer first = tasker.delete("/v1/tasks/" + task + "?requested_by=first");
    long moves = tasker.count("select count(*) from tasker.task_transitions where task_uuid = ?",
        task);
    Answer second = tasker.delete("/v1/tasks/" + task + "?requested_by=second");

    assertThat(second.status()).isEqualTo(200);
    assertThat(second.object().getJsonObject("cancel_request"))
        .isEqualTo(first.object().getJsonObject("cancel_request"));
    assertThat(
        tasker.count("select count(*) from tasker.task_transitions where task_uuid = ?", task))
        .isEqualTo(moves);
  }

  @Test
  void task_that_ended_otherwise_cannot_be_cancelled() {
    UUID task = tasker.submit("hello", "{}");
    tasker.awaitTerminalOrBlocked(task);

    Answer answer = tasker.delete("/v1/tasks/" + task);

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.text("code")).isEqualTo("task-already-ended");
    assertThat(answer.text("state")).isEqualTo("complete");
    assertThat(state(task)).isEqualTo("complete");
  }

  @Test
  void blocked_task_can_be_cancelled() {
    UUID task = tasker.submit("fail", "{'way': 'permanent'}");
    tasker.awaitTerminalOrBlocked(task);

    Answer answer = tasker.delete("/v1/tasks/" + task);

    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.text("state")).isEqualTo("cancelled");
    assertThat(tasker.steps(task).get("fail").getString("state")).isEqualTo("error");
  }

  private void awaitStarted(UUID task) {
    TaskerClient.until("the handler runs", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started'",
            task) == 1);
  }

  private String state(UUID task) {
    return tasker.get("/v1/tasks/" + task).text("state");
  }
}
