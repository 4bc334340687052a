package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListIT {
  private final TaskerClient tasker;
  private final String initiator = "list-" + UUID.randomUUID();
  private final UUID correlation = UUID.randomUUID();
  private List<String> created;

  ListIT(TaskerClient tasker) {
    this.tasker = tasker;
  }

  @BeforeAll
  void create_thirty_tasks() {
    tasker.register("/testing/templates.yaml");
    List<String> requests = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      requests
          .add(TaskerClient.quoted("{'namespace': 'testing', 'name': '"
              + (i < 20 ? "hello" : "checked_hello") + "', 'version': '1.0.0',"
              + " 'context': {'who': 'you'}, 'initiator': '" + initiator + "', 'source_system': '"
              + initiator + "-" + i % 3 + "',"
              + " 'parent_correlation_id': '" + correlation + "'}"));
    }
    created = tasker.post("/v1/tasks:batch", requests.toString()).list("verdicts").stream()
        .map(verdict -> verdict.getString("task_uuid")).toList();
    created.forEach(task -> tasker.awaitTerminalOrBlocked(UUID.fromString(task)));
  }

  @Test
  void page_has_twenty_five_by_default_newest_first() {
    List<String> page = uuids(list(""));

    assertThat(page).hasSize(25).isSortedAccordingTo(java.util.Comparator.reverseOrder());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 10, 29, 30, 100})
  void pages_together_have_every_task_once(int limit) {
    List<String> seen = new ArrayList<>();
    String cursor = "";
    int pages = 0;
    do {
      Answer page = list("&limit=" + limit + cursor);
      assertThat(uuids(page)).hasSizeLessThanOrEqualTo(limit).isNotEmpty();
      seen.addAll(uuids(page));
      pages++;
      JsonValue next = page.object().get("next");
      cursor = next instanceof JsonString text ? "&cursor=" + text.getString() : null;
    } while (cursor != null);

    assertThat(seen).containsExactlyInAnyOrderElementsOf(created)
        .isSortedAccordingTo(java.util.Comparator.reverseOrder());
    assertThat(pages).isEqualTo((30 + limit - 1) / limit);
  }

  @Test
  void task_that_arrives_between_two_pages_shifts_nothing() {
    Answer first = list("&limit=10");
    tasker.post("/v1/tasks", TaskerClient
        .quoted(
            "{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': {}, 'initiator': '"
                + initiator + "'}"));
    Answer second = list("&limit=10&cursor=" + first.text("next"));

    try {
      assertThat(uuids(second)).hasSize(10).doesNotContainAnyElementsOf(uuids(first));
    } finally {
      tasker.sql(
          "update tasker.tasks set initiator = 'other' where initiator = ? and not task_uuid = any (?::uuid[])",
          initiator,
          "{" + String.join(",", created) + "}");
    }
  }

  @Test
  void filters_narrow_together() {
    assertThat(uuids(list("&name=checked_hello&limit=100"))).hasSize(10);
    assertThat(uuids(list("&name=hello&source_system=" + initiator + "-0&limit=100"))).hasSize(7);
    assertThat(uuids(list("&namespace=testing&version=1.0.0&state=complete&limit=100")))
        .hasSize(30);
    assertThat(uuids(list("&parent_correlation_id=" + correlation + "&limit=100"))).hasSize(30);
    assertThat(uuids(list("&correlation_id=" + created.get(3)))).containsExactly(created.get(3));
    assertThat(uuids(list("&state=error"))).isEmpty();
    assertThat(uuids(list("&namespace=nowhere"))).isEmpty();
  }

  @Test
  void unfinished_states_are_found_too() {
    UUID waiting = tasker.submit("retry_later", "{}");
    UUID blocked = tasker.submit("fail", "{'way': 'permanent'}");
    tasker.awaitTerminalOrBlocked(blocked);
    TaskerClient.until("it waits for its retry", java.time.Duration.ofSeconds(20),
        () -> tasker.get("/v1/tasks/" + waiting).text("state").equals("waiting_for_retry"));

    assertThat(uuids(tasker.get("/v1/tasks?state=waiting_for_retry&limit=100")))
        .contains(waiting.toString());
    assertThat(uuids(tasker.get("/v1/tasks?state=blocked_by_failures&limit=100")))
        .contains(blocked.toString());
    tasker.delete("/v1/tasks/" + waiting);
  }

  @Test
  void entry_of_the_list_says_what_the_task_itself_says() {
    JsonObject entry = list("&limit=1").object().getJsonArray("tasks").getJsonObject(0);
    JsonObject task = tasker.get("/v1/tasks/" + entry.getString("task_uuid")).object();

    assertThat(task.entrySet()).containsAll(entry.entrySet());
    assertThat(task).containsKeys("context", "steps");
    assertThat(entry).doesNotContainKeys("context", "steps");
  }

  private String submitted(String template, String context) {
    Answer answer = tasker.post("/v1/tasks",
        TaskerClient.taskRequest("testing", template, context));
    assertThat(answer.status()).as("%s", answer).isEqualTo(201);
    return answer.text("task_uuid");
  }

  @Test
  void search_attributes_find_tasks_by_their_context() {
    String order = "A:17 ü " + UUID.randomUUID();
    String encoded = "order:"
        + java.net.URLEncoder.encode(order, java.nio.charset.StandardCharsets.UTF_8);
    String first = submitted("findable_hello",
        "{'order_id': '" + order + "', 'customer': {'id': 7}}");
    String second = submitted("findable_hello",
        "{'order_id': '" + order + "', 'customer': {'id': 8}}");
    submitted("findable_hello", "{'order_id': 'another'}");

    assertThat(uuids(tasker.get("/v1/tasks?attribute=" + encoded))).containsExactly(second, first);
    assertThat(uuids(tasker.get("/v1/tasks?attribute=" + encoded + "&attribute=customer:7")))
        .containsExactly(first);
    assertThat(uuids(tasker.get("/v1/tasks?attribute=" + encoded + "&attribute=customer:9")))
        .isEmpty();
    assertThat(uuids(
        tasker.get("/v1/tasks?attribute=" + encoded + "&namespace=testing&name=findable_hello")))
        .hasSize(2);
    assertThat(uuids(tasker.get("/v1/tasks?attribute=order:"))).doesNotContain(first, second);
    Answer page = tasker.get("/v1/tasks?limit=1&attribute=" + encoded);
    assertThat(uuids(page)).containsExactly(second);
    assertThat(uuids(
        tasker.get("/v1/tasks?limit=1&attribute=" + encoded + "&cursor=" + page.text("next"))))
        .containsExactly(first);
  }

  @Test
  void operators_retry_with_another_context_is_found_by_that() {
    String before = "before-" + UUID.randomUUID();
    String after = "after-" + UUID.randomUUID();
    String task = submitted("findable_fail", "{'order_id': '" + before + "'}");
    assertThat(tasker.awaitTerminalOrBlocked(UUID.fromString(task)).getString("state"))
        .isEqualTo("blocked_by_failures");

    Answer refused = retry(task, "{'order_id': {'value': '" + after + "'}}");
    assertThat(refused.status()).as("%s", refused).isEqualTo(400);
    assertThat(refused.fields()).containsExactly("context.order_id");
    assertThat(uuids(tasker.get("/v1/tasks?attribute=order:" + before))).containsExactly(task);
    Answer done = retry(task, "{'order_id': '" + after + "'}");
    assertThat(done.status()).as("%s", done).isEqualTo(200);

    assertThat(uuids(tasker.get("/v1/tasks?attribute=order:" + before))).isEmpty();
    assertThat(uuids(tasker.get("/v1/tasks?attribute=order:" + after))).containsExactly(task);
  }

  private Answer retry(String task, String context) {
    return tasker.send(tasker.request("/v1/tasks/" + task)
        .header("Content-Type", "application/json")
        .method("PATCH", java.net.http.HttpRequest.BodyPublishers.ofString(
            TaskerClient.quoted("{'action_type': 'retry', 'requested_by': 'ann', 'reason': 'a test "
                + UUID.randomUUID() + "', 'context': "
                + context + "}"))));
  }

  @Test
  void value_that_cannot_be_a_search_attribute_is_refused_at_submission() {
    String mark = UUID.randomUUID().toString();
    for (String value : List.of("['" + mark + "']", "{'a': '" + mark + "'}",
        "'" + mark + "x".repeat(256) + "'")) {
      String request = TaskerClient.taskRequest("testing", "findable_hello",
          "{'order_id': " + value + "}");
      Answer answer = tasker.post("/v1/tasks", request);
      assertThat(answer.status()).as("%s", answer).isEqualTo(400);
      assertThat(answer.fields()).containsExactly("context.order_id");
      assertThat(answer.body()).doesNotContain(mark);
      JsonObject refused = tasker
          .post("/v1/tasks:batch",
              "[" + TaskerClient.taskRequest("testing", "findable_hello",
                  "{'order_id': '" + mark + "'}") + "," + request + "]")
          .list("verdicts").get(1);
      assertThat(refused.getInt("status")).isEqualTo(400);
      assertThat(refused.toString()).contains("context.order_id").doesNotContain(mark);
    }
    assertThat(uuids(tasker.get("/v1/tasks?attribute=order:" + mark))).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"attribute=order", "attribute=", "attribute=:x", "attribute=Order:x",
    "attribute=order%20:x",
    "attribute=colour:red", "attribute=order:x&attribute=order:x",
    "attribute=order:x&attribute=colour:red", "attribute=order:%00",
    "attribute=customer:7&attribute=order:%00",
    "attribute=a:1&attribute=b:1&attribute=c:1&attribute=d:1&attribute=e:1&attribute=f:1&attribute=g:1&attribute=h:1&attribute=i:1",
    "attribute=order:x&name=hello"})
  void search_attribute_that_is_none_is_named(String query) {
    Answer answer = tasker.get("/v1/tasks?" + query);
    assertThat(answer.status()).as("%s", answer).isEqualTo(400);
    assertThat(answer.fields()).containsExactly("attribute");
  }

  @Test
  void longest_value_may_be_asked_for_and_no_longer_one() {
    assertThat(tasker.get("/v1/tasks?attribute=order:" + "x".repeat(256)).status()).isEqualTo(200);
    assertThat(tasker.get("/v1/tasks?attribute=order:" + "x".repeat(257)).fields())
        .containsExactly("attribute");
  }

  private Answer list(String more) {
    Answer answer = tasker.get("/v1/tasks?initiator=" + initiator + more);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer;
  }

  private static List<String> uuids(Answer page) {
    return page.object().getJsonArray("tasks").getValuesAs(JsonObject.class).stream()
        .map(task -> task.getString("task_uuid")).toList();
  }
}
