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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Retention over REST, and the server's own housekeeping behind it. */
@Tag("long")
@AgainstServer
class RetentionIT {
  private final TaskerClient tasker;

  RetentionIT(TaskerClient tasker) {
    this.tasker = tasker;
    Answer registered = tasker.postTemplate("""
        name: short_lived
        namespace_name: retained
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - name: note
            handler: {callable: testing.Echo}
        """);
    assertThat(registered.status() / 100).as(registered.toString()).isEqualTo(2);
  }

  private Answer put(String body) {
    return tasker
        .send(tasker.request("/v1/retention/policy").header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(quoted(body))));
  }

  private static void assertFits(String schema, JsonObject answer) {
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    assertThat(OpenApiSchemas.of(document, schema).validate(answer).complaints())
        .as(answer.toString()).isEmpty();
  }

  @Test
  void a_policy_is_tried_set_carried_out_and_removed() {
    UUID task = tasker.submit("retained", "short_lived", "{}");
    TaskerClient.until("the task has ended", Duration.ofSeconds(20),
        () -> tasker.get("/v1/tasks/" + task).object().getString("state").equals("complete"));

    Answer tried = put(
        "{'namespace': 'retained', 'name': 'short_lived', 'keep_days': 0, 'dry_run': true, 'requested_by': 'ann', 'reason': 'a test'}");
    assertThat(tried.status()).as(tried.toString()).isEqualTo(200);
    assertFits("RetentionPolicyResult", tried.object());
    assertThat(tried.object().getJsonObject("preview").getJsonArray("by_template")
        .getValuesAs(JsonObject.class))
        .anySatisfy(row -> assertThat(row.getString("name")).isEqualTo("short_lived"));
    assertThat(tasker.get("/v1/retention").object().getJsonArray("policies")).isEmpty();

    assertThat(put(
        "{'namespace': 'retained', 'name': 'short_lived', 'keep_days': 0, 'requested_by': 'ann', 'reason': 'a test'}")
        .status())
        .isEqualTo(200);
    try {
      JsonObject status = tasker.get("/v1/retention").object();
      assertFits("Retention", status);
      assertThat(status.getJsonArray("policies").getJsonObject(0).getString("name"))
          .isEqualTo("short_lived");
      assertFits("RetentionPreview", tasker.get("/v1/retention/preview").object());
      TaskerClient.until("the server has counted its moves and purged the task",
          Duration.ofMinutes(3),
          () -> tasker.get("/v1/tasks/" + task).status() == 404);
      assertThat(tasker.get("/metrics").body())
          .containsPattern("tasker_retention_purged_tasks_total [1-9]");
    } finally {
      assertThat(
          put("{'namespace': 'retained', 'name': 'short_lived', 'remove': true, 'requested_by': 'ann', 'reason': 'a test'}")
              .status())
          .isEqualTo(200);
    }
    assertThat(tasker.get("/v1/retention").object().getJsonArray("policies")).isEmpty();
  }

  @Test
  void what_is_wrong_is_named() {
    Answer wrong = put(
        "{'name': 'x', 'state': 'pending', 'keep_days': -1, 'requested_by': 'ann', 'more': 1}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.object().getJsonArray("violations").getValuesAs(JsonObject.class).stream()
        .map(v -> v.getString("field")))
        .containsExactlyInAnyOrder("namespace", "state", "keep_days", "reason", "more");
    assertThat(
        put("{'requested_by': 'ann', 'reason': 'nothing said'}").object().getJsonArray("violations")
            .getJsonObject(0).getString("field"))
        .isEqualTo("keep_days");
    assertThat(put("{'namespace': 'no_such', 'keep_days': 1, 'requested_by': 'ann', 'reason': 'x'}")
        .object().getString("code"))
        .isEqualTo("template-not-found");
    assertThat(put("{'state': 'error', 'remove': true, 'requested_by': 'ann', 'reason': 'x'}")
        .object().getString("code"))
        .isEqualTo("retention-policy-not-found");
  }
}
