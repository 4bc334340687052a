package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Domain events on a topic of the broker that is part of the server, with a subscriber in the
 * server. Payara Micro has neither a broker nor the API.
 */
@Tag("long")
class TopicIT {
  private static final ServerFacts FACTS = ServerFacts.ofThisServer();
  private static EmbeddedDatabase database;

  @BeforeAll
  static void start() {
    assumeTrue(FACTS.has("topic.name"), "the server has no broker");
    database = TestServer.newDatabase();
  }

  @AfterAll
  static void stop() {
    if (database != null) {
      database.close();
    }
  }

  private static Map<String, String> settings() {
    return Map.of("MESSAGING", "embedded",
        "TASKER_EVENTS_MESSAGING_CONNECTION_FACTORY",
        FACTS.text("topic.connection-factory"),
        "TASKER_EVENTS_MESSAGING_TOPIC",
        FACTS.text("topic.name"));
  }

  private static List<JsonObject> received(TaskerClient tasker) {
    var answer = tasker.get("/testing-topic");
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return Json.createReader(new StringReader(answer.body())).readArray()
        .getValuesAs(JsonObject.class).stream()
        .filter(
            message -> message.getJsonObject("body").getString("taskertemplate").equals("topic"))
        .toList();
  }

  private static UUID run(TaskerClient tasker, int order) {
    UUID task = tasker.submit("testing", "topic", "{'order': " + order + "}");
    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    return task;
  }

  @Test
  void each_event_comes_in_the_order_of_the_feed_also_after_the_server_was_killed() {
    Path war = TestServer.warWith("tasker-ee-topic.war",
        plain -> plain.addPackages(true, "ee.tasker.testing.topic"));
    int port = TestServer.freePort();
    List<String> seen = new ArrayList<>();
    try (TestServer server = TestServer.starting(database, port, settings(), war).awaitReady()) {
      TaskerClient tasker = server.client();
      assertThat(tasker.postTemplate(
          "name: topic\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\n"
              + "lifecycle: {publishes_events: [tasks]}\nsteps:\n"
              + "  - {name: pay, handler: {callable: testing.Echo}, publishes_events: [{name: order.paid}]}\n")
          .status()).isIn(200, 201);
      assertThat(received(tasker)).isEmpty();
      TaskerClient.until("the consumer is there", Duration.ofSeconds(60),
          () -> tasker.sql("select from tasker.event_consumers where name = 'topic'").size() == 1);
      UUID task = run(tasker, 1);
      List<JsonObject> messages = new ArrayList<>();
      TaskerClient.until("both events have come", Duration.ofSeconds(150), () -> {
        messages.addAll(received(tasker));
        return messages.size() >= 2;
      });

      assertThat(messages).hasSize(2);
      JsonObject paid = messages.get(0);
      assertThat(paid.getString("jms_type")).isEqualTo("order.paid");
      assertThat(paid.getJsonObject("body").getString("type")).isEqualTo("order.paid");
      assertThat(paid.getString("id")).isEqualTo(paid.getJsonObject("body").getString("id"));
      assertThat(paid.getString("group")).isEqualTo(task.toString());
      assertThat(paid.getString("correlation"))
          .isEqualTo(paid.getJsonObject("body").getString("taskercorrelation"));
      assertThat(paid.getBoolean("persistent")).isTrue();
      assertThat(messages.get(1).getString("jms_type")).isEqualTo("tasker.task.completed");
      assertThat(tasker.get("/metrics").body())
          .contains("tasker_event_consumer_failures{consumer=\"topic\"} 0");
      messages.forEach(message -> seen.add(message.getString("id")));
      for (int order = 2; order <= 20; order++) {
        tasker.submit("testing", "topic", "{'order': " + order + "}");
      }
      ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
    }
    // Another process on the same data, as one that takes over.
    try (TestServer server = TestServer.starting(database, port, settings(), war).awaitReady()) {
      TaskerClient tasker = server.client();
      List<String> later = new ArrayList<>();
      TaskerClient.until("all events have come", Duration.ofSeconds(180), () -> {
        received(tasker).forEach(message -> later.add(message.getString("id")));
        return tasker
            .sql(
                "select from tasker.domain_events e, tasker.event_consumers c where e.position is null or e.position > c.position")
            .isEmpty()
            && tasker.sql("select from tasker.tasks where completed_at is null").isEmpty();
      });
      received(tasker).forEach(message -> later.add(message.getString("id")));

      List<String> feed = tasker.sql(
          "select e.event_uuid::text as id from tasker.domain_events e join tasker.tasks t using (task_uuid) "
              + "join tasker.named_tasks n using (named_task_uuid) where n.name = 'topic' order by e.position")
          .stream()
          .map(row -> (String) row.get("id")).toList();
      // What the first server had sent without recording it comes again; what the broker lost with
      // the kill may be missing there, and nowhere else.
      assertThat(later.stream().distinct().toList()).isSubsetOf(feed);
      assertThat(later.stream().distinct().toList()).as("in the order of the feed")
          .containsExactlyElementsOf(feed.stream().filter(later::contains).toList());
      assertThat(feed.stream().filter(id -> !seen.contains(id) && !later.contains(id)).toList())
          .as("left out").isEmpty();
    }
  }

  @Test
  void a_topic_that_is_not_there_is_reported_and_nothing_is_lost() {
    try (TestServer server = TestServer.start(database, Map.of(
        "TASKER_EVENTS_MESSAGING_CONNECTION_FACTORY", "jms/absent", "TASKER_EVENTS_MESSAGING_TOPIC",
        "jms/absent"))) {
      TaskerClient tasker = server.client();
      tasker.sql("delete from tasker.event_consumers");
      TaskerClient.until("the consumer is there", Duration.ofSeconds(60),
          () -> tasker.sql("select from tasker.event_consumers where name = 'topic'").size() == 1);
      assertThat(tasker.postTemplate(
          "name: topicless\nnamespace_name: testing\nversion: 1.0.0\nlifecycle: {publishes_events: [tasks]}\n"
              + "steps:\n  - {name: pay, handler: {callable: testing.Echo}}\n")
          .status()).isIn(200, 201);
      tasker.awaitTerminalOrBlocked(tasker.submit("testing", "topicless", "{}"));

      TaskerClient.until("the failure is told", Duration.ofSeconds(60),
          () -> server.log().contains("TK1208"));

      assertThat(tasker.sql(
          "select from tasker.event_consumers c where c.failures > 0 and c.last_failure is not null "
              + "and exists (select from tasker.domain_events e where e.position > c.position)"))
          .hasSize(1);
    }
  }
}
