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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@AgainstServer
class ConcurrencyPoliciesIT {
  private static final String LIST = "/v1/concurrency-policies?namespace=limited&name=held";

  private final TaskerClient tasker;

  ConcurrencyPoliciesIT(TaskerClient tasker) {
    this.tasker = tasker;
    Answer registered = tasker.postTemplate("""
        name: held
        namespace_name: limited
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - name: hold
            handler: {callable: testing.Hold}
            concurrency: [{limit: 1}]
        """);
    assertThat(registered.status() / 100).as(registered.toString()).isEqualTo(2);
  }

  private JsonObject policy() {
    return tasker.get(LIST).object().getJsonArray("policies").getJsonObject(0);
  }

  private Answer put(Object policy, String body) {
    return tasker.send(tasker.request("/v1/concurrency-policies/" + policy + "/limit")
        .header("Content-Type", "application/json")
        .PUT(HttpRequest.BodyPublishers.ofString(quoted(body))));
  }

  private Answer setLimit(String limit) {
    return put(policy().getString("policy_uuid"),
        "{'limit': " + limit + ", 'requested_by': 'ann', 'reason': 'a test'}");
  }

  private static void assertFits(String schema, JsonObject answer) {
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    assertThat(OpenApiSchemas.of(document, schema).validate(answer).complaints())
        .as(answer.toString()).isEmpty();
  }

  private void release(UUID task) {
    tasker.sql("insert into testing.released values (?) returning task_uuid", task);
  }

  @Test
  void a_limit_is_changed_while_tasks_hold_and_wait() {
    List<UUID> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tasks.add(tasker.submit("limited", "held", "{}"));
    }
    try {
      TaskerClient.until("one holds and three wait", Duration.ofSeconds(20),
          () -> policy().getInt("holding") == 1 && policy().getInt("waiting") == 3);
      JsonObject list = tasker.get(LIST + "&entries=2").object();
      assertFits("ConcurrencyPolicyList", list);
      JsonObject full = list.getJsonArray("policies").getJsonObject(0);
      assertThat(full.getInt("limit")).isEqualTo(1);
      assertThat(full.getJsonArray("holders")).hasSize(1);
      assertThat(full.getJsonArray("waiters").getValuesAs(JsonObject.class))
          .extracting(waiter -> waiter.getInt("position"))
          .containsExactly(1, 2);
      assertThat(tasker.get(LIST + "&entries=0").object().getJsonArray("policies").getJsonObject(0))
          .doesNotContainKeys("holders",
              "waiters");
      UUID holder = UUID
          .fromString(full.getJsonArray("holders").getJsonObject(0).getString("task_uuid"));
      UUID next = UUID
          .fromString(full.getJsonArray("waiters").getJsonObject(0).getString("task_uuid"));
      assertThat(tasks).contains(holder, next);

      Answer closed = setLimit("0");
      assertThat(closed.status()).as(closed.toString()).isEqualTo(200);
      assertFits("ConcurrencyPolicy", closed.object());
      assertThat(closed.object().getInt("limit")).isZero();
      assertThat(closed.text("set_by")).isEqualTo("admin");
      assertThat(closed.text("claimed_actor")).isEqualTo("ann");
      assertThat(closed.object().getInt("template_limit")).isEqualTo(1);
      release(holder);
      assertThat(tasker.awaitTerminalOrBlocked(holder).getString("state")).isEqualTo("complete");
      assertThat(policy().getInt("holding")).as("with the limit at 0 no waiter follows").isZero();
      assertThat(policy().getInt("waiting")).isEqualTo(3);

      assertThat(setLimit("2").object().getInt("limit")).isEqualTo(2);
      TaskerClient.until("two are let in", Duration.ofSeconds(20),
          () -> policy().getInt("holding") == 2 && policy().getInt("waiting") == 1);
      release(next);
      assertThat(tasker.awaitTerminalOrBlocked(next).getString("state")).isEqualTo("complete");
      assertThat(setLimit("null").object())
          .doesNotContainKeys("set_limit", "set_by", "claimed_actor")
          .containsEntry("limit", Json.createValue(1));
    } finally {
      setLimit("null");
      tasks.forEach(this::release);
    }
    tasks.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("complete"));
    assertThat(policy().getInt("holding") + policy().getInt("waiting")).isZero();
  }

  @Test
  void what_is_wrong_is_refused_and_named() {
    assertThat(put(UUID.randomUUID(), "{'limit': 1, 'requested_by': 'ann', 'reason': 'a test'}")
        .text("code"))
        .isEqualTo("concurrency-policy-not-found");
    String policy = policy().getString("policy_uuid");
    assertThat(put(policy, "{}").fields()).containsExactlyInAnyOrder("limit", "requested_by",
        "reason");
    assertThat(put("nonsense", "{}").fields()).containsExactly("policy_uuid");
    for (String limit : List.of("-1", "1000001", "18446744073709551617", "1.5", "'3'")) {
      assertThat(setLimit(limit).fields()).as(limit).containsExactly("limit");
    }
    assertThat(tasker.get(LIST + "&entries=101").fields()).containsExactly("entries");
    assertThat(tasker.get(LIST + "&step=hold").fields()).containsExactly("step");
    assertThat(
        tasker.get("/v1/concurrency-policies?namespace=nowhere").object().getJsonArray("policies"))
        .isEmpty();
    assertThat(policy()).doesNotContainKeys("set_limit");
  }
}
