package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes two requests the same. */
@AgainstServer
class IdentityIT {
  private final TaskerClient tasker;
  private final String own = UUID.randomUUID().toString();

  IdentityIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  @Test
  void duplicate_of_a_strict_template_is_refused_and_led_to_the_first() {
    Answer first = strict("{'own': '" + own + "'}");
    Answer second = strict("{'own': '" + own + "'}");

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.text("code")).isEqualTo("duplicate-task");
    assertThat(second.taskUuid()).isEqualTo(first.taskUuid());
    assertThat(second.header("Location")).isEqualTo(first.header("Location"))
        .endsWith("/v1/tasks/" + first.taskUuid());
    assertThat(tasker.get("/v1/tasks/" + second.taskUuid()).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "{'b': [1, 2], 'a': 1, 'own': 'OWN'}",
    "{ 'own':'OWN','a':1.0,'b':[1e0, 2.00] }",
    "{'a': 1, 'b': [10e-1, 0.2E+1], 'own': 'OWN'}"})
  void order_of_keys_and_spelling_of_numbers_make_no_difference(String context) {
    Answer first = strict("{'a': 1, 'b': [1, 2], 'own': '" + own + "'}");

    assertThat(strict(context.replace("OWN", own)).taskUuid()).isEqualTo(first.taskUuid());
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "{'a': 1, 'b': [2, 1], 'own': 'OWN'}",
    "{'a': 1, 'b': [1, 2], 'c': null, 'own': 'OWN'}",
    "{'a': '1', 'b': [1, 2], 'own': 'OWN'}",
    "{'a': 1.0000000000000000001, 'b': [1, 2], 'own': 'OWN'}"})
  void other_content_is_another_task(String context) {
    Answer first = strict("{'a': 1, 'b': [1, 2], 'own': '" + own + "'}");
    Answer other = strict(context.replace("OWN", own));

    assertThat(other.status()).isEqualTo(201);
    assertThat(other.taskUuid()).isNotEqualTo(first.taskUuid());
  }

  @Test
  void what_is_said_about_a_request_is_no_part_of_its_identity() {
    Answer first = tasker.post("/v1/tasks",
        request("strict_hello", "'reason': 'monday', 'priority': 5"));
    Answer second = tasker.post("/v1/tasks",
        request("strict_hello", "'reason': 'tuesday', 'tags': ['late']"));

    assertThat(second.status()).isEqualTo(409);
    assertThat(second.taskUuid()).isEqualTo(first.taskUuid());
  }

  @Test
  void a_request_that_asks_for_it_gets_the_first_task_instead_of_a_refusal() {
    Answer first = tasker.post("/v1/tasks", request("strict_hello", "'on_duplicate': 'return'"));
    tasker.awaitTerminalOrBlocked(first.taskUuid());
    Answer second = tasker.post("/v1/tasks", request("strict_hello", "'on_duplicate': 'return'"));
    Answer third = tasker.post("/v1/tasks?wait=10",
        request("strict_hello", "'on_duplicate': 'return'"));

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(200);
    assertThat(second.taskUuid()).isEqualTo(first.taskUuid());
    assertThat(second.text("state")).isEqualTo("complete");
    assertThat(second.object().getBoolean("duplicate")).isTrue();
    assertThat(third.status()).isEqualTo(200);
    assertThat(third.object().getJsonObject("context").getString("own")).isEqualTo(own);
  }

  @Test
  void idempotency_key_decides_instead_of_the_context() {
    Answer first = tasker.post("/v1/tasks", keyed("keyed_hello", own, "{'a': 1}"));
    Answer second = tasker.post("/v1/tasks", keyed("keyed_hello", own, "{'a': 2}"));
    Answer other = tasker.post("/v1/tasks",
        keyed("keyed_hello", own + "'".replace("'", "2"), "{'a': 1}"));

    assertThat(first.status()).isEqualTo(201);
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.taskUuid()).isEqualTo(first.taskUuid());
    assertThat(other.status()).isEqualTo(201);
  }

  @Test
  void idempotency_key_works_for_every_strategy_and_belongs_to_its_template() {
    Answer unique = tasker.post("/v1/tasks", keyed("hello", own, "{}"));
    Answer again = tasker.post("/v1/tasks", keyed("hello", own, "{}"));
    Answer elsewhere = tasker.post("/v1/tasks",
        keyed("strict_hello", own, "{'own': '" + own + "'}"));

    assertThat(unique.status()).isEqualTo(201);
    assertThat(again.status()).isEqualTo(409);
    assertThat(elsewhere.status()).isEqualTo(201);
  }

  @Test
  void always_unique_is_always_another_task() {
    assertThat(tasker.submit("hello", "{}")).isNotEqualTo(tasker.submit("hello", "{}"));
  }

  @Test
  void twenty_at_once_make_one_task_and_all_hear_of_it() throws Exception {
    for (int round = 0; round < 10; round++) {
      String body = TaskerClient.taskRequest("testing", "strict_hello",
          TaskerClient.quoted("{'own': '" + own + "', 'round': " + round + "}"));
      List<CompletableFuture<Answer>> answers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        answers.add(tasker.sendLater(
            tasker.request("/v1/tasks").header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))));
      }
      List<Answer> all = new ArrayList<>();
      for (CompletableFuture<Answer> answer : answers) {
        all.add(answer.get(30, TimeUnit.SECONDS));
      }

      assertThat(all).extracting(Answer::status).containsOnly(201, 409);
      assertThat(all).filteredOn(answer -> answer.status() == 201).hasSize(1);
      assertThat(all).extracting(Answer::taskUuid).containsOnly(all.get(0).taskUuid());
    }
    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", own))
        .isEqualTo(10);
  }

  @Test
  void same_request_twice_in_one_batch_makes_one_task() {
    String request = TaskerClient.taskRequest("testing", "strict_hello", "{'own': '" + own + "'}");
    Answer answer = tasker.post("/v1/tasks:batch", Collections.nCopies(5, request).toString());

    List<JsonObject> verdicts = answer.list("verdicts");
    assertThat(verdicts).extracting(verdict -> verdict.getInt("status")).containsExactly(201, 409,
        409, 409, 409);
    Set<String> uuids = verdicts.stream().map(verdict -> verdict.getString("task_uuid"))
        .collect(Collectors.toSet());
    assertThat(uuids).hasSize(1);
  }

  @Test
  void identity_of_an_ended_task_is_taken_over_where_the_template_allows_it_and_both_say_so() {
    String request = request("repeatable_hello", "'reason': 'again'");
    Answer first = tasker.post("/v1/tasks", request);
    tasker.awaitTerminalOrBlocked(first.taskUuid());
    Answer second = tasker.post("/v1/tasks", request);
    tasker.awaitTerminalOrBlocked(second.taskUuid());
    Answer third = tasker.post("/v1/tasks?wait=10", request);

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.object()).doesNotContainKey("replaces_task_uuid");
    assertThat(second.status()).isEqualTo(201);
    assertThat(second.taskUuid()).isNotEqualTo(first.taskUuid());
    assertThat(second.object().getBoolean("duplicate")).isFalse();
    assertThat(second.text("replaces_task_uuid")).isEqualTo(first.taskUuid().toString());
    assertThat(third.status()).isEqualTo(201);
    assertThat(third.text("replaces_task_uuid")).isEqualTo(second.taskUuid().toString());
    JsonObject earlier = tasker.get("/v1/tasks/" + first.taskUuid()).object();
    assertThat(earlier.getString("state")).isEqualTo("complete");
    assertThat(earlier.getString("replaced_by_task_uuid")).isEqualTo(second.taskUuid().toString());
    assertThat(earlier.isNull("replaces_task_uuid")).isTrue();
  }

  @Test
  void after_a_failure_the_request_makes_a_new_task_and_the_failed_one_is_not_retried_any_more() {
    String request = request("recoverable_fail", "'reason': 'again'");
    Answer first = tasker.post("/v1/tasks", request);
    tasker.awaitTerminalOrBlocked(first.taskUuid());
    Answer whileBlocked = tasker.post("/v1/tasks", request);
    Answer givenUp = tasker.send(
        tasker.request("/v1/tasks/" + first.taskUuid()).header("Content-Type", "application/json")
            .method("PATCH", HttpRequest.BodyPublishers
                .ofString(TaskerClient.quoted(
                    "{'action_type': 'fail', 'requested_by': 'ann', 'reason': 'wrong address'}"))));
    Answer second = tasker.post("/v1/tasks", request);
    Answer retry = tasker.send(tasker.request("/v1/tasks/" + first.taskUuid())
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers
            .ofString(TaskerClient.quoted(
                "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'right address'}"))));

    assertThat(whileBlocked.status()).isEqualTo(409);
    assertThat(whileBlocked.text("state")).isEqualTo("blocked_by_failures");
    assertThat(givenUp.status()).isEqualTo(200);
    assertThat(second.status()).isEqualTo(201);
    assertThat(second.text("replaces_task_uuid")).isEqualTo(first.taskUuid().toString());
    assertThat(retry.status()).isEqualTo(409);
    assertThat(retry.text("code")).isEqualTo("task-already-replaced");
    assertThat(retry.text("detail")).contains(second.taskUuid().toString());
  }

  @Test
  void of_one_identity_twice_in_a_batch_after_an_end_the_first_is_the_new_task() {
    Answer first = tasker.post("/v1/tasks", request("repeatable_hello", "'reason': 'batch'"));
    tasker.awaitTerminalOrBlocked(first.taskUuid());
    String request = request("repeatable_hello", "'reason': 'batch'");
    List<JsonObject> verdicts = tasker
        .post("/v1/tasks:batch", Collections.nCopies(3, request).toString()).list("verdicts");

    assertThat(verdicts).extracting(verdict -> verdict.getInt("status")).containsExactly(201, 409,
        409);
    assertThat(verdicts.get(0).getString("replaces_task_uuid"))
        .isEqualTo(first.taskUuid().toString());
    assertThat(verdicts).extracting(verdict -> verdict.getString("task_uuid"))
        .containsOnly(verdicts.get(0).getString("task_uuid"));
    assertThat(verdicts.subList(1, 3))
        .allSatisfy(verdict -> assertThat(verdict).doesNotContainKey("replaces_task_uuid"));
  }

  @Test
  void keyed_request_whose_task_has_ended_is_answered_again_and_not_done_again() {
    String request = request("repeatable_hello", "'reason': 'keyed'");
    Answer first = keyedPost(request);
    tasker.awaitTerminalOrBlocked(first.taskUuid());
    Answer again = keyedPost(request);

    assertThat(again.status()).isEqualTo(201);
    assertThat(again.taskUuid()).isEqualTo(first.taskUuid());
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
  }

  private Answer keyedPost(String request) {
    return tasker.send(tasker.request("/v1/tasks").header("Content-Type", "application/json")
        .header("Idempotency-Key", own)
        .POST(HttpRequest.BodyPublishers.ofString(request)));
  }

  private Answer strict(String context) {
    return tasker.post("/v1/tasks", TaskerClient.taskRequest("testing", "strict_hello", context));
  }

  private String request(String template, String members) {
    return TaskerClient.quoted(
        "{'namespace': 'testing', 'name': '" + template
            + "', 'version': '1.0.0', 'context': {'own': '" + own + "'}, " + members + "}");
  }

  private static String keyed(String template, String key, String context) {
    return TaskerClient.quoted("{'namespace': 'testing', 'name': '" + template
        + "', 'version': '1.0.0', 'context': " + context
        + ", 'idempotency_key': '" + key + "'}");
  }
}
