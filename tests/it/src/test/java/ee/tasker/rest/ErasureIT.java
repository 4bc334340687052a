package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Personal data that is erased over HTTP: of one task, and of all with a search attribute. */
@AgainstServer
class ErasureIT {
  private static final String WHO_AND_WHY = "'requested_by': 'dora', 'reason': 'request 17'";
  private static final String PASSWORD = "only for the erasure";

  private final TaskerClient tasker;
  private final String customer = "C-" + UUID.randomUUID();

  ErasureIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @BeforeAll
  static void register(TaskerClient tasker) {
    tasker.register("/testing/templates.yaml");
  }

  @AfterAll
  static void promises_are_kept(TaskerClient tasker) {
    assertThat(tasker.sql(
        "select * from tasker.check_history(now() - interval '5 minutes') where violations > 0"))
        .isEmpty();
  }

  private UUID submit() {
    return tasker.submit("testing", "findable_hello",
        "{'order_id': 'A-17', 'customer': {'id': '" + customer + "'}}");
  }

  private UUID ended() {
    UUID task = submit();
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    return task;
  }

  private Answer erase(TaskerClient client, UUID task, String members) {
    return client.post("/v1/tasks/" + task + "/erase",
        TaskerClient.quoted("{" + WHO_AND_WHY + members + "}"));
  }

  private Answer eraseAll(TaskerClient client, String members) {
    return client.post("/v1/tasks:erase", TaskerClient.quoted("{'namespace': 'testing', "
        + "'attribute': 'customer', 'value': '" + customer + "', " + WHO_AND_WHY + members + "}"));
  }

  private boolean isErased(UUID task) {
    return !tasker.get("/v1/tasks/" + task).object().isNull("erased_at");
  }

  private TaskerClient user(String role, String namespace) {
    String name = role + UUID.randomUUID();
    tasker.sql("select tasker.create_user(?, ?, ?, ?)", name, PASSWORD, role, namespace);
    return tasker.with(Map.of("Authorization", new Login(name, PASSWORD).basic()));
  }

  @Test
  void an_erased_task_says_when_and_shows_none_of_its_documents() {
    UUID task = ended();
    assertThat(isErased(task)).isFalse();

    Answer answer = erase(tasker, task, "");

    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.text("outcome")).isEqualTo("done");
    assertThat(answer.object().getInt("tasks")).isEqualTo(1);
    JsonObject shown = tasker.get("/v1/tasks/" + task).object();
    assertThat(shown.getString("erased_at")).isEqualTo(answer.text("erased_at"));
    assertThat(shown.getJsonObject("context")).isEmpty();
    assertThat(shown.getString("state")).isEqualTo("complete");
    for (String path : new String[]{"", "/history", "/workflow_steps"}) {
      assertThat(tasker.get("/v1/tasks/" + task + path).body()).doesNotContain(customer);
    }
    assertThat(tasker.get("/v1/tasks/" + task + "/history").body()).contains("\"erase\"",
        "request 17");
    assertThat(tasker.get("/v1/tasks?attribute=customer:" + customer).list("tasks")).isEmpty();
    assertThat(erase(tasker, task, "").text("outcome")).isEqualTo("already");
  }

  @Test
  void what_cannot_be_erased_says_why() {
    UUID waiting = tasker.submit("retry_later", "{}");

    Answer unfinished = erase(tasker, waiting, "");

    assertThat(unfinished.status()).isEqualTo(409);
    assertThat(unfinished.text("code")).isEqualTo("task-not-erasable");
    assertThat(unfinished.text("detail")).contains("cancel it first");
    assertThat(erase(tasker, UUID.randomUUID(), "").status()).isEqualTo(404);
    assertThat(erase(tasker, ended(), ", 'children': 'x', 'force': 1").fields())
        .containsExactlyInAnyOrder("children", "force");
    assertThat(tasker.post("/v1/tasks/" + waiting + "/erase", "{}").fields())
        .containsExactlyInAnyOrder("requested_by", "reason");
    TaskerClient.until("nothing is in flight", java.time.Duration.ofSeconds(30),
        () -> erase(tasker, waiting, ", 'force': true").status() == 200);
    assertThat(tasker.get("/v1/tasks/" + waiting).text("state")).isEqualTo("cancelled");
  }

  @Test
  void an_erased_task_is_neither_retried_nor_forked() {
    UUID task = ended();
    erase(tasker, task, "");

    Answer fork = tasker.post("/v1/tasks/" + task + "/forks",
        TaskerClient.quoted("{'from': ['say'], " + WHO_AND_WHY + "}"));

    assertThat(fork.status()).isEqualTo(409);
    assertThat(fork.text("code")).isEqualTo("fork-not-possible");
    Answer retry = tasker.send(tasker.request("/v1/tasks/" + task)
        .header("Content-Type", "application/json").method("PATCH",
            java.net.http.HttpRequest.BodyPublishers.ofString(
                TaskerClient.quoted("{'action_type': 'retry', " + WHO_AND_WHY + "}"))));
    assertThat(retry.text("code")).isEqualTo("task-erased");
  }

  @Test
  void all_tasks_of_a_customer_are_counted_and_then_erased_slice_by_slice() {
    UUID first = ended();
    UUID second = ended();

    JsonObject counted = eraseAll(tasker, ", 'dry_run': true").object();
    assertThat(counted.getInt("count")).isEqualTo(2);
    assertThat(counted.getInt("erasable")).isEqualTo(2);
    JsonObject slice = eraseAll(tasker, ", 'limit': 1").object();
    assertThat(slice.getInt("erased")).isEqualTo(1);
    assertThat(slice.getBoolean("more")).isTrue();
    JsonObject rest = eraseAll(tasker,
        ", 'limit': 5, 'cursor': '" + slice.getString("next") + "'").object();

    assertThat(rest.getInt("erased")).isEqualTo(1);
    assertThat(rest.getBoolean("more")).isFalse();
    for (UUID task : new UUID[]{first, second}) {
      assertThat(isErased(task)).isTrue();
    }
    assertThat(eraseAll(tasker, ", 'attribute': 'nothing'").status()).isEqualTo(400);
    assertThat(tasker.post("/v1/tasks:erase", "{}").fields()).contains("namespace", "attribute",
        "value", "requested_by", "reason");
  }

  @Test
  void who_may_not_erase_here_erases_nothing() {
    UUID task = ended();

    assertThat(erase(user("operator", "elsewhere"), task, "").status()).isEqualTo(404);
    assertThat(erase(user("submitter", "testing"), task, "").status()).isEqualTo(403);
    assertThat(eraseAll(user("operator", "elsewhere"), "").status()).isEqualTo(403);
    assertThat(eraseAll(user("submitter", "testing"), "").status()).isEqualTo(403);
    assertThat(isErased(task)).isFalse();
    assertThat(erase(user("operator", "testing"), task, "").status()).isEqualTo(200);
  }
}
