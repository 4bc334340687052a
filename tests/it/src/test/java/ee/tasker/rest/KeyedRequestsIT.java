package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import java.net.http.HttpRequest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Requests with an Idempotency-Key are done once. */
@AgainstServer
class KeyedRequestsIT {
  private final TaskerClient tasker;
  private final String key = UUID.randomUUID().toString();

  KeyedRequestsIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
  }

  private Answer send(String method, String path, String json, String withKey) {
    return tasker.send(request(method, path, json).header("Idempotency-Key", withKey));
  }

  private HttpRequest.Builder request(String method, String path, String json) {
    return tasker.request(path).header("Content-Type", "application/json")
        .method(method, json == null ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(quoted(json)));
  }

  private static String hello(String context) {
    return "{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': " + context
        + "}";
  }

  private static void assertReplay(Answer first, Answer again) {
    assertThat(again.status()).as(again.toString()).isEqualTo(first.status());
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(again.header("Location")).isEqualTo(first.header("Location"));
    assertThat(again.header("Content-Type")).isEqualTo(first.header("Content-Type"));
    assertThat(first.header("Idempotent-Replayed")).isEmpty();
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
  }

  private long kept() {
    return tasker.count("select count(*) from tasker.idempotency_keys where idempotency_key = ?",
        key);
  }

  @Test
  void submission_is_answered_as_the_first_time_however_its_json_is_written() {
    Answer first = send("POST", "/v1/tasks", hello("{'a': 1, 'b': 2}"), key);
    Answer again = send("POST", "/v1/tasks",
        "{'version':'1.0.0',   'name':'hello', 'context': {'b':2,'a':1}, 'namespace': 'testing'}",
        "\"" + key + "\"");

    assertThat(first.status()).isEqualTo(201);
    assertReplay(first, again);
    assertThat(tasker.awaitTerminalOrBlocked(first.taskUuid()).getString("state"))
        .isEqualTo("complete");
    assertReplay(first, send("POST", "/v1/tasks", hello("{'a': 1, 'b': 2}"), key));
  }

  @Test
  void with_wait_the_task_is_shown_as_it_is_by_now() {
    Answer first = send("POST", "/v1/tasks?wait=30", hello("{}"), key);
    Answer again = send("POST", "/v1/tasks?wait=30", hello("{}"), key);

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.text("state")).isEqualTo("complete");
    assertThat(first.header("Idempotent-Replayed")).isEmpty();
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.header("Idempotent-Replayed")).isEqualTo("true");
    assertThat(again.taskUuid()).isEqualTo(first.taskUuid());
    assertThat(again.header("Location")).isEqualTo(first.header("Location"));
  }

  @Test
  void another_request_with_the_key_is_refused_and_not_done() {
    Answer first = send("POST", "/v1/tasks", hello("{'own': '" + key + "'}"), key);

    for (Answer other : List.of(
        send("POST", "/v1/tasks", hello("{'own': '" + key + "', 'more': 1}"), key),
        send("POST", "/v1/tasks?wait=1", hello("{'own': '" + key + "'}"), key),
        send("DELETE", "/v1/tasks/" + first.taskUuid(), null, key))) {
      assertThat(other.status()).isEqualTo(422);
      assertThat(other.text("code")).isEqualTo("idempotency-key-reused");
    }
    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", key))
        .isEqualTo(1);
    assertThat(tasker.count(
        "select count(*) from tasker.tasks where task_uuid = ? and cancel_requested_at is not null",
        first.taskUuid()))
        .isZero();
  }

  @Test
  void what_was_refused_is_not_kept_and_the_key_is_as_good_as_new() {
    String unknown = "{'namespace': 'testing', 'name': '" + "t" + key.replace("-", "")
        + "', 'version': '1.0.0', 'context': {}}";
    assertThat(send("POST", "/v1/tasks", unknown, key).text("code")).isEqualTo("unknown-template");
    assertThat(send("POST", "/v1/tasks", "{", key).text("code")).isEqualTo("malformed-json");
    assertThat(kept()).isZero();

    assertThat(send("POST", "/v1/tasks", hello("{}"), key).status()).isEqualTo(201);
    assertThat(kept()).isEqualTo(1);
  }

  @Test
  void member_of_the_body_says_which_task_it_is_and_the_header_which_request() {
    String body = "{'namespace': 'testing', 'name': 'keyed_hello', 'version': '1.0.0', 'context': {}, 'idempotency_key': '"
        + key + "'}";
    Answer first = send("POST", "/v1/tasks", body, key);
    Answer sameRequest = send("POST", "/v1/tasks", body, key);
    Answer anotherRequest = send("POST", "/v1/tasks", body, key + "-2");
    Answer without = tasker.post("/v1/tasks", quoted(body));

    assertThat(first.status()).isEqualTo(201);
    assertReplay(first, sameRequest);
    for (Answer duplicate : List.of(anotherRequest, without)) {
      assertThat(duplicate.status()).isEqualTo(409);
      assertThat(duplicate.text("code")).isEqualTo("duplicate-task");
      assertThat(duplicate.taskUuid()).isEqualTo(first.taskUuid());
    }
  }

  @Test
  void twenty_at_once_make_one_task_and_all_get_its_answer() throws Exception {
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(tasker.sendLater(request("POST", "/v1/tasks", hello("{'own': '" + key + "'}"))
          .header("Idempotency-Key", key)));
    }
    List<Answer> all = new ArrayList<>();
    for (CompletableFuture<Answer> answer : answers) {
      all.add(answer.get(60, TimeUnit.SECONDS));
    }

    assertThat(all).extracting(Answer::status).containsOnly(201);
    assertThat(all).extracting(Answer::body).containsOnly(all.get(0).body());
    assertThat(all).filteredOn(answer -> answer.header("Idempotent-Replayed").isEmpty()).hasSize(1);
    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", key))
        .isEqualTo(1);
  }

  @Test
  void second_is_told_to_retry_when_the_first_takes_too_long() throws Exception {
    Object admin = tasker
        .value("select 'user:' || user_uuid from tasker.access_users where name = 'admin'");
    try (Connection first = tasker.connect()) {
      first.setAutoCommit(false);
      TaskerClient.sql(first, "select tasker.claim_idempotency_key(?, ?, ?, 60)", admin, key,
          "ab".repeat(32));

      Answer second = send("POST", "/v1/tasks", hello("{'own': '" + key + "'}"), key);

      assertThat(second.status()).isEqualTo(409);
      assertThat(second.text("code")).isEqualTo("request-in-progress");
      assertThat(second.header("Retry-After")).isEqualTo("1");
      first.rollback();
    }
    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", key))
        .isZero();
    assertThat(send("POST", "/v1/tasks", hello("{'own': '" + key + "'}"), key).status())
        .isEqualTo(201);
  }

  @Test
  void batch_is_done_once_and_each_of_it_keeps_its_verdict() {
    String strict = "{'namespace': 'testing', 'name': 'strict_hello', 'version': '1.0.0', 'context': {'own': '"
        + key + "'}}";
    String batch = "[" + hello("{'own': '" + key + "'}")
        + ", 7, {'namespace': 'testing', 'name': 'nope', 'version': '1.0.0', 'context': {}}, "
        + strict + ", " + strict + "]";
    Answer first = send("POST", "/v1/tasks:batch", batch, key);
    Answer again = send("POST", "/v1/tasks:batch", batch, key);

    assertThat(first.status()).isEqualTo(207);
    assertThat(first.list("verdicts")).extracting(verdict -> verdict.getInt("status"))
        .containsExactly(201, 400, 404, 201, 409);
    assertReplay(first, again);
    assertThat(
        tasker.count("select count(*) from tasker.task_contexts where context ->> 'own' = ?", key))
        .isEqualTo(2);
    first.list("verdicts").stream().filter(verdict -> verdict.getInt("status") == 201)
        .forEach(
            verdict -> assertThat(
                tasker.awaitTerminalOrBlocked(UUID.fromString(verdict.getString("task_uuid")))
                    .getString("state"))
                .isEqualTo("complete"));
  }

  @Test
  void actions_of_people_are_done_once() {
    UUID task = tasker.submit("retry_later", "{}");
    Answer letter = send("POST", "/v1/dlq",
        "{'task_uuid': '" + task + "', 'requested_by': 'ann', 'reason': 'odd'}", key);
    assertThat(letter.status()).isEqualTo(201);
    assertReplay(letter, send("POST", "/v1/dlq",
        "{'task_uuid': '" + task + "', 'requested_by': 'ann', 'reason': 'odd'}", key));

    String close = "{'resolved_by': 'ann', 'resolution_notes': 'nothing', 'resolution_status': 'permanently_failed'}";
    String entry = "/v1/dlq/entry/" + letter.object().getString("dlq_entry_uuid");
    Answer closed = send("PATCH", entry, close, key + "-patch");
    assertThat(closed.status()).as(closed.toString()).isEqualTo(200);
    assertReplay(closed, send("PATCH", entry, close, key + "-patch"));

    Answer cancelled = send("DELETE", "/v1/tasks/" + task + "?reason=late&requested_by=ann", null,
        key + "-delete");
    assertThat(cancelled.status()).as(cancelled.toString()).isEqualTo(200);
    assertReplay(cancelled, send("DELETE", "/v1/tasks/" + task + "?requested_by=ann&reason=late",
        null, key + "-delete"));
  }

  @Test
  void a_wrong_key_is_named_and_without_one_nothing_is_kept() {
    for (String wrong : List.of("k".repeat(256), "\"\"", "a\"b", "a\\b")) {
      Answer answer = send("POST", "/v1/tasks", hello("{'own': '" + key + "'}"), wrong);
      assertThat(answer.status()).as(wrong).isEqualTo(400);
      assertThat(answer.body()).contains("Idempotency-Key");
    }
    long before = tasker.count("select count(*) from tasker.idempotency_keys");
    assertThat(tasker.post("/v1/tasks", quoted(hello("{}"))).header("Idempotent-Replayed"))
        .isEmpty();
    assertThat(tasker.count("select count(*) from tasker.idempotency_keys")).isEqualTo(before);
  }
}
