package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a cancel does to a handler that runs in a server. */
@AgainstServer
class CancelAfterHandoffIT {
  private final TaskerClient tasker;

  CancelAfterHandoffIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void H2_running_handler_sees_the_request_within_a_heartbeat_and_ends_itself() {
    UUID task = tasker.submit("hold", "{}");
    TaskerClient.until("the handler runs", Duration.ofSeconds(30),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'started'",
            task) == 1);

    assertThat(tasker.delete("/v1/tasks/" + task + "?requested_by=me&reason=enough").text("state"))
        .isEqualTo("steps_in_process");

    TaskerClient.until("the handler saw it", Duration.ofSeconds(15),
        () -> tasker.count(
            "select count(*) from testing.effects where task_uuid = ? and effect = 'saw the cancel request'",
            task) == 1);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
    // The orchestrator wrote a request on the task and nothing on the step; the worker ended it.
    assertThat(tasker.value(
        "select concat_ws(' ', cancel_requested_by, cancel_claimed_actor, cancel_reason) from tasker.tasks where task_uuid = ?",
        task))
        .isEqualTo("admin me enough");
    assertThat(tasker.value("""
        select string_agg(concat_ws(' ', h.to_state, h.actor), ', ' order by h.sort_key) from tasker.workflow_step_transitions h
        join tasker.workflow_steps s using (workflow_step_uuid) join tasker.named_steps n using (named_step_uuid)
        where s.task_uuid = ? and n.name = 'held'""", task))
        .isEqualTo(
            "pending orchestrator, enqueued orchestrator, in_progress worker, cancelled worker");
    assertThat(tasker.count(
        "select count(*) from tasker.task_transitions where task_uuid = ? and to_state = 'cancelled'",
        task))
        .as("finished events").isEqualTo(1);
    assertThat(History.broken(tasker)).isEmpty();
  }
}
