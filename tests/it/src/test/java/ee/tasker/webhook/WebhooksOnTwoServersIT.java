package ee.tasker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Two servers that send to one receiver: each event reaches it, in the order of its task, also when
 * it fails for a while and when a server dies during calls.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WebhooksOnTwoServersIT {
  private static final Map<String, String> SETTINGS = Map.of("TASKER_WORKER_HEARTBEAT_SECONDS", "2",
      "TASKER_WORKER_LEASE_SECONDS", "6",
      "TASKER_POLL_INTERVAL_SECONDS", "2", "TASKER_WEBHOOKS_ALLOW_HTTP", "true",
      "TASKER_WEBHOOKS_ALLOW_ADDRESSES", "127.0.0.0/8",
      "TASKER_WEBHOOKS_ALLOW_PORTS", "all", "TASKER_WEBHOOKS_CONCURRENCY", "4");
  private static final int TASKS = 12;
  private static final int STEPS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private EmbeddedDatabase database;
  private TestServer first;
  private TestServer second;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    first = TestServer.starting(database, SETTINGS);
    second = TestServer.starting(database, SETTINGS);
    first.awaitReady();
    second.awaitReady();
    StringBuilder steps = new StringBuilder();
    for (int i = 1; i <= STEPS; i++) {
      steps.append("  - {name: s").append(i).append(", handler: {callable: testing.Echo}")
          .append(i > 1 ? ", dependencies: [s" + (i - 1) + "]" : "")
          .append(", publishes_events: [{name: s").append(i).append("}]}\n");
    }
    assertThat(second.client()
        .postTemplate(
            "name: told\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
                + steps)
        .status())
        .isEqualTo(201);
  }

  @AfterAll
  void stop() {
    for (TestServer server : new TestServer[]{first, second}) {
      if (server != null) {
        server.close();
      }
    }
    if (database != null) {
      database.close();
    }
  }

  private String create(String name, Receiver receiver) {
    Answer created = second.client().post("/v1/webhooks",
        TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name + "', 'url': '"
            + receiver.url()
            + "', 'timeout_seconds': 30, 'max_in_flight': 8, 'max_attempts': 100, 'backoff_seconds': 1, 'backoff_cap_seconds': 1}"));
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    return created.text("webhook_uuid");
  }

  private List<String> submit() {
    List<String> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add((i % 2 == 0 ? first : second).client()
          .submit("testing", "told", "{\"text\": \"t\"}").toString());
    }
    return tasks;
  }

  private void awaitDelivered(String webhook) {
    TaskerClient.until("all are delivered", PATIENCE,
        () -> second.client().get("/v1/webhooks/" + webhook).object().getInt("delivered") >= TASKS
            * STEPS);
  }

  private void assertEachEventInTheOrderOfItsTask(Receiver receiver, List<String> tasks) {
    for (String task : tasks) {
      List<String> types = new ArrayList<>();
      // An event that is sent again comes before the next one of its task.
      receiver.calls().stream().map(Receiver.Call::event)
          .filter(event -> event.getString("subject").equals(task))
          .map(event -> event.getString("type"))
          .filter(type -> types.isEmpty() || !types.get(types.size() - 1).equals(type))
          .forEach(types::add);
      assertThat(types).as(task).containsExactly("s1", "s2", "s3");
    }
    Set<String> ids = receiver.accepted().stream().map(Receiver.Call::id)
        .collect(Collectors.toSet());
    assertThat(ids).as("an event has the same id each time").hasSize(TASKS * STEPS);
    assertThat(second.client()
        .sql("select * from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
  }

  @Test
  @Order(1)
  void both_send_and_none_sends_what_was_accepted_again() {
    Set<UUID> senders = ConcurrentHashMap.newKeySet();
    AtomicInteger count = new AtomicInteger();
    try (Receiver receiver = new Receiver(event -> {
      second.client().sql(
          "select leased_by from tasker.webhook_deliveries where event_uuid = ?::uuid and leased_by is not null",
          event.getString("id")).forEach(row -> senders.add((UUID) row.get("leased_by")));
      // One server has four threads for calls, the webhook eight at a time: while the first is kept
      // waiting, the other sends.
      try {
        TaskerClient.until("both servers send", Duration.ofSeconds(25), () -> senders.size() == 2);
      } catch (AssertionError one) {
        return 504;
      }
      return count.getAndIncrement() < 7 ? 503 : 200;
    })) {
      String webhook = create("both", receiver);
      List<String> tasks = submit();
      awaitDelivered(webhook);

      assertEachEventInTheOrderOfItsTask(receiver, tasks);
      assertThat(receiver.accepted()).as("calls that were accepted").hasSize(TASKS * STEPS);
      assertThat(senders).as("servers that have sent").hasSize(2);
      second.client().delete("/v1/webhooks/" + webhook + "?requested_by=ann&reason=test");
    }
  }

  @Test
  @Order(2)
  void server_that_is_killed_while_the_receiver_is_slow_loses_no_event_and_no_order() {
    CountDownLatch killed = new CountDownLatch(1);
    Set<String> held = ConcurrentHashMap.newKeySet();
    try (Receiver receiver = new Receiver(event -> {
      try {
        held.add(event.getString("id"));
        killed.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return 200;
    })) {
      String webhook = create("slow", receiver);
      List<String> tasks = submit();
      UUID victim = (UUID) second.client().value(
          "select server_uuid from tasker.servers where name like '%:' || ?",
          Long.toString(first.pid()));
      TaskerClient.until("the server to be killed has calls in flight", PATIENCE, () -> second
          .client()
          .count(
              "select count(*) from tasker.webhook_deliveries where leased_by = ? and state = 'in_flight'",
              victim) > 0
          && !held.isEmpty());
      long inFlight = second.client()
          .count("select count(*) from tasker.webhook_deliveries where leased_by = ?", victim);

      first.kill();
      killed.countDown();
      awaitDelivered(webhook);

      assertEachEventInTheOrderOfItsTask(receiver, tasks);
      // Accepted by the receiver, but not heard by the server that had sent them: sent again under
      // the same id.
      assertThat(receiver.accepted().size()).isGreaterThanOrEqualTo(TASKS * STEPS)
          .isLessThanOrEqualTo(TASKS * STEPS + (int) inFlight + 8);
    }
  }
}
