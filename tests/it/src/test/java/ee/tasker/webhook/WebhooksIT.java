package ee.tasker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Webhooks over HTTP, with receivers of every kind. */
@Tag("long")
@AgainstServer
class WebhooksIT {
  private static final String WHO = "'requested_by': 'ann', 'reason': 'test'";
  private static final Duration SOON = Duration.ofSeconds(60);

  private final TaskerClient tasker;
  private final String name = "w" + UUID.randomUUID().toString().substring(0, 8);
  private final List<String> webhooks = new ArrayList<>();

  WebhooksIT(TaskerClient tasker) {
    this.tasker = tasker;
    tasker.register("/testing/templates.yaml");
    StringBuilder steps = new StringBuilder();
    for (int i = 1; i <= 4; i++) {
      steps.append("  - {name: s").append(i).append(", handler: {callable: testing.Echo}")
          .append(i > 1 ? ", dependencies: [s" + (i - 1) + "]" : "")
          .append(", publishes_events: [{name: ").append(name).append(".s").append(i)
          .append("}]}\n");
    }
    assertThat(tasker
        .postTemplate("name: " + name
            + "\nnamespace_name: testing\nversion: 1.0.0\nidentity_strategy: always_unique\nsteps:\n"
            + steps)
        .status()).isIn(200, 201);
  }

  @AfterEach
  void delete() {
    webhooks.forEach(
        webhook -> tasker.delete("/v1/webhooks/" + webhook + "?requested_by=ann&reason=test"));
  }

  private Answer create(String url, String more) {
    Answer created = tasker.post("/v1/webhooks",
        TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name + webhooks.size()
            + "', 'template': '" + name + "', 'url': '" + url
            + "', 'backoff_seconds': 1, 'backoff_cap_seconds': 1" + more + "}"));
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    webhooks.add(created.text("webhook_uuid"));
    return created;
  }

  private Answer act(String webhook, String action, String more) {
    return tasker.post("/v1/webhooks/" + webhook + "/" + action,
        TaskerClient.quoted("{" + WHO + more + "}"));
  }

  private JsonObject webhook(String uuid) {
    return tasker.get("/v1/webhooks/" + uuid).object();
  }

  private List<JsonObject> deliveries(String webhook, String query) {
    return tasker.get("/v1/webhooks/" + webhook + "/deliveries?limit=100" + query).object()
        .getJsonArray("deliveries")
        .getValuesAs(JsonObject.class);
  }

  private List<String> run(int tasks) {
    List<UUID> all = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      all.add(tasker.submit("testing", name, "{\"text\": \"t" + i + "\"}"));
    }
    all.forEach(task -> assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("complete"));
    return all.stream().map(UUID::toString).toList();
  }

  private static boolean isSigned(Receiver.Call call, String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())),
        "HmacSHA256"));
    mac.update((call.id() + "." + call.timestamp() + ".").getBytes(StandardCharsets.US_ASCII));
    return List.of(call.signature().split(" "))
        .contains("v1," + Base64.getEncoder().encodeToString(mac.doFinal(call.body())));
  }

  @Test
  void a_receiver_that_fails_for_a_while_gets_every_event_in_the_order_of_its_task_and_knows_duplicates()
      throws Exception {
    AtomicInteger count = new AtomicInteger();
    List<Integer> bad = List.of(500, 0, 301, 429, 404, 0, 503);
    try (Receiver receiver = new Receiver(event -> {
      int n = count.getAndIncrement();
      // The last answers of the bad time come too late to be heard: the event was taken, and is
      // sent again.
      return n < 14 ? bad.get(n % bad.size()) : 200;
    })) {
      Answer created = create(receiver.url(), ", 'max_attempts': 100");
      String webhook = created.text("webhook_uuid");
      List<String> tasks = run(5);

      TaskerClient.until("all are delivered", Duration.ofMinutes(4), () -> {
        // Ten failures in a row make it wait for a minute: the test does not.
        tasker.sql(
            "update tasker.webhooks set wait_until = null, failures_in_a_row = 0, failing_since = null where webhook_uuid = '"
                + webhook
                + "' and wait_until is not null returning 1");
        return webhook(webhook).getInt("delivered") >= 20;
      });

      assertThat(receiver.calls()).hasSizeGreaterThanOrEqualTo(34);
      for (String task : tasks) {
        Set<String> types = receiver.accepted().stream()
            .filter(call -> call.event().getString("subject").equals(task))
            .map(call -> call.event().getString("type"))
            .collect(Collectors.toCollection(LinkedHashSet::new));
        assertThat(types).containsExactly(name + ".s1", name + ".s2", name + ".s3", name + ".s4");
      }
      assertThat(receiver.accepted().stream().map(Receiver.Call::id).distinct()).hasSize(20);
      assertThat(receiver.calls()).allSatisfy(call -> {
        assertThat(call.id()).isEqualTo(call.event().getString("id"));
        assertThat(isSigned(call, created.text("secret"))).isTrue();
      });
      assertThat(deliveries(webhook, "&state=delivered")).hasSize(20);
      assertThat(webhook(webhook).getString("state")).isEqualTo("active");
    }
  }

  @Test
  void a_failing_event_holds_back_its_task_only_until_it_is_a_dead_letter() {
    Map<String, Integer> attempts = new ConcurrentHashMap<>();
    try (Receiver receiver = new Receiver(event -> event.getString("type").endsWith(".s2")
        && attempts.merge(event.getString("id"), 1, Integer::sum) <= 2 ? 422 : 204)) {
      String webhook = create(receiver.url(), ", 'max_attempts': 2").text("webhook_uuid");
      run(2);
      TaskerClient.until("all have ended", SOON,
          () -> webhook(webhook).getInt("delivered") == 6
              && webhook(webhook).getInt("dead_letters") == 2);

      List<JsonObject> dead = deliveries(webhook, "&state=dead");
      assertThat(dead).allSatisfy(letter -> {
        assertThat(letter.getInt("last_status")).isEqualTo(422);
        assertThat(letter.getInt("attempts")).isEqualTo(2);
        assertThat(letter.getString("last_response")).startsWith("seen");
      });
      String path = "/v1/webhooks/" + webhook + "/deliveries/"
          + dead.get(0).getString("delivery_uuid");
      assertThat(tasker.post(path + "/retry", TaskerClient.quoted("{" + WHO + "}")).text("state"))
          .isIn("pending", "in_flight",
              "delivered");
      TaskerClient.until("it is delivered", SOON,
          () -> "delivered".equals(tasker.get(path).text("state")));
      String other = "/v1/webhooks/" + webhook + "/deliveries/"
          + dead.get(1).getString("delivery_uuid");
      assertThat(
          tasker.post(other + "/discard", TaskerClient.quoted("{" + WHO + "}")).text("state"))
          .isEqualTo("discarded");
      assertThat(tasker.post(other + "/discard", TaskerClient.quoted("{" + WHO + "}")).text("code"))
          .isEqualTo("delivery-not-movable");
    }
  }

  @Test
  void a_slow_receiver_holds_up_no_other_and_is_left_after_its_time_out() {
    CountDownLatch end = new CountDownLatch(1);
    try (Receiver slow = new Receiver(event -> {
      try {
        end.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return 200;
    }); Receiver quick = new Receiver(event -> 200)) {
      String held = create(slow.url(), ", 'timeout_seconds': 2, 'max_in_flight': 32")
          .text("webhook_uuid");
      String free = create(quick.url(), "").text("webhook_uuid");
      run(10);

      TaskerClient.until("the quick one has all", SOON,
          () -> webhook(free).getInt("delivered") == 40);
      TaskerClient.until("the slow one has failed", SOON, () -> webhook(held).getInt("failed") > 0);
      assertThat(webhook(held).getString("last_failure")).isEqualTo("no answer within 2 s");
      assertThat(webhook(held).getInt("delivered")).isZero();
      end.countDown();
    }
  }

  @Test
  void a_receiver_that_is_gone_pauses_its_webhook_and_a_resume_goes_on() {
    AtomicInteger status = new AtomicInteger(410);
    try (Receiver receiver = new Receiver(event -> status.get())) {
      String webhook = create(receiver.url(), "").text("webhook_uuid");
      run(1);
      TaskerClient.until("it is paused", SOON,
          () -> "paused".equals(webhook(webhook).getString("state")));
      assertThat(webhook(webhook).getString("paused_by")).isEqualTo("tasker");
      status.set(200);
      assertThat(act(webhook, "resume", "").object().getString("state")).isEqualTo("active");
      TaskerClient.until("all is delivered", SOON, () -> webhook(webhook).getInt("delivered") == 4);
    }
  }

  @Test
  void a_replay_repeats_events_with_their_ids_and_a_ping_tests_the_receiver() {
    try (Receiver receiver = new Receiver(event -> 200)) {
      String webhook = create(receiver.url(), "").text("webhook_uuid");
      Answer ping = act(webhook, "ping", "");
      assertThat(ping.status()).isEqualTo(202);
      TaskerClient.until("the ping is answered", SOON,
          () -> "delivered".equals(
              tasker.get("/v1/webhooks/" + webhook + "/deliveries/" + ping.text("delivery_uuid"))
                  .text("state")));
      run(1);
      TaskerClient.until("all is delivered", SOON, () -> webhook(webhook).getInt("delivered") == 4);

      assertThat(act(webhook, "replay", ", 'from': '2026-01-01T00:00:00Z'").status())
          .isEqualTo(200);

      TaskerClient.until("all is delivered again", SOON,
          () -> webhook(webhook).getInt("delivered") == 8);
      assertThat(receiver.accepted().stream()
          .filter(call -> !call.event().getString("type").equals("tasker.ping"))
          .map(Receiver.Call::id)
          .distinct()).hasSize(4);
    }
  }

  @Test
  void a_rotated_secret_signs_beside_the_new_one() {
    try (Receiver receiver = new Receiver(event -> 200)) {
      Answer created = create(receiver.url(), "");
      String webhook = created.text("webhook_uuid");
      String fresh = act(webhook, "rotate-secret", "").text("secret");
      assertThat(fresh).startsWith("whsec_").isNotEqualTo(created.text("secret"));
      act(webhook, "ping", "");
      TaskerClient.until("the ping has come", SOON, () -> !receiver.calls().isEmpty());

      assertThat(receiver.calls()).allSatisfy(call -> {
        assertThat(isSigned(call, created.text("secret"))).isTrue();
        assertThat(isSigned(call, fresh)).isTrue();
      });
      assertThat(webhook(webhook).getString("old_secret_until")).isNotBlank();
    }
  }

  @Test
  void a_secret_is_shown_once_and_not_even_by_a_repeated_request() {
    String key = UUID.randomUUID().toString();
    String body = TaskerClient.quoted("{'namespace': 'testing', 'name': '" + name
        + "', 'url': 'https://books.example.com/path?token=t'}");
    TaskerClient keyed = tasker.with(
        Map.of("Idempotency-Key", key, "Authorization", tasker.credentials().get("Authorization")));
    Answer first = keyed.post("/v1/webhooks", body);
    Answer again = keyed.post("/v1/webhooks", body);
    String webhook = first.text("webhook_uuid");
    webhooks.add(webhook);
    String secret = first.text("secret");

    assertThat(secret).startsWith("whsec_");
    assertThat(again.text("webhook_uuid")).isEqualTo(webhook);
    for (Answer answer : List.of(again, tasker.get("/v1/webhooks/" + webhook),
        tasker.get("/v1/webhooks?namespace=testing"), tasker.get("/v1/write-requests?limit=100"))) {
      assertThat(answer.status()).isBetween(200, 201);
      assertThat(answer.body()).doesNotContain(secret);
    }
    assertThat(tasker
        .count("select count(*) from tasker.operator_actions a where a::text like '%whsec_%'"))
        .isZero();
    assertThat(tasker
        .count("select count(*) from tasker.idempotency_keys k where k::text like '%whsec_%'"))
        .isZero();
    Answer viewed = tasker.asOneWhoMay(List.of("webhooks:read")).get("/v1/webhooks/" + webhook);
    assertThat(viewed.text("url")).isEqualTo("https://books.example.com");
  }

  @Test
  void who_may_not_read_what_events_contain_cannot_subscribe_to_them() {
    String body = TaskerClient.quoted(
        "{'namespace': 'testing', 'name': '" + name + "x', 'url': 'https://books.example.com/'}");
    for (List<String> granted : List.of(List.of("webhooks:write in testing"),
        List.of("webhooks:write in testing", "tasks:read in testing", "steps:read in testing"),
        List.of("webhooks:write in testing", "tasks:read in testing",
            "tasks:context_read in testing"),
        List.of("webhooks:write in testing", "tasks:read in testing",
            "tasks:context_read in testing", "steps:read in testing",
            "dlq:read in testing", "schedules:read in testing"),
        List.of("webhooks:write in testing", "tasks:read in testing",
            "tasks:context_read in testing", "steps:read in testing",
            "approvals:assign in testing", "schedules:read in testing"),
        List.of("webhooks:write in testing", "tasks:read in testing",
            "tasks:context_read in testing", "steps:read in testing",
            "approvals:assign in testing", "dlq:read in testing"),
        List.of("webhooks:write", "tasks:read", "tasks:context_read", "approvals:assign",
            "dlq:read", "schedules:read",
            "steps:read in elsewhere"))) {
      assertThat(tasker.asOneWhoMay(granted).post("/v1/webhooks", body).status()).as("%s", granted)
          .isEqualTo(403);
    }
    List<String> enough = List.of("webhooks:write in testing", "tasks:read in testing",
        "tasks:context_read in testing",
        "steps:read in testing", "approvals:assign in testing", "dlq:read in testing",
        "schedules:read in testing");
    Answer created = tasker.asOneWhoMay(enough).post("/v1/webhooks", body);
    assertThat(created.status()).isEqualTo(201);
    webhooks.add(created.text("webhook_uuid"));
    assertThat(tasker.asOneWhoMay(enough)
        .post("/v1/webhooks", body.replace("\"namespace\": \"testing\", ", "")).status())
        .as("for all namespaces").isEqualTo(403);
    assertThat(tasker.asOneWhoMay(List.of("webhooks:write in elsewhere"))
        .get("/v1/webhooks/" + created.text("webhook_uuid")).status())
        .isIn(403, 404);
    for (String action : List.of("resume", "rotate-secret")) {
      assertThat(tasker.asOneWhoMay(List.of("webhooks:write in testing"))
          .post("/v1/webhooks/" + created.text("webhook_uuid") + "/" + action,
              TaskerClient.quoted("{" + WHO + "}"))
          .status())
          .isEqualTo(403);
    }
  }

  @Test
  void addresses_inside_are_refused_with_the_field() {
    for (String url : List.of("http://10.0.0.1/", "https://169.254.169.254/latest",
        "https://[::ffff:10.0.0.1]/",
        "https://ann:pw@example.com/",
        "https://0x0a000001/", "gopher://example.com/")) {
      Answer refused = tasker.post("/v1/webhooks",
          TaskerClient
              .quoted("{'namespace': 'testing', 'name': '" + name + "y', 'url': '" + url + "'}"));
      assertThat(refused.status()).as(url).isEqualTo(400);
      assertThat(refused.fields()).as(url).containsExactly("url");
    }
  }
}
