package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.EventClient;
import ee.tasker.testing.server.EventClient.Received;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Domain events as a stream: each once, in the order of the feed, and only what the caller may see
 * at that time.
 */
@AgainstServer
class DomainEventStreamIT {
  private final TaskerClient tasker;
  private final String name = "streamed_" + UUID.randomUUID().toString().substring(0, 8);

  DomainEventStreamIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
    assertThat(tasker.postTemplate("name: " + name
        + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
        + "lifecycle: {publishes_events: [tasks]}\nsteps:\n"
        + "  - {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: order.paid, payload: {order: $.context.order}}]}\n")
        .status()).isIn(200, 201);
  }

  private EventClient listen(TaskerClient by, String query, String lastId) {
    EventClient client = EventClient.open(by.base(),
        "/v1/domain-events/stream?name=" + name + query, lastId, 0);
    assertThat(client.status()).isEqualTo(200);
    return client;
  }

  private UUID run(int order) {
    UUID task = tasker.submit("testing", name, "{'order': " + order + "}");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    return task;
  }

  private static Received event(EventClient client) {
    Received next = client.next();
    assertThat(next).as("the stream ended or was silent").isNotNull();
    assertThat(next.name()).isEqualTo("domain_event");
    return next;
  }

  private List<String> feed(String query) {
    return tasker.get("/v1/domain-events?limit=1000&name=" + name + query).object()
        .getJsonArray("events").getValuesAs(JsonObject.class)
        .stream()
        .map(event -> event.getString("id")).toList();
  }

  @Test
  void a_stream_tells_each_event_of_the_feed_once_over_cuts_and_resumes() {
    List<Received> seen = new ArrayList<>();
    EventClient client = listen(tasker, "", null);
    client.awaitSign();
    String first = client.lastId();
    int cuts = 0;
    for (int order = 0; order < 12; order++) {
      tasker.submit("testing", name, "{'order': " + order + "}");
    }
    while (seen.size() < 24) {
      seen.add(event(client));
      if (seen.size() % 5 == 0) {
        // What has arrived and was not read is lost with the connection.
        client.close();
        client = listen(tasker, "", seen.get(seen.size() - 1).id());
        cuts++;
      }
    }
    client.close();

    assertThat(cuts).isEqualTo(4);
    assertThat(seen.stream().map(event -> event.data().getString("id")).toList())
        .doesNotHaveDuplicates()
        .containsExactlyElementsOf(feed(""));
    try (EventClient again = listen(tasker, "&type=order.paid&last_event_id=" + first, null)) {
      List<String> replayed = new ArrayList<>();
      while (replayed.size() < 12) {
        Received event = event(again);
        assertThat(event.data().getString("type")).isEqualTo("order.paid");
        assertThat(event.data().getJsonObject("data").containsKey("order")).isTrue();
        replayed.add(event.data().getString("id"));
      }
      assertThat(replayed).containsExactlyElementsOf(feed("&type=order.paid"));
    }
  }

  @Test
  void an_event_that_commits_late_comes_after_those_that_came_before() throws Exception {
    try (EventClient client = listen(tasker, "&type=tasker.task.cancelled", null);
        Connection late = tasker.connect()) {
      client.awaitSign();
      late.setAutoCommit(false);
      String submission = "select tasker.submit_task('testing', '" + name
          + "', '1.0.0', '{}', jsonb_build_object('context_checked', true, 'start_at', now() + interval '1 day')) as task";
      UUID first = (UUID) tasker.sql(submission).get(0).get("task");
      UUID second = (UUID) tasker.sql(submission).get(0).get("task");
      TaskerClient.sql(late, "select tasker.request_cancel(?, 'ann', 'a test')::text", first);
      tasker.sql("select tasker.request_cancel(?, 'ann', 'a test')::text", second);

      assertThat(event(client).data().getString("subject")).isEqualTo(second.toString());
      late.commit();
      assertThat(event(client).data().getString("subject")).isEqualTo(first.toString());
    }
  }

  @Test
  void content_is_hidden_as_in_the_feed_and_a_revoked_grant_ends_it() {
    TaskerClient reader = tasker.asOneWhoMay(List.of("tasks:read in testing"));
    try (EventClient client = EventClient.open(reader.base(),
        "/v1/domain-events/stream?name=" + name, null, 0, reader.credentials())) {
      client.awaitSign();
      run(1);
      JsonObject paid = event(client).data();
      assertThat(paid.getString("type")).isEqualTo("order.paid");
      assertThat(paid).doesNotContainKeys("data", "datacontenttype");
      assertThat(event(client).data().getJsonObject("data").getString("state"))
          .isEqualTo("complete");

      tasker.sql(
          "delete from tasker.access_grants where key_uuid = (select key_uuid from tasker.access_keys order by created_at desc limit 1)");
      Received next = client.next();
      while (next != null) {
        next = client.next();
      }
      assertThat(client.isEnded()).isTrue();
    }
  }

  @Test
  void what_is_wrong_is_a_problem_and_no_stream() {
    // The last but one is a position that the feed has never had: of another database, or of this
    // one before it was restored.
    for (String query : List.of("with_error=maybe", "task=x", "correlation_id=x", "last_event_id=x",
        "last_event_id=999999999999999999",
        "colour=red")) {
      assertThat(tasker.send(tasker.request("/v1/domain-events/stream?" + query)
          .setHeader("Accept", "text/event-stream, application/problem+json").GET()).fields())
          .as(query).containsExactly(query.substring(0, query.indexOf('=')));
    }
  }
}
