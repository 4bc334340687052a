package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that looks at a copy: it shows everything and changes nothing until it is told to. */
@Tag("long")
class PausedStartIT {
  private static final String MOVES = "select (select count(*) from tasker.task_transitions)"
      + " + (select count(*) from tasker.workflow_step_transitions)"
      + " + (select count(*) from tasker.purged_tasks)";

  @Test
  void server_that_starts_paused_processes_nothing_until_its_roles_are_resumed() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database, Map.of(
            "TASKER_PAUSED_START", "true", "TASKER_POLL_INTERVAL_SECONDS", "1",
            "TASKER_HOUSEKEEPING_INTERVAL_SECONDS", "1"))) {
      TaskerClient tasker = server.client();
      tasker.register("/testing/templates.yaml");
      assertThat(tasker.send(tasker.request("/v1/retention/policy")
          .header("Content-Type", "application/json")
          .PUT(HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
              "{'namespace': 'testing', 'state': 'cancelled', 'keep_days': 0,"
                  + " 'requested_by': 'ann', 'reason': 'a test'}"))))
          .status()).isEqualTo(200);
      UUID cancelled = tasker.submit("hello", "{\"who\": \"a\"}");
      assertThat(tasker.value("select tasker.request_cancel(?, 'ann', 'a test') ->> 'state'",
          cancelled)).isEqualTo("cancelled");
      UUID task = tasker.submit("hello", "{\"who\": \"b\"}");
      tasker.sql("update tasker.task_wakeups set wake_at = now() - interval '1 minute'");
      long before = tasker.count(MOVES);

      TaskerClient.pause(Duration.ofSeconds(5));

      assertThat(tasker.count(MOVES)).isEqualTo(before);
      JsonObject shown = tasker.get("/v1/tasks/" + task).object();
      assertThat(shown.getString("state")).isNotEqualTo("complete");
      JsonObject described = tasker.get("/v1/servers").object().getJsonArray("servers")
          .getJsonObject(0);
      String uuid = described.getString("server_uuid");
      assertThat(tasker.get("/v1/servers/" + uuid).object().get("paused_roles"))
          .hasToString("[\"orchestrator\",\"worker\"]");

      assertThat(tasker.send(tasker.request("/v1/servers/" + uuid)
          .header("Content-Type", "application/json")
          .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
              "{'paused_roles': [], 'requested_by': 'ann', 'reason': 'it was looked at'}"))))
          .status()).isEqualTo(200);

      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    }
  }
}
