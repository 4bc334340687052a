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
      requests.add(TaskerClient.quoted("{'namespace': 'testing', 'name': '" + (i < 20 ? "hello" : "checked_hello") + "', 'version': '1.0.0',"
          + " 'context': {'who': 'you'}, 'initiator': '" + initiator + "', 'source_system': '" + initiator + "-" + i % 3 + "',"
          + " 'parent_correlation_id': '" + correlation + "'}"));
    }
    created = tasker.post("/v1/tasks:batch", requests.toString()).list("verdicts").stream()
        .map(verdict -> verdict.getString("task_uuid")).toList();
    created.forEach(task -> tasker.atRest(UUID.fromString(task)));
  }

  @Test
  void page_has_twenty_five_unless_told_otherwise_newest_first() {
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

    assertThat(seen).containsExactlyInAnyOrderElementsOf(created).isSortedAccordingTo(java.util.Comparator.reverseOrder());
    assertThat(pages).isEqualTo((30 + limit - 1) / limit);
  }

  @Test
  void task_that_arrives_between_two_pages_shifts_nothing() {
    Answer first = list("&limit=10");
    tasker.post("/v1/tasks", TaskerClient.quoted("{'namespace': 'testing', 'name': 'hello', 'version': '1.0.0', 'context': {}, 'initiator': '" + initiator + "'}"));
    Answer second = list("&limit=10&cursor=" + first.text("next"));

    try {
      assertThat(uuids(second)).hasSize(10).doesNotContainAnyElementsOf(uuids(first));
    } finally {
      tasker.sql("update tasker.tasks set initiator = 'other' where initiator = ? and not task_uuid = any (?::uuid[])", initiator, "{" + String.join(",", created) + "}");
    }
  }

  @Test
  void filters_narrow_together() {
    assertThat(uuids(list("&name=checked_hello&limit=100"))).hasSize(10);
    assertThat(uuids(list("&name=hello&source_system=" + initiator + "-0&limit=100"))).hasSize(7);
    assertThat(uuids(list("&namespace=testing&version=1.0.0&state=complete&limit=100"))).hasSize(30);
    assertThat(uuids(list("&parent_correlation_id=" + correlation + "&limit=100"))).hasSize(30);
    assertThat(uuids(list("&correlation_id=" + created.get(3)))).containsExactly(created.get(3));
    assertThat(uuids(list("&state=error"))).isEmpty();
    assertThat(uuids(list("&namespace=nowhere"))).isEmpty();
  }

  @Test
  void unfinished_states_are_found_too() {
    UUID waiting = tasker.submit("retry_later", "{}");
    UUID blocked = tasker.submit("fail", "{'way': 'permanent'}");
    tasker.atRest(blocked);
    TaskerClient.until("it waits for its retry", java.time.Duration.ofSeconds(20), () -> tasker.get("/v1/tasks/" + waiting).text("state").equals("waiting_for_retry"));

    assertThat(uuids(tasker.get("/v1/tasks?state=waiting_for_retry&limit=100"))).contains(waiting.toString());
    assertThat(uuids(tasker.get("/v1/tasks?state=blocked_by_failures&limit=100"))).contains(blocked.toString());
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

  private Answer list(String more) {
    Answer answer = tasker.get("/v1/tasks?initiator=" + initiator + more);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer;
  }

  private static List<String> uuids(Answer page) {
    return page.object().getJsonArray("tasks").getValuesAs(JsonObject.class).stream().map(task -> task.getString("task_uuid")).toList();
  }
}
