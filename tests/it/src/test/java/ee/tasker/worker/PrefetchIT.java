package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server that claims ahead of itself: how much it runs at a time, and what becomes of the rest
 * when handlers get slow.
 */
@Tag("long")
class PrefetchIT {
  private static final int CAPACITY = 4;

  @Test
  void steps_that_were_claimed_ahead_go_back_when_handlers_get_slow_and_no_more_run_than_there_are_permits() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database,
            Map.of("TASKER_WORKER_CAPACITY", Integer.toString(CAPACITY), "TASKER_WORKER_PREFETCH",
                "10"))) {
      TaskerClient tasker = server.client();
      tasker.register("/testing/templates.yaml");
      TaskerClient.until("quick handlers have given it more permits", Duration.ofMinutes(2), () -> {
        submit(tasker, "hello", 200).forEach(tasker::awaitTerminalOrBlocked);
        return describe(tasker).getInt("available_capacity") == CAPACITY + 10 * CAPACITY;
      });

      List<UUID> held = submit(tasker, "hold", 30);
      TaskerClient.until("all that were claimed ahead have gone back", Duration.ofSeconds(30),
          () -> released(tasker) > 0
              && count(tasker, "state = 'in_progress'") == CAPACITY
              && count(tasker, "state = 'enqueued'") == 30 - CAPACITY);

      assertThat(started(tasker)).as("no more run than there are permits").isEqualTo(CAPACITY);
      assertThat(describe(tasker).getInt("available_capacity")).isZero();
      assertThat(server.log()).contains("TK1310");

      held.forEach(
          task -> tasker.sql("insert into testing.released values (?) returning task_uuid", task));
      for (UUID task : held) {
        assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
      }
      assertThat(started(tasker)).as("each ran once").isEqualTo(30);
      assertThat(History.broken(tasker)).isEmpty();
    }
  }

  private static List<UUID> submit(TaskerClient tasker, String template, int tasks) {
    return tasker
        .post("/v1/tasks:batch",
            Collections.nCopies(tasks, TaskerClient.taskRequest("testing", template, "{}"))
                .toString())
        .list("verdicts").stream().map(verdict -> UUID.fromString(verdict.getString("task_uuid")))
        .toList();
  }

  private static JsonObject describe(TaskerClient tasker) {
    return tasker.get("/v1/servers/" + tasker.value("select server_uuid from tasker.servers"))
        .object();
  }

  private static long released(TaskerClient tasker) {
    return tasker.count(
        "select count(*) from tasker.workflow_step_transitions where metadata ->> 'reason' = 'released_before_start'");
  }

  private static long count(TaskerClient tasker, String which) {
    return tasker
        .count(
            "select count(*) from tasker.workflow_steps s join tasker.named_steps n using (named_step_uuid) where n.name = 'held' and s."
                + which);
  }

  private static long started(TaskerClient tasker) {
    return tasker.count("select count(*) from testing.effects where effect = 'started'");
  }
}
