package ee.tasker.rest;

import static ee.tasker.testing.server.TaskerClient.quoted;
import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

@AgainstServer
class OperationsIT {
  private final TaskerClient tasker;

  OperationsIT(TaskerClient tasker) {
    this.tasker = tasker;
    for (String name : List.of("order", "other_order")) {
      Answer registered = tasker.postTemplate("""
          name: NAME
          namespace_name: operated
          version: 1.0.0
          identity_strategy: always_unique
          input_schema: {type: object, required: [way], properties: {way: {enum: [retryable, permanent, fine]}}}
          steps:
            - name: charge
              handler: {callable: testing.Fail}
              retry: {max_attempts: 2, backoff_base_ms: 100, max_backoff_ms: 100}
              result_schema: {type: [object, 'null'], properties: {paid: {type: integer}}}
            - name: ship
              dependencies: [charge]
              handler: {callable: testing.Echo}
          """.replace("NAME", name));
      assertThat(registered.status() / 100).as(registered.toString()).isEqualTo(2);
    }
  }

  private Answer patch(String path, String json) {
    return tasker.send(
        tasker.request(path).header("Content-Type", "application/json").method("PATCH",
            HttpRequest.BodyPublishers.ofString(quoted(json))));
  }

  private UUID blocked(String template, String way) {
    UUID task = tasker.submit("operated", template, "{'way': '" + way + "'}");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    return task;
  }

  private String stepPath(UUID task, String step) {
    return "/v1/tasks/" + task + "/workflow_steps/"
        + tasker.steps(task).get(step).getString("step_uuid");
  }

  /**
   * Retry exhausted, blocked, dead letter, an operator fixes the input, complete; and one history
   * of it.
   */
  @Test
  void a_failed_order_is_repaired_by_an_operator() {
    UUID task = blocked("order", "retryable");
    assertThat(tasker.steps(task).get("charge").getInt("attempts")).isEqualTo(2);
    JsonObject letter = tasker.get("/v1/dlq/task/" + task).object();
    assertThat(letter.getString("dlq_reason")).isEqualTo("max_retries_exceeded");
    assertThat(letter.getJsonObject("task_snapshot").getJsonArray("steps")).hasSize(2);
    assertThat(tasker.get("/v1/dlq/investigation-queue?limit=500").list("entries"))
        .anySatisfy(open -> assertThat(open.getString("task_uuid")).isEqualTo(task.toString()));
    List<JsonObject> waiting = tasker.get("/v1/tasks/" + task + "/diagnosis").object()
        .getJsonArray("waiting")
        .getValuesAs(JsonObject.class);
    assertThat(waiting).extracting(each -> each.getString("name") + " " + each.getString("cause"))
        .containsExactly("charge failed",
            "ship parents");

    Answer wrong = patch("/v1/tasks/" + task,
        "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'a typing error', 'context': {'way': 'fnie'}}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.fields()).containsExactly("context/way");
    assertThat(patch("/v1/tasks/" + task,
        "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'r', 'new_idempotency_token': 'yes'}")
        .fields())
        .containsExactly("new_idempotency_token");
    Answer retried = patch("/v1/tasks/" + task,
        "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'the way was wrong', "
            + "'context': {'way': 'fine'}, 'new_idempotency_token': true}");
    assertThat(retried.status()).as(retried.toString()).isEqualTo(200);
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(tasker.steps(task).get("ship").getJsonObject("result").getString("way"))
        .isEqualTo("fine");
    JsonObject charge = tasker.steps(task).get("charge");
    assertThat(charge.getInt("attempts_before_reset")).isEqualTo(2);
    assertThat(charge.getString("idempotency_token"))
        .isEqualTo(charge.getString("step_uuid") + ":reset-1");
    assertThat(tasker.get("/v1/dlq/task/" + task).text("resolution_status"))
        .isEqualTo("manually_resolved");
    assertThat(tasker.get("/v1/tasks/" + task + "/diagnosis").object().getJsonArray("waiting"))
        .isEmpty();

    List<String> history = tasker.get("/v1/tasks/" + task + "/history").object()
        .getJsonArray("entries").getValuesAs(JsonObject.class)
        .stream()
        .map(e -> e.getString("kind") + " " + e.getString("step", "-") + " "
            + e.getString("to_state", e.getString("outcome", e.getString("by", "-"))))
        .toList();
    assertThat(history).containsSubsequence("result charge retryable_failure",
        "step charge waiting_for_retry",
        "result charge retryable_failure",
        "step charge error", "task - blocked_by_failures", "action - admin", "step charge pending",
        "result charge success",
        "step charge complete",
        "result ship success", "task - complete");
    assertThat(tasker.value(
        "select concat_ws(' ', acted_by, reason, details #>> '{before,context,way}', details #>> '{context,way}') "
            + "from tasker.operator_actions where task_uuid = ?",
        task)).isEqualTo("ann the way was wrong retryable fine");
  }

  @Test
  void a_step_is_completed_by_hand_with_a_result_that_fits() {
    UUID task = blocked("order", "permanent");
    String step = stepPath(task, "charge");
    Answer misfit = patch(step,
        "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'paid in cash', 'completion_data': {'result': {'paid': 'five'}}}");
    assertThat(misfit.status()).isEqualTo(400);
    assertThat(misfit.text("code")).isEqualTo("invalid-result");
    assertThat(misfit.fields()).containsExactly("completion_data/result/paid");
    Answer stale = patch(step,
        "{'action_type': 'resolve_manually', 'resolved_by': 'ann', 'reason': 'x', 'attempt': 7}");
    assertThat(stale.status()).isEqualTo(409);
    assertThat(stale.text("code")).isEqualTo("attempt-has-changed");
    String request = "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': 'paid in cash', 'completion_data': {'result': {'paid': 5}}}";
    Answer done = patch(step, request);
    assertThat(done.status()).as(done.toString()).isEqualTo(200);
    assertThat(done.text("state")).isEqualTo("complete");
    assertThat(patch(step, request).status()).as("the same again").isEqualTo(200);
    assertThat(patch(step, request.replace("ann", "bob")).text("code"))
        .isEqualTo("step-not-movable");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    assertThat(
        patch("/v1/tasks/" + task, "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'x'}")
            .text("code"))
        .isEqualTo("task-already-ended");
  }

  @Test
  void what_is_wrong_with_an_action_is_reported_by_field_and_changes_nothing() {
    UUID task = blocked("order", "permanent");
    String step = stepPath(task, "charge");
    long before = tasker.count("select count(*) from tasker.operator_actions");
    assertThat(patch(step, "{'action_type': 'reset_for_retry', 'resolved_by': 'ann'}").fields())
        .containsExactlyInAnyOrder("reason",
            "reset_by", "resolved_by");
    assertThat(patch(step, "{'action_type': 'explode', 'reason': 'x'}").fields())
        .containsExactly("action_type");
    assertThat(
        patch(step,
            "{'action_type': 'complete_manually', 'completed_by': 'ann', 'reason': ' ', 'completion_data': {'reslt': 1}}")
            .fields())
        .containsExactlyInAnyOrder("completion_data/result", "completion_data/reslt", "reason");
    assertThat(patch("/v1/tasks/" + task,
        "{'action_type': 'retry_from_step', 'requested_by': 'ann', 'reason': 'x'}").fields())
        .containsExactly("step");
    assertThat(
        patch("/v1/tasks/" + task,
            "{'action_type': 'retry_from_step', 'step': 'zip', 'requested_by': 'ann', 'reason': 'x'}")
            .fields())
        .containsExactly("step");
    assertThat(patch("/v1/tasks/" + task + "?x=1", "{}").fields()).containsExactly("x");
    assertThat(patch("/v1/tasks/" + UUID.randomUUID(),
        "{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'x'}").text("code"))
        .isEqualTo("task-not-found");
    assertThat(patch("/v1/tasks/" + task + "/workflow_steps/" + UUID.randomUUID(),
        "{'action_type': 'reset_for_retry', 'reset_by': 'ann', 'reason': 'x'}").text("code"))
        .isEqualTo("step-not-found");
    assertThat(tasker.get(step + "?x=1").fields()).containsExactly("x");
    assertThat(tasker.get("/v1/handlers?x=1").fields()).containsExactly("x");
    assertThat(tasker.send(
        tasker.request("/v1/tasks/" + task)
            .method("PATCH", HttpRequest.BodyPublishers.ofString("x"))
            .header("Content-Type", "text/plain"))
        .text("detail"))
        .doesNotContainIgnoringCase("resteasy");
    assertThat(tasker.count("select count(*) from tasker.operator_actions")).isEqualTo(before);
  }

  @Test
  void many_tasks_are_acted_upon_with_the_token_of_a_dry_run() {
    UUID one = blocked("other_order", "permanent");
    UUID two = blocked("other_order", "permanent");
    String request = quoted(
        "{'action_type': 'fail', 'requested_by': 'ann', 'reason': 'too old', 'filter': {'namespace': 'operated', 'name': 'other_order', 'failed_step': 'charge'}}");
    Answer counted = tasker.post("/v1/bulk-actions", request);
    assertThat(counted.status()).as(counted.toString()).isEqualTo(201);
    assertThat(counted.object().getInt("count")).isEqualTo(2);
    assertThat(tasker.get("/v1/tasks/" + one).text("state")).isEqualTo("blocked_by_failures");
    patch("/v1/tasks/" + two,
        "{'action_type': 'resolve', 'requested_by': 'bob', 'reason': 'mine'}");
    String run = "/v1/bulk-actions/" + counted.text("token") + "/run";
    assertThat(tasker.post(run, "").text("code")).isEqualTo("set-has-changed");
    Answer again = tasker.post("/v1/bulk-actions", request);
    Answer done = tasker.post("/v1/bulk-actions/" + again.text("token") + "/run", "");
    assertThat(done.status()).as(done.toString()).isEqualTo(200);
    assertThat(done.object().getJsonObject("results").getInt("done")).isEqualTo(1);
    assertThat(tasker.get("/v1/tasks/" + one).text("state")).isEqualTo("error");
    assertThat(tasker.post("/v1/bulk-actions/" + UUID.randomUUID() + "/run", "").text("code"))
        .isEqualTo("token-not-found");
    assertThat(
        tasker.post("/v1/bulk-actions", request.replace("failed_step", "failed_stp")).fields())
        .containsExactly("filter/failed_stp");
  }

  @Test
  void very_many_tasks_are_acted_upon_in_the_background_with_a_verdict_on_each() {
    List<UUID> tasks = List.of(blocked("order", "permanent"), blocked("order", "permanent"),
        blocked("order", "permanent"));
    Answer counted = tasker.post("/v1/bulk-actions", quoted(
        "{'action_type': 'resolve', 'requested_by': 'ann', 'reason': 'too old', 'background': true, 'filter': {'namespace': 'operated', 'name': 'order', 'state': 'blocked_by_failures'}}"));
    assertThat(counted.object().getJsonObject("by_state").getInt("blocked_by_failures"))
        .isGreaterThanOrEqualTo(3);
    assertThat(counted.object().getBoolean("background")).isTrue();
    String action = "/v1/bulk-actions/" + counted.text("token");
    patch("/v1/tasks/" + tasks.get(1),
        "{'action_type': 'fail', 'requested_by': 'bob', 'reason': 'mine'}");

    Answer started = tasker.post(action + "/run", "");
    assertThat(started.status()).as(started.toString()).isEqualTo(202);
    assertThat(started.text("outcome")).isEqualTo("started");
    TaskerClient.until("the action ends", Duration.ofSeconds(30),
        () -> tasker.get(action).text("state").equals("done"));

    assertThat(tasker.get("/v1/tasks/" + tasks.get(0)).text("state"))
        .isEqualTo("resolved_manually");
    assertThat(tasker.get("/v1/tasks/" + tasks.get(1)).text("state")).isEqualTo("error");
    assertThat(tasker.get(action + "/tasks?outcome=refused").object().getJsonArray("tasks")
        .getValuesAs(JsonObject.class)).singleElement()
        .satisfies(refused -> {
          assertThat(refused.getString("task_uuid")).isEqualTo(tasks.get(1).toString());
          assertThat(refused.getString("code")).isEqualTo("no-longer-matches");
        });
    assertThat(tasker.get("/v1/bulk-actions?limit=1").object().getJsonArray("bulk_actions")
        .getJsonObject(0).getString("token"))
        .isEqualTo(counted.text("token"));
    assertThat(tasker.delete(action).text("outcome")).isEqualTo("already");
    assertThat(tasker.count(
        "select count(*) from tasker.operator_actions where bulk_token = '" + counted.text("token")
            + "' and authenticated_as is null"))
        .as("the caller that started it is in the record").isZero();
  }

  /**
   * Each role is told exactly the actions that it would not be forbidden, and that the state
   * allows.
   */
  @Test
  void allowed_actions_are_those_of_the_state_and_the_permissions() {
    UUID task = blocked("order", "permanent");
    String step = stepPath(task, "charge");
    Map<String, Set<String>> ofTask = Map.of("tasks:cancel", Set.of("cancel"), "tasks:act",
        Set.of("fail", "resolve", "retry"));
    for (Set<String> permissions : List.of(Set.<String>of(), Set.of("tasks:cancel"),
        Set.of("tasks:act"), Set.of("tasks:act", "steps:resolve"))) {
      Set<String> all = new TreeSet<>(permissions);
      all.addAll(Set.of("tasks:read", "steps:read"));
      TaskerClient caller = tasker.asOneWhoMay(all);
      assertThat(allowed(caller.get("/v1/tasks/" + task).object()))
          .as("of the task with %s", permissions)
          .isEqualTo(
              permissions.stream().flatMap(each -> ofTask.getOrDefault(each, Set.of()).stream())
                  .collect(Collectors.toCollection(TreeSet::new)));
      Set<String> ofStep = permissions.contains("steps:resolve")
          ? Set.of("complete_manually", "reset_for_retry", "resolve_manually")
          : Set.of();
      assertThat(allowed(caller.get(step).object())).as("of the step with %s", permissions)
          .isEqualTo(ofStep);
      assertThat(allowed(caller.get("/v1/tasks/" + task + "/workflow_steps").object()
          .getJsonArray("steps").getJsonObject(0)))
          .isEqualTo(ofStep);
      for (String action : List.of("fail", "resolve", "retry")) {
        // Refused for a reason of its own when the permission is there, so that nothing changes.
        Answer answer = caller.send(caller.request("/v1/tasks/" + task)
            .header("Content-Type", "application/json")
            .method("PATCH",
                HttpRequest.BodyPublishers.ofString(quoted("{'action_type': '" + action + "'}"))));
        assertThat(answer.status()).isEqualTo(permissions.contains("tasks:act") ? 400 : 403);
      }
    }
    patch("/v1/tasks/" + task,
        "{'action_type': 'resolve', 'requested_by': 'ann', 'reason': 'done'}");
    assertThat(allowed(tasker.get("/v1/tasks/" + task).object())).containsExactly("fork");
  }

  /**
   * What an answer offers is what its caller would not be forbidden, with each set of permissions.
   */
  @Test
  void allowed_actions_on_other_objects_follow_the_permissions_too() {
    UUID task = blocked("order", "permanent");
    String entry = "/v1/dlq/entry/" + tasker.get("/v1/dlq/task/" + task).text("dlq_entry_uuid");
    assertThat(allowed(tasker.asOneWhoMay(List.of("dlq:read")).get(entry).object())).isEmpty();
    assertThat(allowed(tasker.asOneWhoMay(List.of("dlq:read", "dlq:update")).get(entry).object()))
        .containsExactly("update");

    assertThat(allowed(tasker.asOneWhoMay(List.of("tasks:read", "tasks:act", "tasks:create"))
        .get("/v1/tasks/" + task).object()))
        .contains("fork");
    assertThat(allowed(tasker.asOneWhoMay(List.of("tasks:read", "tasks:create"))
        .get("/v1/tasks/" + task).object())).isEmpty();

    String webhook = "/v1/webhooks/" + tasker.post("/v1/webhooks",
        quoted("{'namespace': 'testing', 'name': 'allowed-" + task
            + "', 'url': 'https://127.0.0.1/', 'event_types': ['none']}"))
        .text("webhook_uuid");
    List<String> events = List.of("tasks:read", "tasks:context_read", "steps:read",
        "approvals:assign", "dlq:read");
    Map<List<String>, Set<String>> ofWebhook = Map.of(List.of(), Set.of(),
        List.of("webhooks:write"), Set.of("delete", "pause", "ping"), events, Set.of());
    ofWebhook.forEach((permissions, allowed) -> {
      List<String> all = new ArrayList<>(permissions);
      all.add("webhooks:read");
      assertThat(allowed(tasker.asOneWhoMay(all).get(webhook).object()))
          .as("of the webhook with %s", all).isEqualTo(allowed);
    });
    assertThat(allowed(tasker.get(webhook).object())).containsExactly("delete", "pause", "ping",
        "replay", "rotate_secret", "update");

    tasker.delete(webhook + "?requested_by=ann&reason=test");

    JsonObject server = tasker.get("/v1/servers").object().getJsonArray("servers")
        .getValuesAs(JsonObject.class).stream()
        .filter(each -> !allowed(each).isEmpty()).findFirst().orElseThrow();
    assertThat(tasker.get("/v1/servers/" + server.getString("server_uuid")).status())
        .as("the one that answers").isEqualTo(200);
    assertThat(tasker.asOneWhoMay(List.of("system:servers_read")).get("/v1/servers").object()
        .getJsonArray("servers")
        .getValuesAs(JsonObject.class)).allMatch(each -> allowed(each).isEmpty());
  }

  private static Set<String> allowed(JsonObject document) {
    return document.getJsonArray("allowed_actions").getValuesAs(JsonString.class).stream()
        .map(JsonString::getString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void a_long_document_is_left_out_and_read_in_parts_by_who_may_see_it() throws Exception {
    String context = "{\"who\": \"" + "ä€".repeat(30_000) + "\", \"exact\": 9007199254740993.10}";
    UUID task = tasker.submit("testing", "hello", context);
    tasker.awaitTerminalOrBlocked(task);
    JsonObject brief = tasker.get("/v1/tasks/" + task + "?max_document_bytes=1000").object();
    assertThat(brief.isNull("context")).isTrue();
    int bytes = brief.getJsonObject("document_bytes").getInt("context");

    StringBuilder whole = new StringBuilder();
    Integer next = 0;
    while (next != null) {
      JsonObject part = tasker
          .get("/v1/tasks/" + task + "/documents/context?limit=20000&offset=" + next).object();
      whole.append(part.getString("text"));
      next = part.isNull("next_offset") ? null : part.getInt("next_offset");
    }
    String stored = (String) tasker
        .value("select context::text from tasker.task_contexts where task_uuid = '" + task + "'");
    assertThat(whole.toString()).isEqualTo(stored).contains("9007199254740993.10");
    assertThat(stored.getBytes(StandardCharsets.UTF_8)).hasSize(bytes);
    assertThat(tasker.get("/v1/tasks/" + task + "/documents/context?pointer=/exact").text("text"))
        .isEqualTo("9007199254740993.10");
    assertThat(tasker.get("/v1/tasks/" + task + "/documents/context?pointer=/none").fields())
        .containsExactly("pointer");

    TaskerClient reader = tasker.asOneWhoMay(List.of("tasks:read", "tasks:list"));
    assertThat(reader.get("/v1/tasks/" + task + "/documents/context").status()).isEqualTo(403);
    assertThat(reader.get("/v1/tasks/" + task).object().getJsonObject("document_bytes"))
        .as("sizes tell of documents").isEmpty();
    TaskerClient ofContexts = tasker.asOneWhoMay(List.of("tasks:read", "tasks:context_read"));
    assertThat(ofContexts.get("/v1/tasks/" + task + "/documents/output").status()).isEqualTo(403);
    assertThat(ofContexts.get("/v1/tasks/" + task).object().getJsonObject("document_bytes"))
        .containsOnlyKeys("context");
  }

  @Test
  void a_list_tells_why_each_task_waits_to_who_may_read_it() {
    UUID task = blocked("order", "permanent");
    String query = "/v1/tasks?namespace=operated&limit=100&include=why";
    JsonObject listed = tasker.get(query).object().getJsonArray("tasks")
        .getValuesAs(JsonObject.class).stream()
        .filter(each -> each.getString("task_uuid").equals(task.toString())).findFirst()
        .orElseThrow();
    assertThat(listed.getString("why"))
        .isEqualTo(tasker.get("/v1/tasks/" + task).text("explanation")).contains("charge");
    assertThat(tasker.get("/v1/tasks?state=complete&include=why").object().getJsonArray("tasks")
        .getValuesAs(JsonObject.class))
        .allMatch(each -> each.isNull("why"));
    assertThat(tasker.asOneWhoMay(List.of("tasks:list")).get(query).object().getJsonArray("tasks")
        .getValuesAs(JsonObject.class))
        .isNotEmpty().noneMatch(each -> each.containsKey("why"));
  }

  @Test
  void a_paused_template_waits_and_says_who_paused_it() {
    Answer paused = tasker.post("/v1/pauses",
        quoted(
            "{'namespace': 'operated', 'name': 'other_order', 'requested_by': 'ann', 'reason': 'the shop moves'}"));
    assertThat(paused.status()).as(paused.toString()).isEqualTo(200);
    try {
      UUID task = tasker.submit("operated", "other_order", "{'way': 'fine'}");
      assertThat(tasker.get("/v1/pauses").object().getJsonArray("pauses").toString())
          .contains("the shop moves");
      JsonObject first = tasker.get("/v1/tasks/" + task + "/diagnosis").object()
          .getJsonArray("waiting").getJsonObject(0);
      assertThat(first.getString("cause")).isEqualTo("paused");
      assertThat(first.getString("sentence")).startsWith("admin paused the template at");
      assertThat(tasker
          .delete("/v1/pauses?namespace=operated&name=other_order&requested_by=ann&reason=done")
          .status()).isEqualTo(200);
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    } finally {
      tasker.delete("/v1/pauses?namespace=operated&name=other_order&requested_by=ann&reason=done");
    }
    assertThat(tasker.delete("/v1/pauses?namespace=operated").fields())
        .containsExactlyInAnyOrder("requested_by", "reason");
    assertThat(
        tasker
            .post("/v1/pauses",
                quoted("{'namespace': 'nowhere', 'requested_by': 'ann', 'reason': 'x'}"))
            .text("code"))
        .isEqualTo("template-not-found");
  }

  @Test
  void a_dead_letter_is_opened_and_closed_by_people() {
    UUID task = tasker.submit("operated", "order", "{'way': 'fine'}");
    tasker.awaitTerminalOrBlocked(task);
    assertThat(tasker.get("/v1/dlq/task/" + task).text("code")).isEqualTo("dead-letter-not-found");
    String request = quoted(
        "{'task_uuid': '" + task + "', 'requested_by': 'ann', 'reason': 'looks odd'}");
    Answer opened = tasker.post("/v1/dlq", request);
    assertThat(opened.status()).as(opened.toString()).isEqualTo(201);
    assertThat(tasker.post("/v1/dlq", request).status()).isEqualTo(200);
    String entry = "/v1/dlq/entry/" + opened.text("dlq_entry_uuid");
    assertThat(opened.header("Location")).endsWith(entry);
    assertThat(tasker.get(entry).text("dlq_reason")).isEqualTo("manual_dlq");
    Answer closed = patch(entry,
        "{'resolution_status': 'manually_resolved', 'resolved_by': 'ann', 'resolution_notes': 'was fine', 'metadata': {'ticket': 7}}");
    assertThat(closed.text("resolution_status")).isEqualTo("manually_resolved");
    assertThat(closed.object().getJsonObject("metadata").getInt("ticket")).isEqualTo(7);
    assertThat(patch(entry,
        "{'resolution_status': 'cancelled', 'resolved_by': 'bob', 'resolution_notes': 'no'}")
        .text("code"))
        .isEqualTo("dead-letter-closed");
    assertThat(
        tasker.get("/v1/dlq?resolution_status=manually_resolved&dlq_reason=manual_dlq&limit=500")
            .object().getJsonArray("entries")
            .toString())
        .contains(task.toString());
    assertThat(tasker.get("/v1/dlq?resolution_status=gone").fields())
        .containsExactly("resolution_status");
    assertThat(tasker.get("/v1/dlq/stats").list("reasons"))
        .anySatisfy(each -> assertThat(each.getString("dlq_reason")).isEqualTo("manual_dlq"));
    assertThat(tasker.get("/v1/dlq/staleness").status()).isEqualTo(200);
    assertThat(tasker.get("/v1/tasks/" + task).text("state")).isEqualTo("complete");
  }
}
