package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.History;
import ee.tasker.testing.server.ServerFacts;
import ee.tasker.testing.server.ShopServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * An application with entities and a data source of its own, whose only part of the product is the
 * jar of the worker, beside a server of the product's that runs no steps.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkerLibraryIT {
  private static final Map<String, String> SETTINGS = Map.of("TASKER_WORKER_HEARTBEAT_SECONDS",
      "1", "TASKER_WORKER_LEASE_SECONDS", "15", "TASKER_POLL_INTERVAL_SECONDS", "3");

  private EmbeddedDatabase database;
  private TestServer engine;
  private TestServer shop;
  private TaskerClient tasker;

  @BeforeAll
  void start() {
    database = TestServer.newDatabase();
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("TASKER_ROLES", "api,orchestrator");
    engine = TestServer.start(database, settings);
    tasker = engine.client();
    tasker.register("/testing/templates.yaml");
    shop = ShopServer.start(database, SETTINGS);
  }

  @AfterAll
  void stop() {
    for (TestServer each : new TestServer[]{shop, engine}) {
      if (each != null) {
        each.close();
      }
    }
    database.close();
  }

  private void assertEverythingIsInOrder() {
    assertThat(tasker.sql(
        "select invariant, violations, examples from tasker.check_history() where violations > 0"))
        .isEmpty();
    assertThat(History.broken(tasker)).isEmpty();
  }

  private Answer order(int quantity) {
    return shop.client().post("/shop/orders",
        TaskerClient.quoted("{'article': 'teapot', 'quantity': " + quantity + "}"));
  }

  private long shipments(int order) {
    return tasker.count("select count(*) from shop.shipments where order_id = ?", order);
  }

  @Test
  void it_is_a_worker_and_nothing_else_whatever_the_environment_says() {
    assertThat(
        tasker.sql("select w.handlers @> '{shop.Ship,shop.Weigh,testing.Echo}' as has_handlers "
            + "from tasker.servers s join tasker.workers w using (server_uuid) "
            + "where s.roles = '{worker}' and s.state = 'healthy'"))
        .contains(Map.of("has_handlers", true));
    assertThat(shop.client().get("/v1/tasks").status()).isEqualTo(404);
    assertThat(shop.client().get("/console/").status()).isEqualTo(404);
  }

  @Test
  void an_order_and_its_task_are_committed_together_and_it_is_shipped_once() {
    Answer placed = order(2);
    assertThat(placed.status()).as(placed.toString()).isEqualTo(201);
    UUID task = UUID.fromString(placed.object().getString("task_uuid"));

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");

    int order = placed.object().getInt("order_id");
    assertThat(tasker.sql("select grams from shop.shipments where order_id = ?", order))
        .containsExactly(Map.of("grams", 500));
    assertThat(tasker.sql("select count(*) as rows, count(distinct t) as transactions from ("
        + "select xmin::text as t from shop.shipments where order_id = ? union all "
        + "select xmin::text from tasker.workflow_step_result_audit "
        + "where workflow_step_uuid = cast(? as uuid)) x", order,
        tasker.steps(task).get("ship").getString("step_uuid")))
        .as("one transaction wrote both")
        .containsExactly(Map.of("rows", 2L, "transactions", 1L));
  }

  @Test
  void nothing_is_there_when_the_transaction_of_the_application_rolls_back() {
    long tasks = tasker.count("select count(*) from tasker.tasks");
    long orders = tasker.count("select count(*) from shop.customer_orders");

    assertThat(order(1_000).status()).isEqualTo(409);

    assertThat(tasker.count("select count(*) from tasker.tasks"))
        .isEqualTo(tasks);
    assertThat(tasker.count("select count(*) from shop.customer_orders")).isEqualTo(orders);
  }

  @Test
  void checkpoint_of_one_attempt_is_there_for_the_next() {
    UUID task = tasker.submit("progress", "{}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    JsonObject result = tasker.steps(task).get("count").getJsonObject("result");
    assertThat(result.getInt("counted")).isEqualTo(3);
    assertThat(result.getInt("attempt")).isEqualTo(3);
  }

  @Test
  void handler_that_takes_too_long_is_interrupted() {
    UUID task = tasker.submit("hang", "{}");

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state"))
        .isEqualTo("blocked_by_failures");
    assertThat(tasker.steps(task).get("hang").getJsonObject("error").getString("type"))
        .isEqualTo("handler_timeout");
    TaskerClient.until("both attempts were interrupted", Duration.ofSeconds(20),
        () -> tasker.count("select count(*) from testing.effects where task_uuid = ? "
            + "and effect = 'interrupted'", task) == 2);
  }

  @Test
  void running_handler_is_told_of_a_cancel() {
    UUID task = tasker.submit("hold", "{}");
    TaskerClient.until("it runs", Duration.ofSeconds(30),
        () -> tasker.steps(task).get("held").getString("state").equals("in_progress"));

    assertThat(tasker.delete("/v1/tasks/" + task).status() / 100).isEqualTo(2);

    assertThat(tasker.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("cancelled");
  }

  @Test
  void killed_application_is_taken_over_by_another_and_an_order_is_still_shipped_once() {
    List<UUID> tasks = new ArrayList<>();
    TestServer doomed = ShopServer.start(database, SETTINGS);
    for (int i = 0; i < 40; i++) {
      tasks.add(tasker.submit("work", "{}"));
    }
    List<Integer> orders = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Answer placed = doomed.client().post("/shop/orders",
          TaskerClient.quoted("{'article': 'cup', 'quantity': 1}"));
      orders.add(placed.object().getInt("order_id"));
      tasks.add(UUID.fromString(placed.object().getString("task_uuid")));
    }
    doomed.kill();
    doomed.close();

    for (UUID task : tasks) {
      assertThat(tasker.awaitTerminalOrBlocked(task, Duration.ofMinutes(2)).getString("state"))
          .isEqualTo("complete");
    }
    assertThat(orders).allSatisfy(order -> assertThat(shipments(order)).isEqualTo(1));
    assertEverythingIsInOrder();
  }

  @Test
  void it_waits_for_a_schema_that_fits_and_goes_on_by_itself() {
    try (EmbeddedDatabase other = TestServer.newDatabase()) {
      TaskerClient outside = TestServer.clientOf(other);
      outside.sql("insert into tasker.installations (version, manifest_digest) "
          + "values ('99.1.0', 'newer')");
      try (TestServer early = ShopServer.starting(other, SETTINGS)) {
        TaskerClient.until("its log says why", Duration.ofMinutes(3), () -> logOf(early)
            .contains("the database has version 99.1.0 and this library is of version"));
        assertThat(early.log()).contains("TK1016").doesNotContain("TK1001");
        assertThat(ShopServer.workers(outside)).isZero();

        String signature = (String) outside.value("select signature "
            + "from tasker.installed_routines where objects = '{function claim_steps}'");
        outside.sql("update tasker.installed_routines set signature = 'other-' || "
            + "left(signature, 50) where objects = '{function claim_steps}'");
        outside.sql("delete from tasker.installations where version = '99.1.0'");
        TaskerClient.until("its log says what is missing", Duration.ofMinutes(2),
            () -> logOf(early).contains("lacks what this library of version"));
        assertThat(early.log()).contains("calls: claim_steps");
        assertThat(ShopServer.workers(outside)).isZero();

        outside.sql("update tasker.installed_routines set signature = ? "
            + "where objects = '{function claim_steps}'", signature);

        TaskerClient.until("it registers", Duration.ofMinutes(2),
            () -> ShopServer.workers(outside) == 1);
        assertThat(early.log().split("TK1016", -1)).as("once for each reason").hasSize(3);
      }
    }
  }

  @Test
  void it_does_not_work_with_transactions_of_another_kind() {
    assumeTrue(ServerFacts.ofThisServer().is("isolation.of-descriptor"),
        "the server asks for read committed, whatever other level a descriptor names");
    long before = ShopServer.workers(tasker);
    try (TestServer other = ShopServer.starting(database, SETTINGS, "TRANSACTION_SERIALIZABLE")) {
      TaskerClient.until("its log says why", Duration.ofMinutes(3),
          () -> logOf(other).contains("the transactions of the data source are serializable"
              + " and must be read committed"));
      assertThat(ShopServer.workers(tasker)).isEqualTo(before);
    }
  }

  private static String logOf(TestServer early) {
    try {
      return early.log();
    } catch (UncheckedIOException notYet) {
      return "";
    }
  }

  @Test
  void history_is_in_order() {
    assertEverythingIsInOrder();
  }
}
