package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import ee.tasker.webhook.Receiver;
import jakarta.json.JsonObject;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server that looks at a copy: it shows everything and changes nothing until it is told to. */
@Tag("long")
class PausedStartIT {
  private static final String MOVES = "select (select count(*) from tasker.task_transitions)"
      + " + (select count(*) from tasker.workflow_step_transitions)"
      + " + (select count(*) from tasker.purged_tasks)";
  private static final ServerFacts FACTS = ServerFacts.ofThisServer();
  private static final Map<String, String> TOPIC = Map.of("MESSAGING", "embedded",
      "TASKER_EVENTS_MESSAGING_CONNECTION_FACTORY",
      FACTS.text("topic.connection-factory"),
      "TASKER_EVENTS_MESSAGING_TOPIC",
      FACTS.text("topic.name"));
  /** Those of webhooks and of the topic look within eight seconds. */
  private static final Duration LONGER_THAN_A_TIMER = Duration.ofSeconds(10);

  @Test
  void server_that_starts_paused_processes_nothing_until_its_roles_are_resumed() {
    try (EmbeddedDatabase database = TestServer.newDatabase();
        TestServer server = TestServer.start(database, Map.of(
            "TASKER_PAUSED_START", "true", "TASKER_POLL_INTERVAL_SECONDS", "1",
            "TASKER_HOUSEKEEPING_INTERVAL_SECONDS", "1"))) {
      TaskerClient tasker = server.client();
      tasker.register("/testing/templates.yaml");
      assertThat(tasker.send(tasker.request("/v1/retention/policy")
          .header("Content-Type", "application/json")
          .PUT(HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
              "{'namespace': 'testing', 'state': 'cancelled', 'keep_days': 0,"
                  + " 'requested_by': 'ann', 'reason': 'a test'}"))))
          .status()).isEqualTo(200);
      UUID cancelled = tasker.submit("hello", "{\"who\": \"a\"}");
      assertThat(tasker.value("select tasker.request_cancel(?, 'ann', 'a test') ->> 'state'",
          cancelled)).isEqualTo("cancelled");
      UUID task = tasker.submit("hello", "{\"who\": \"b\"}");
      tasker.sql("update tasker.task_wakeups set wake_at = now() - interval '1 minute'");
      long before = tasker.count(MOVES);

      TaskerClient.pause(Duration.ofSeconds(5));

      assertThat(tasker.count(MOVES)).isEqualTo(before);
      JsonObject shown = tasker.get("/v1/tasks/" + task).object();
      assertThat(shown.getString("state")).isNotEqualTo("complete");
      JsonObject described = tasker.get("/v1/servers").object().getJsonArray("servers")
          .getJsonObject(0);
      assertThat(tasker.get("/v1/servers/" + described.getString("server_uuid")).object()
          .get("paused_roles")).hasToString("[\"orchestrator\",\"worker\"]");

      resume(tasker);

      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    }
  }

  @Test
  void what_the_original_had_to_send_is_sent_when_the_role_is_resumed_and_not_before() {
    boolean hasTopic = FACTS.has("topic.name");
    Map<String, String> settings = new HashMap<>(Map.of("TASKER_WEBHOOKS_ALLOW_HTTP", "true",
        "TASKER_WEBHOOKS_ALLOW_ADDRESSES", "127.0.0.0/8", "TASKER_WEBHOOKS_ALLOW_PORTS", "all"));
    try (Receiver receiver = new Receiver(event -> 200);
        EmbeddedDatabase database = TestServer.newDatabase()) {
      UUID task = ranWithoutSending(database, settings, receiver.url());
      settings.put("TASKER_PAUSED_START", "true");
      if (hasTopic) {
        settings.putAll(TOPIC);
      }
      Path war = TestServer.warWith("tasker-ee-topic.war",
          plain -> plain.addPackages(true, "ee.tasker.testing.topic"));
      try (TestServer server = TestServer.starting(database, TestServer.freePort(), settings, war)
          .awaitReady()) {
        TaskerClient tasker = server.client();
        List<String> messages = new ArrayList<>();
        if (hasTopic) {
          assertThat(tasker.get("/testing-topic").json().asJsonArray()).as("subscribed").isEmpty();
        }

        TaskerClient.pause(LONGER_THAN_A_TIMER);

        assertThat(receiver.calls()).isEmpty();
        assertThat(tasker.count("select count(*) from tasker.webhook_deliveries")).isZero();
        if (hasTopic) {
          assertThat(tasker.get("/testing-topic").json().asJsonArray()).isEmpty();
          assertThat(tasker.count("select position from tasker.event_consumers")).isZero();
        }

        resume(tasker);

        TaskerClient.until("the event was sent", Duration.ofSeconds(30),
            () -> !receiver.accepted().isEmpty());
        assertThat(receiver.calls()).hasSize(1).first().satisfies(call -> assertThat(
            call.event().getString("subject")).isEqualTo(task.toString()));
        if (hasTopic) {
          TaskerClient.until("the topic has it", Duration.ofSeconds(30), () -> {
            tasker.get("/testing-topic").json().asJsonArray().getValuesAs(JsonObject.class)
                .forEach(message -> messages.add(message.getString("group")));
            return !messages.isEmpty();
          });
          assertThat(messages).containsExactly(task.toString());
        }
      }
    }
  }

  /** By a server that makes no calls and has no topic, though others had. */
  private static UUID ranWithoutSending(EmbeddedDatabase database, Map<String, String> settings,
      String url) {
    Map<String, String> silent = new HashMap<>(settings);
    silent.put("TASKER_WEBHOOKS_CONCURRENCY", "0");
    try (TestServer server = TestServer.start(database, silent)) {
      TaskerClient tasker = server.client();
      tasker.sql("insert into tasker.event_consumers (name, position, progressed_at)"
          + " values ('topic', 0, now())");
      assertThat(tasker.postTemplate("name: told\nnamespace_name: testing\nversion: 1.0.0\n"
          + "steps:\n  - {name: pay, handler: {callable: testing.Echo},"
          + " publishes_events: [{name: order.paid}]}\n").status()).isEqualTo(201);
      assertThat(tasker.post("/v1/webhooks", TaskerClient.quoted(
          "{'namespace': 'testing', 'name': 'copied', 'url': '" + url + "'}")).status())
          .isEqualTo(201);
      UUID task = tasker.submit("testing", "told", "{}");
      assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
      return task;
    }
  }

  private static void resume(TaskerClient tasker) {
    String uuid = tasker.sql("select server_uuid from tasker.servers where state <> 'stopped'")
        .get(0).get("server_uuid").toString();
    assertThat(tasker.send(tasker.request("/v1/servers/" + uuid)
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
            "{'paused_roles': [], 'requested_by': 'ann', 'reason': 'it was looked at'}"))))
        .status()).isEqualTo(200);
  }
}
