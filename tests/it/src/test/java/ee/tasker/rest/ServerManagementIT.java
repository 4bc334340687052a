package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@AgainstServer
class ServerManagementIT {
  private final TaskerClient tasker;
  private final String uuid;
  private final JsonObject before;

  ServerManagementIT(TaskerClient tasker) {
    this.tasker = tasker;
    this.uuid = tasker.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0)
        .getString("server_uuid");
    this.before = describe();
  }

  @AfterEach
  void restore() {
    assertThat(patch("{'paused_roles': [], 'draining': false, 'worker_capacity': "
        + before.getInt("worker_capacity")
        + ", 'poll_interval_seconds': " + before.getInt("poll_interval_seconds") + "}").status())
        .isEqualTo(200);
  }

  @Test
  void capacity_and_poll_interval_are_changed_and_in_the_registry() {
    Answer answer = patch("{'worker_capacity': 11, 'poll_interval_seconds': 3}");

    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertFits(answer.object());
    assertThat(answer.object().getInt("worker_capacity")).isEqualTo(11);
    assertThat(answer.object().getInt("poll_interval_seconds")).isEqualTo(3);
    TaskerClient.until("others see it", Duration.ofSeconds(20),
        () -> tasker.get("/v1/servers").object().getJsonArray("servers").getJsonObject(0)
            .getInt("capacity") == 11);
  }

  @Test
  void paused_api_refuses_tasks_and_reads_on() {
    patch("{'paused_roles': ['api']}");

    Answer refused = tasker.post("/v1/tasks",
        TaskerClient.taskRequest("linear", "mathematical_sequence", "{'even_number': 2}"));
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text("code")).isEqualTo("role-off");
    JsonObject described = describe();
    assertFits(described);
    assertThat(described.getString("state")).isEqualTo("degraded");
    assertThat(described.get("paused_roles")).hasToString("[\"api\"]");
    assertThat(described.get("problems").toString()).contains("paused here: api");
  }

  @Test
  void drained_server_is_not_ready_until_it_takes_on_again() {
    patch("{'draining': true}");
    TaskerClient.until("it is not ready", Duration.ofSeconds(20),
        () -> tasker.get("/health/ready").status() == 503);
    assertThat(describe().getString("state")).isEqualTo("draining");

    patch("{'draining': false}");
    TaskerClient.until("it is ready", Duration.ofSeconds(20),
        () -> tasker.get("/health/ready").status() == 200);
  }

  @Test
  void what_is_wrong_is_reported_and_nothing_is_changed() {
    Answer wrong = tasker.send(
        request(uuid,
            "{'paused_roles': ['waiter'], 'worker_capacity': 0, 'poll_interval_seconds': 1.5, 'draining': 'yes', 'speed': 3}"));

    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.fields()).containsExactlyInAnyOrder("paused_roles", "worker_capacity",
        "poll_interval_seconds", "draining", "speed",
        "requested_by", "reason");
    assertThat(describe().getInt("worker_capacity")).isEqualTo(before.getInt("worker_capacity"));
  }

  @Test
  void another_server_is_neither_shown_nor_changed_here() {
    UUID other = UUID.randomUUID();

    assertThat(tasker.get("/v1/servers/" + other).text("code")).isEqualTo("another-server");
    Answer refused = tasker.send(
        request(other, "{'paused_roles': ['worker'], 'requested_by': 'ann', 'reason': 'a test'}"));
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("code")).isEqualTo("another-server");
    assertThat(refused.text("detail")).contains(uuid);
    assertThat(describe().getJsonArray("paused_roles")).isEmpty();
  }

  private JsonObject describe() {
    return tasker.get("/v1/servers/" + uuid).object();
  }

  private Answer patch(String body) {
    return tasker.send(
        request(uuid, body.replaceFirst("\\}$", ", 'requested_by': 'ann', 'reason': 'a test'}")));
  }

  private HttpRequest.Builder request(Object server, String body) {
    return tasker.request("/v1/servers/" + server).header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(quoted(body)));
  }

  private static void assertFits(JsonObject answer) {
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    assertThat(OpenApiSchemas.of(document, "ThisServer").validate(answer).complaints())
        .as(answer.toString()).isEmpty();
  }
}
