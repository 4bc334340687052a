package ee.tasker.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.EmbeddedDatabase;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.PaymentProvider;
import ee.tasker.testing.server.ShopServer;
import ee.tasker.testing.server.TaskerClient;
import ee.tasker.testing.server.TestServer;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The application of {@code examples/worker}, a server of the product's without a worker, their
 * database with a backup, and the provider at which orders are charged.
 */
final class SellingShop implements AutoCloseable {
  static final int CAPACITY = 8;

  final PaymentProvider provider = new PaymentProvider();
  final EmbeddedDatabase database = TestServer.newDatabase();
  private final Map<String, String> settings = Map.of("TASKER_WORKER_HEARTBEAT_SECONDS", "1",
      "TASKER_WORKER_LEASE_SECONDS", "10", "TASKER_POLL_INTERVAL_SECONDS", "2",
      "TASKER_WORKER_CAPACITY", Integer.toString(CAPACITY), "SHOP_PROVIDER", provider.address());
  private final int enginePort = TestServer.freePort();
  private final int shopPort = TestServer.freePort();
  private volatile TestServer engine;
  private volatile TestServer shop;

  /** An order that was committed, and its task. */
  record Order(String name, long id, UUID task) {
    static List<String> names(List<Order> orders) {
      return orders.stream().map(Order::name).toList();
    }
  }

  void start() {
    startEngine();
    awaitReady();
    startApplication();
  }

  /** Does not wait until it is ready. */
  void startEngine() {
    Map<String, String> ofEngine = new HashMap<>(settings);
    ofEngine.put("TASKER_ROLES", "api,orchestrator");
    engine = TestServer.starting(database, enginePort, ofEngine);
  }

  void awaitReady() {
    engine.awaitReady();
  }

  void startApplication() {
    shop = ShopServer.start(database, shopPort, settings, ShopServer.war(database, false));
  }

  /** Another application of the same kind, to be closed by the caller. */
  TestServer startAnother() {
    return ShopServer.start(database, settings);
  }

  /** With {@code kill -9}; they are to be started again. */
  void kill(boolean isEngineKilled, boolean isApplicationKilled) {
    Stream.of(isEngineKilled ? engine : null, isApplicationKilled ? shop : null)
        .filter(each -> each != null).forEach(each -> {
          each.kill();
          each.close();
        });
  }

  TaskerClient tasker() {
    return engine.client();
  }

  @Override
  public void close() {
    provider.close();
    Stream.of(shop, engine).filter(each -> each != null).forEach(TestServer::close);
    database.close();
  }

  /** An order of a caller who gives it no name. */
  Order order() {
    Answer answer = post(shop.client().request("/shop/orders"));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(201);
    return ordered(Integer.toString(answer.object().getInt("order_id")), answer);
  }

  /**
   * An order of a caller who repeats his request, with the same key, until it is acknowledged.
   *
   * @param within for how long he does
   */
  Order order(String key, Duration within) {
    Answer[] answer = new Answer[1];
    TaskerClient.until("the order is acknowledged", within, () -> {
      try {
        answer[0] = post(shop.client().request("/shop/orders").header("Idempotency-Key", key));
        if (answer[0].status() == 201) {
          return true;
        }
      } catch (UncheckedIOException isDown) {
        // Whether the order was committed is not known.
      }
      TaskerClient.pause(Duration.ofMillis(200));
      return false;
    });
    return ordered(key, answer[0]);
  }

  private Answer post(HttpRequest.Builder request) {
    return shop.client().send(request.header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
            "{'article': 'teapot', 'quantity': 1, 'charged': true}"))));
  }

  private static Order ordered(String name, Answer answer) {
    return new Order(name, answer.object().getInt("order_id"),
        UUID.fromString(answer.object().getString("task_uuid")));
  }

  void awaitUnderWay(int charges) {
    TaskerClient.until(charges + " are charged and wait for their answer", Duration.ofSeconds(90),
        () -> provider.underWay() >= charges);
  }

  /** Everything but a mail that may have been sent by an application that died. */
  void awaitSold(List<Order> orders) {
    for (Order order : orders) {
      JsonObject task = tasker().awaitTerminalOrBlocked(order.task(), Duration.ofMinutes(2));
      if (!task.getString("state").equals("complete")) {
        assertThat(tasker().steps(order.task()).values().stream()
            .filter(step -> step.getString("state").equals("error"))
            .map(step -> step.getString("name"))).as(task.toString())
            .containsExactly("tell_customer");
      }
    }
  }

  void assertEachIs(int charges, List<Order> orders) {
    assertThat(provider.charges(Order.names(orders))).as("orders by the number of their charges")
        .isEqualTo(Map.of(charges, (long) orders.size()));
    assertThat(tasker().count("select count(*) from (select order_id from shop.shipments "
        + "where order_id = any (?) group by 1 having count(*) = 1) once",
        (Object) orders.stream().map(Order::id).toArray(Long[]::new)))
        .as("orders that were shipped once").isEqualTo(orders.size());
    assertThat(tasker().sql("select invariant, violations, examples "
        + "from tasker.check_history(p_quiet_for => '1 second') where violations > 0"))
        .isEmpty();
  }

  /** What an operator does with a failed step. @param more members of the request */
  void reset(UUID task, String step, String more) {
    Answer answer = tasker().send(tasker()
        .request("/v1/tasks/" + task + "/workflow_steps/"
            + tasker().steps(task).get(step).getString("step_uuid"))
        .header("Content-Type", "application/json")
        .method("PATCH", HttpRequest.BodyPublishers.ofString(TaskerClient.quoted(
            "{'action_type': 'reset_for_retry', 'reset_by': 'ann', 'reason': 'it answers again'"
                + more + "}"))));
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
  }

  /** Servers notice that the database is away for a moment. */
  void backUp() {
    database.close();
    copy(database.data(), backup());
    database.start();
  }

  /** To the time of the last backup, while servers run. */
  void restore() {
    database.close();
    copy(backup(), database.data());
    database.start();
  }

  private Path backup() {
    return database.data().resolveSibling("backup-of-" + database.data().getFileName());
  }

  private static void copy(Path from, Path to) {
    try {
      Process copy = new ProcessBuilder("sh", "-c",
          "rm -rf '" + to + "' && cp -a '" + from + "' '" + to + "'").inheritIO().start();
      assertThat(copy.waitFor()).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
